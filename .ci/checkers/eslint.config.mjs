// What `make lint` demands of the site's own scripts (static/js).
import { readFileSync } from "node:fs";
import mdn from "@mdn/browser-compat-data" with { type: "json" };
import compat from "eslint-plugin-compat";
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

// A device's clock may be wrong by hours.
const CLOCK = "Ask clock.js for the present time: now().";
const MOMENT = ["CallExpression[callee.object.name='Date'][callee.property.name='now']",
  "NewExpression[callee.name='Date'][arguments.length=0]", "CallExpression[callee.name='Date']"];

// Some browsers delete after a week what only a script has written.
const STORAGE = "Identifier[name='localStorage']";
const WRITTEN = "Keep it by kept.js: keep().";

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

// A member of elements, texts or lists that some of the oldest browsers (static/.browserslistrc) lack. The rule
// compat/compat, which reads that file too, knows only what is global. A call with "?." has asked.
const OLDEST = readFileSync(new URL("../../static/.browserslistrc", import.meta.url), "utf8").trim().split("\n")
  .map((line) => line.replace("ios_saf", "safari_ios").split(" >= "));
const isUpTo = (one, other) => one.localeCompare(other, "en", { numeric: true }) <= 0;
const isOld = ({ support }) =>
  OLDEST.every(([browser, version]) =>
    [support[browser]].flat().some(({ version_added: since, flags }) => since && !flags && isUpTo(since, version)));
const OF_PAGES = /^(Element|HTML|SVG|Document|Node|Text|Animation|Array|String|Map|Set|RegExp|Date|Promise)/;
const isOfPages = new Set(), isOldSomewhere = new Set(); // names of members
for (const [kind, own] of Object.entries({ ...mdn.api, ...mdn.javascript.builtins })) {
  for (const [key, { __compat: told }] of Object.entries(own)) {
    const name = key.replace("_static", "");
    if (OF_PAGES.test(kind)) isOfPages.add(name);
    if (told && isOld(told)) isOldSomewhere.add(name);
  }
}
const oldMember = {
  meta: { type: "problem", schema: [], messages: { young: "{{name}} is younger than the oldest browsers (docs/browsers.md)." } },
  create: (context) => ({
    "MemberExpression[computed=false]"({ object, property, parent }) {
      const { name } = property, fixed = mdn.api[object.name]?.[`${name}_static`]?.__compat;
      if (parent.optional || object.name === "Notification") return; // push.js: canPush
      if (fixed ? isOld(fixed) : !isOfPages.has(name) || isOldSomewhere.has(name)) return;
      context.report({ node: property, messageId: "young", data: { name } });
    },
  }),
};
const TOO_YOUNG = [
  { selector: "Literal[regex.pattern=/[(][?]<[=!]/]", message: "Safari 15 has no lookbehind." },
  { selector: ":matches(Literal[value=/:has[(]/], TemplateElement[value.raw=/:has[(]/])", message: "Firefox 115 throws." },
];

const elsewhere = STATE.map((selector) => ({ selector, message: ELSEWHERE }));
const written = [{ selector: STORAGE, message: WRITTEN }];
const moments = MOMENT.map((selector) => ({ selector, message: CLOCK }));

export default [
  {
    plugins: { compat, site: { rules: { "one-listener": oneListener, "old-member": oldMember } } },
    languageOptions: { ecmaVersion: 2021, globals: globals.browser },
    settings: { polyfills: ["navigator.setAppBadge"] }, // called with "?."
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "compat/compat": "error",
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
      "no-restricted-syntax": ["error", ...elsewhere, ...moments, ...written, ...TOO_YOUNG],
      "no-self-assign": "error",
      "no-self-compare": "error",
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unsafe-finally": "error",
      "no-unsafe-optional-chaining": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_$", caughtErrors: "none" }],
      "no-use-before-define": ["error", { classes: false, functions: false, variables: false }],
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "site/old-member": "error",
      "site/one-listener": "error",
      "use-isnan": "error",
      "valid-typeof": "error",
    },
  },
  {
    files: ["static/js/theme.js"], // for browsers of any age
    languageOptions: { ecmaVersion: 5, sourceType: "script" },
    rules: { "no-var": "off" },
  },
  {
    files: ["**/clock.js"],
    rules: { "no-restricted-syntax": ["error", ...elsewhere, ...written, ...TOO_YOUNG] },
  },
  {
    files: ["**/kept.js"],
    rules: { "no-restricted-syntax": ["error", ...elsewhere, ...moments, ...TOO_YOUNG] },
  },
];
