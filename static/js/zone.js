// Chooses the zone of this browser for a new table, where the server did not know it yet and nobody has
// chosen one.
const zones = document.querySelector("select[data-zone]");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

if (zones && here) {
  if (![...zones.options].some((option) => option.value === here)) zones.add(new Option(here));
  zones.value = here;
}
