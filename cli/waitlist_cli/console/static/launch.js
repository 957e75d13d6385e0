// The launch form begins with the time zone of the browser.

export function useOwnZone(form) {
  const zone = form.elements.timezone;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (![...zone.options].some((option) => option.value === own)) return;
  const begins = form.elements.at;
  // The service's page has the time in UTC.
  if (begins.value && zone.value === "UTC") begins.value = clockOf(new Date(`${begins.value}Z`));
  zone.value = own;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// What the browser's clock shows at a time, as a field of type datetime-local has it.
function clockOf(time) {
  const two = (number) => String(number).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}
