// Runs before the first paint, so that a chosen theme never flashes.
try {
  const choice = localStorage.getItem("theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // No storage: the system's setting stands.
}
