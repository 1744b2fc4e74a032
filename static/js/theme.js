// Runs before the first paint, so that a chosen theme never flashes. It also tells readers of a browser that is older
// than the oldest ones (docs/browsers.md), and so is itself written for browsers of any age.
(function () {
  var broken = false; // a script has not come, or is none
  var theme = document.cookie.match(/(?:^|; )theme=(light|dark)/);
  document.documentElement.setAttribute("data-scripts", ""); // for style sheets
  if (theme) document.documentElement.setAttribute("data-theme", theme[1]);
  window.addEventListener("error", function (event) {
    if (event.target.localName === "script" || event.error instanceof SyntaxError) broken = true;
  }, true);

  // A line that breaks off leaves a page without its end, or without one of its scripts. A table is asked for again
  // then: without its end later each time, without a script once, since it works as a form, too; one that waits goes
  // on as without scripts. Pages of other kinds may have been the answer to a form.
  window.addEventListener("load", function () {
    var cut = !document.querySelector("body > .site-footer, body > #menu"), tries;
    try {
      tries = Number(sessionStorage.getItem("again"));
      if (!cut && !broken && window.htmx) return sessionStorage.removeItem("again");
      if (!/^\/m\/\w+\/([A-Z]\/)?$/.test(location.pathname)) return;
      if (tries < (cut ? 6 : 1)) {
        sessionStorage.setItem("again", tries + 1);
        setTimeout(function () { location.reload(); }, cut ? 500 * Math.pow(2, tries) : 0);
      } else if (document.querySelector("head > noscript")) setTimeout(function () { location.reload(); }, 15000);
    } catch (_) {
      // No storage: nobody would know when to end.
    }
  });

  // Both are in Chrome 108, Firefox 103 and Safari 15.6.
  if (window.CSS && CSS.supports && CSS.supports("height", "1dvh") && CSS.supports("selector(:modal)")) return;
  document.addEventListener("DOMContentLoaded", function () {
    document.getElementById("too-old").hidden = false;
  });
})();
