// The picture of a league's table: it is given to the device's own sheet for sharing where there is one, and is saved
// else; a line beside the button says what happens. Without this, the link saves it.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-table-picture]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  give(link);
});

async function give(link) {
  const { comes, saved, lost } = link.dataset, name = `${link.dataset.tablePicture}.png`;
  say(link, comes);
  let file;
  try {
    const answer = await fetch(link.href, { signal: AbortSignal.timeout(30_000) });
    if (!answer.ok) throw new Error(answer.status);
    file = new File([await answer.blob()], name, { type: "image/png" });
  } catch {
    return say(link, lost);
  }
  try {
    if (navigator.canShare?.({ files: [file] })) {
      await navigator.share({ files: [file], title: document.title });
      return say(link, "");
    }
  } catch (fault) {
    if (fault.name === "AbortError") return say(link, ""); // whoever closes the sheet knows it
  }
  const address = URL.createObjectURL(file);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  say(link, saved);
}

function say(link, words) {
  link.parentElement.querySelector("[data-said]").textContent = words;
}
