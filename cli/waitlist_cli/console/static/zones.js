// A form with times begins with the time zone of the browser.

export function useOwnZone(form) {
  const zone = form.elements.timezone;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (![...zone.options].some((option) => option.value === own)) return;
  // The service's page has the times in UTC.
  const isInUtc = zone.value === "UTC";
  for (const time of form.querySelectorAll("input[type=datetime-local]")) {
    if (time.value && isInUtc) time.value = clockOf(new Date(`${time.value}Z`));
  }
  zone.value = own;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// What the browser's clock shows at a time, as a field of type datetime-local has it.
function clockOf(time) {
  const two = (number) => String(number).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}
