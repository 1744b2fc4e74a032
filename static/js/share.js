// Links to pictures (<a data-picture href=".../3.2.png">) follow the film; where a browser can share files, a
// PNG or GIF is shared.
document.addEventListener("film:step", ({ target, detail }) => {
  const page = target.closest(".page") ?? document;
  for (const link of page.querySelectorAll("a[data-picture]")) {
    link.href = link.getAttribute("href").replace(/\.\d+\.(png|svg)/, `.${detail.number}.$1`);
  }
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-picture][data-name]");
  if (!link || !navigator.canShare || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const kind = link.href.match(/\.(\w+)$/)[1], type = `image/${kind}`;
  const name = `${link.dataset.name}.${kind}`;
  if (!navigator.canShare({ files: [new File([], name, { type })] })) return;
  event.preventDefault();
  try {
    const picture = await (await fetch(link.href)).blob();
    const files = [new File([picture], name, { type })];
    await navigator.share({ files, title: document.title });
  } catch (fault) {
    if (fault.name === "AbortError") return;
    Object.assign(document.createElement("a"), { href: link.href, download: name }).click();
  }
});
