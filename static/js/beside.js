// The second referee beside a page: a worker that reads the file of a match or league, and the alarm if it differs.
const beside = { worker: null };

/** What the worker finds in a file, at the address that the page's `<meta name=referee>` has. */
export function examined(text) {
  beside.worker ??= new Worker(document.querySelector("meta[name=referee]").content, { type: "module" });
  return new Promise((done, fail) => {
    beside.worker.onmessage = ({ data }) => done(data);
    beside.worker.onerror = fail;
    beside.worker.postMessage(text);
  });
}

/** Says above everything else that this device found something else, with links: texts and addresses. */
export function alarm(text, links) {
  document.getElementById("alarm")?.remove();
  const said = Object.assign(document.createElement("p"), { id: "alarm", className: "panel error" });
  said.setAttribute("role", "alert");
  said.append(text);
  for (const [label, href, download] of links) {
    const link = Object.assign(document.createElement("a"), { href, textContent: label });
    if (download) link.download = "";
    said.append(" ", link);
  }
  document.getElementById("main").prepend(said);
}
