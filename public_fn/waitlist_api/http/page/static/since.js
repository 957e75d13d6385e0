// Says since when a screen or a kiosk has not been current.

const HALF_A_DAY_MS = 43_200_000;

/** Return the time at which a display was current, with the date if that was long ago. */
export function sinceText(words, at) {
  const isOld = Date.now() - at > HALF_A_DAY_MS;
  return new Intl.DateTimeFormat(words.language, { timeStyle: 'short', dateStyle: isOld ? 'medium' : undefined }).format(at);
}
