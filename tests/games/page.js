/** A match's page and its worker as far as `static/js/checked.js` needs them, for tests/games/test_referee_alarm.py. */

const page = { live: { dataset: {} }, file: null, position: "", later: [], notes: {}, alarms: [], line: null };
const receipt = { querySelector: () => page.line, appendChild: (line) => (page.line = line) };

globalThis.location = { pathname: "/m/abcdefghjkmn/" };
globalThis.document = {
  documentElement: { lang: "en" },
  getElementById: () => page.live,
  querySelectorAll: () => [receipt],
  createElement: () => ({ dataset: {} }),
  addEventListener: (name, heard) => (page[name] = heard),
};
globalThis.setTimeout = (act) => page.later.push(act);
globalThis.stored = (does) => does({ getItem: (name) => page.notes[name] ?? null, setItem: (name, text) => (page.notes[name] = text) });
globalThis.alarm = (text) => page.alarms.push(text);
globalThis.fetch = async (address) => {
  const answers = { "/m/abcdefghjkmn/record/": page.file, "/api/v1/matches/abcdefghjkmn": JSON.stringify({ position: page.position }) };
  const text = answers[address];
  return { ok: text !== null, text: async () => text, json: async () => JSON.parse(text) };
};

// The worker and its page: each hears what the other posts.
const waiting = [];
globalThis.addEventListener = (name, heard) => (page.worker = heard);
globalThis.postMessage = (found) => waiting.shift()(found);
globalThis.examined = (text) => new Promise((done) => {
  waiting.push(done);
  page.worker({ data: text });
});

/** Opens the page of a match in a browser that has never seen it. */
globalThis.opens = (script, dataset, file, position) => {
  Object.assign(page, { live: { dataset }, file, position, later: [], notes: {}, alarms: [], line: null });
  new Function(script)();
};

/** Brings an update to the page, and the file that the site has by then. */
globalThis.shows = (dataset, file, position) => {
  Object.assign(page, { live: { dataset }, file, position });
  page["live:swapped"]();
};

/** Lets the seconds pass after which a page looks once more. */
globalThis.waits = () => {
  while (page.later.length) page.later.shift()();
};

globalThis.says = () => JSON.stringify([page.live.dataset.referee, ...page.alarms]);

/** The line on the receipt. */
globalThis.line = () => page.line?.textContent ?? "";
