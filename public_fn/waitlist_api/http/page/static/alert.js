// The part of <waitlist-position> that alerts a customer who waits. The element loads it where the browser can.

/** Fill `place`, or bring it up to date: the customer has to allow it by a button. */
export function draw(place, view, { make, words, client }) {
  const { permission } = Notification;
  const key = permission === 'denied' ? 'alertDenied' : permission === 'granted' && view.alert ? 'alertOn' : 'alert';
  // Only if it is another one, so that the button keeps the focus.
  if (place.dataset.shows === key) return;
  place.dataset.shows = key;
  const allow = async () => (client.alert = (await Notification.requestPermission()) === 'granted');
  const name = key === 'alert' ? 'button' : 'p';
  place.replaceChildren(make(name, name === 'button' && { type: 'button', class: 'plain', onclick: allow }, words.say(key)));
}
