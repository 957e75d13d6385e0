// The part of <waitlist-position> that says until when people are let in. The element loads it if the admission has an
// end.

/** Fill `place`, or update it. `make`, `words` and `client` come from the element. */
export function draw(place, { entry, list }, { make, words, client }) {
  if (!place.firstChild) place.append(make('p'));
  place.firstChild.textContent = list?.admits_until ? textOf(list, entry ?? list, words, client.now) : '';
}

/** Return the text. `estimated` is the entry, or the waitlist with the estimate for a customer who joins now. */
function textOf({ admits_until: until }, estimated, words, now) {
  if (Date.parse(until) <= now) return words.say('admitsOver');
  const text = words.say('admitsUntil', { time: words.time(until, now) });
  return estimated.estimate_unavailable === 'over' ? `${text} ${words.say('waitOver')}` : text;
}
