// The part of <waitlist-position> that alerts a waiting customer. The element loads it if the browser supports
// notifications.

/** Fill `place`, or update it. The customer must allow the alerts with a button. */
export function draw(place, { state, entry, alert }, { make, words, client }) {
  const { permission } = Notification;
  const ask = state === 'waiting' ? 'alert' : 'alertOpens';
  const key = permission === 'denied' ? 'alertDenied' : permission === 'granted' && alert ? 'alertOn' : ask;
  // Answering a question and ending a pause are more important than the alerts.
  const kind = entry?.confirm_by || entry?.rest_until ? 'plain' : 'main';
  // Replace the content only if it has changed, so that the button keeps the focus.
  if (place.dataset.shows !== key) {
    place.dataset.shows = key;
    const hadFocus = place.contains(place.getRootNode().activeElement);
    const allow = async () => (client.alert = (await Notification.requestPermission()) === 'granted');
    place.replaceChildren(key === ask ? make('button', { type: 'button', onclick: allow }, words.say(key)) : make('p', { tabindex: -1 }, words.say(key)));
    if (hadFocus) place.firstChild.focus();
  }
  if (key === ask) Object.assign(place.firstChild, { className: kind, part: `button ${kind}` });
}
