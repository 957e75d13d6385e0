// Sets the time zone field of a form to the browser's time zone, and proposes settings that fit a time zone.

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

// Fills the fields for the country of mobile numbers and for the usual language by the country of the chosen time zone.
export function proposeByCountry(form) {
  const { timezone: zone, "messages.sms_countries": country, "messages.language": language } = form.elements;
  const propose = (field, isChosen, fill) => {
    if (!field) return;
    // What the operator has typed or chosen stays.
    field.addEventListener("input", () => (isChosen = field.value !== ""));
    const fillUnlessChosen = () => isChosen || fill(zone.selectedOptions[0]?.dataset ?? {});
    zone.addEventListener("change", fillUnlessChosen);
    fillUnlessChosen();
  };
  propose(country, country?.value, (own) => (country.value = own.country ?? ""));
  propose(language, false, (own) => proposeLanguage(language, own.language));
}

// Chooses the language of the country. If the service does not have this language, choose a language of the browser.
export function proposeLanguage(field, ofCountry) {
  const wanted = [ofCountry, ...navigator.languages.map((tag) => tag.split("-")[0])];
  const offered = [...field.options].map((option) => option.value);
  field.value = wanted.find((language) => offered.includes(language)) ?? field.value;
}

// Returns the browser's local time in the format of an input of type datetime-local.
function clockOf(time) {
  const two = (number) => String(number).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}
