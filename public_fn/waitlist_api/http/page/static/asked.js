// The part of <waitlist-position> that asks a customer if they are still waiting. The element loads it when there is a
// question.

/** Fill `place`, or update it. `make` comes from the element. */
export function draw(place, { entry, isBusy }, { make, words, client }) {
  if (!place.firstChild) {
    const act = () => client.view.isBusy || client.do('confirm');
    const button = make('button', { type: 'button', class: 'acts main', onclick: act }, words.say('asked'));
    place.append(make('p', { class: 'asked', role: 'status', tabindex: -1 }), button);
  }
  const [status, button] = place.children;
  const until = entry.confirm_by;
  const text = until ? words.say('asked.by', { time: words.time(until, client.now) }) : words.say('asked.thanks');
  // Replace the text only if it has changed, because screen readers announce each replacement.
  if (status.textContent !== text) status.textContent = text;
  if (!until && place.getRootNode().activeElement === button) status.focus();
  button.hidden = !until;
  button.setAttribute('aria-disabled', isBusy);
}
