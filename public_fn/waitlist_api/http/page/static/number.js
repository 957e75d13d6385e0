// The part of <waitlist-position> that shows the number by which the customer is called. The element loads it if the
// customer has a number.

/** Fill `place`, or update it. The number keeps its writing direction in every language. */
export function draw(place, { entry }, { make, words }) {
  const number = entry?.call_number ?? '';
  if (place.dataset.number === number) return;
  place.dataset.number = number;
  const [before, after] = words.say('yourNumber', { number: '\n' }).split('\n');
  place.replaceChildren(...(number ? [make('p', { class: 'ticket' }, before, make('bdi', { class: 'call-number' }, number), after)] : []));
}
