// Sets the time zone field of a form to the browser's time zone, and proposes the country of a time zone.

export function useOwnZone(form) {
  const zone = form.elements.timezone;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (![...zone.options].some((option) => option.value === own)) return;
  // The console renders times in UTC. Convert them to the browser's time zone.
  const isInUtc = zone.value === "UTC";
  for (const time of form.querySelectorAll("input[type=datetime-local]")) {
    if (time.value && isInUtc) time.value = clockOf(new Date(`${time.value}Z`));
  }
  zone.value = own;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// Fills the field for the country of mobile numbers with the country of the chosen time zone.
export function proposeCountry(form) {
  const { timezone: zone, "messages.sms_countries": country } = form.elements;
  if (!country) return;
  // A country that the operator has typed stays.
  let isTyped = country.value !== "";
  country.addEventListener("input", () => (isTyped = country.value !== ""));
  const propose = () => {
    if (!isTyped) country.value = zone.selectedOptions[0]?.dataset.country ?? "";
  };
  zone.addEventListener("change", propose);
  propose();
}

// Returns the browser's local time in the format of an input of type datetime-local.
function clockOf(time) {
  const two = (number) => String(number).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}
