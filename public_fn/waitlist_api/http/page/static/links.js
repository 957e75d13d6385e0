// The part of <waitlist-position> for links to places. It says that a link has been sent, asks before it opens the
// place of a link, says that a link has opened the current place, and shows the other places of this browser.

/** Draw the content of the state. The content is replaced only if it has changed, so that the focus stays. */
export function draw(place, { state, list, entry, inbox, told, sendsAgain, others }, { make, words, client }) {
  // A customer whose turn it is must not miss it because of the warning.
  const isLinked = Boolean(entry?.linked) && ['waiting', 'parked'].includes(state);
  const key = JSON.stringify([state, inbox, sendsAgain, isLinked, others.length > 0]);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  const heading = (name) => make(list ? 'h2' : 'h1', { class: 'title', tabindex: '-1' }, words.say(name));
  const text = (name, kind = '') => make('p', { class: kind }, words.say(name));
  const button = (name, action, kind) => {
    const act = () => client.view.isBusy || action();
    return make('button', { type: 'button', class: `acts ${kind}`, onclick: act }, words.say(name));
  };
  const asked = (title, yes) => [
    heading(title),
    entry && text('other.text'),
    button(yes, () => client.confirm(), 'main'),
    button('back', () => client.dismiss(), 'quiet'),
  ];
  const screens = {
    inbox: () => {
      const to = told?.email ?? told?.phone;
      const status = make('p', { class: 'told', role: 'status' });
      const send = async () => {
        status.textContent = '';
        status.textContent = words.say((await client.sendAgain()) ? 'inbox.sent' : 'inbox.failed');
      };
      return [
        heading('inbox.title'),
        to && make('p', { class: 'to', dir: 'ltr' }, to),
        text(`inbox.${inbox}`),
        sendsAgain && button('inbox.again', send, 'main'),
        button('inbox.wrong', () => client.again(), sendsAgain ? 'quiet' : 'main'),
        status,
      ];
    },
    confirm: () => asked('confirm.title', 'confirm'),
    other: () => asked('other.title', 'other.open'),
  };
  const shown = () => [
    isLinked && text('other.linked', 'linked'),
    state !== 'joining' && others.length > 0 && button('other.swap', () => client.swap(), 'quiet'),
  ];
  const parts = (screens[state] ?? shown)();
  place.replaceChildren(...parts.filter(Boolean));
  // Move the focus to the title, so that a screen reader announces what has happened or what is asked.
  place.querySelector('.title')?.focus();
}
