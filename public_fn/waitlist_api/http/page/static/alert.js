// The part of <waitlist-position> that alerts a waiting customer. The element loads it if the browser supports
// notifications.

/** Fill `place`, or update it. The customer must allow the alerts with a button. */
export function draw(place, view, { make, words, client }) {
  const { permission } = Notification;
  const key = permission === 'denied' ? 'alertDenied' : permission === 'granted' && view.alert ? 'alertOn' : 'alert';
  // Replace the content only if it has changed, so that the button keeps the focus.
  if (place.dataset.shows === key) return;
  place.dataset.shows = key;
  const allow = async () => (client.alert = (await Notification.requestPermission()) === 'granted');
  const name = key === 'alert' ? 'button' : 'p';
  place.replaceChildren(make(name, name === 'button' && { type: 'button', class: 'plain', onclick: allow }, words.say(key)));
}
