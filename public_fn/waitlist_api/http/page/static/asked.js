// The part of <waitlist-position> that asks a customer if they still wait. The element loads it
// when the customer is asked.

/** Fill `place`, or bring it up to date; `make` is the element's. */
export function draw(place, { entry, isBusy }, { make, words, client }) {
  if (!place.firstChild) {
    const act = () => client.view.isBusy || client.stillWait();
    const button = make('button', { type: 'button', class: 'acts', onclick: act }, words.say('asked'));
    place.append(make('p', { class: 'asked', role: 'status', tabindex: -1 }), button);
  }
  const [status, button] = place.children;
  const until = entry.confirm_by;
  const text = until ? words.say('asked.by', { time: words.time(until, client.now) }) : words.say('asked.thanks');
  // Only if it is another one: screen readers say what is written.
  if (status.textContent !== text) status.textContent = text;
  if (!until && place.getRootNode().activeElement === button) status.focus();
  button.hidden = !until;
  button.setAttribute('aria-disabled', isBusy);
}
