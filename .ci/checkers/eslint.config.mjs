// What `make lint` demands of the site's own scripts (static/js).
import globals from "globals";

// What changes while a page is open stands in one record at the head of its script, a comment beside each field.
const ELSEWHERE = "Keep what changes in the record at the head of the script (docs/scripts.md).";
const TOP = ":matches(Program, Program > ExportNamedDeclaration)";
const EMPTY = "[type='ArrayExpression'][elements.length=0]";
const COLLECTION = "[type='NewExpression'][callee.name=/^(Weak)?(Map|Set)$/][arguments.length=0]";
const STATE = [
  `${TOP} > VariableDeclaration[kind='let']`,
  `${TOP} > VariableDeclaration > VariableDeclarator > :matches(${EMPTY}, ${COLLECTION}).init`,
];

// Two listeners of a script for one event run in the order in which they stand there, which nobody sees.
const oneListener = {
  meta: {
    type: "problem",
    schema: [],
    messages: { second: "{{target}} has a listener for {{name}} in this script already: call both functions from it." },
  },
  create(context) {
    const heard = new Set();
    return {
      "CallExpression[arguments.0.type='Literal']"(node) {
        const { callee, arguments: [{ value: name }, , options] } = node;
        const isOfWindow = callee.name === "addEventListener";
        if (!isOfWindow && callee.property?.name !== "addEventListener") return;
        const target = isOfWindow ? "window" : callee.object.name;
        if (!["document", "window"].includes(target) || isInFunction(node, context)) return;
        const given = options ? context.sourceCode.getText(options) : "";
        if (/once/.test(given)) return;
        const key = [target, name, /true/.test(given)].join();
        if (heard.has(key)) context.report({ node, messageId: "second", data: { target, name } });
        heard.add(key);
      },
    };
  },
};
const isInFunction = (node, { sourceCode }) =>
  sourceCode.getAncestors(node).some(({ type }) => /Function/.test(type));

export default [
  {
    plugins: { site: { rules: { "one-listener": oneListener } } },
    languageOptions: { globals: { ...globals.browser, htmx: "readonly" } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "constructor-super": "error",
      curly: ["error", "multi-line"],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "getter-return": "error",
      "no-cond-assign": ["error", "except-parens"],
      "no-const-assign": "error",
      "no-constant-binary-expression": "error",
      "no-constant-condition": "error",
      "no-dupe-else-if": "error",
      "no-dupe-keys": "error",
      "no-duplicate-imports": "error",
      "no-empty": "error",
      "no-fallthrough": "error",
      "no-func-assign": "error",
      "no-implicit-globals": "error",
      "no-import-assign": "error",
      "no-loop-func": "error",
      "no-redeclare": "error",
      "no-restricted-syntax": ["error", ...STATE.map((selector) => ({ selector, message: ELSEWHERE }))],
      "no-self-assign": "error",
      "no-self-compare": "error",
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unsafe-finally": "error",
      "no-unsafe-optional-chaining": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_$", caughtErrors: "none" }],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "site/one-listener": "error",
      "use-isnan": "error",
      "valid-typeof": "error",
    },
  },
];
