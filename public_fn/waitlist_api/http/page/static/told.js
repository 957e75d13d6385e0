// The part of <waitlist-position> that says how the customer is told when it is their turn. The element loads it if the
// waitlist sends a message then.

/** Fill `place`, or update it. The button shows the customer's details, where they can correct the address. */
export function draw(place, { list, told }, { make, words, client, open }) {
  if (!told) return client.readTold();
  const field = list.told_by.find((name) => told[name]) ?? 'none';
  const key = told.off ? 'told.off' : `told.${field}`;
  if (!place.firstChild) {
    const button = make('button', { type: 'button', class: 'quiet', onclick: () => open('details', 'details') });
    place.append(make('p', { class: 'told' }, make('span'), ' ', button));
  }
  // The button is never replaced, so that it keeps the focus.
  const [text, button] = place.firstChild.children;
  text.textContent = words.say(key, { to: words.apart(told[field]) });
  button.textContent = words.say(`told.change.${field}`);
  // Without a question for an address, the customer cannot add one.
  button.hidden = field === 'none' && !list.page?.fields?.some(({ name }) => list.told_by.includes(name));
}
