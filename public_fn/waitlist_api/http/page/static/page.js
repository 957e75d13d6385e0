// The page of a list: the element, and what the document around it shows.

import './waitlist-position.js';

const element = document.querySelector('waitlist-position');
const language = new URLSearchParams(location.search).get('lang');

element.addEventListener('waitlist-change', ({ detail }) => {
  document.title = detail.title || document.title;
  document.documentElement.lang = detail.language;
  document.documentElement.dir = detail.direction;
});
if (language) element.lang = language;

// A link that was sent to the customer. It leaves the address bar and the history at once, and verifies nothing before
// the customer presses the button.
function openLink() {
  const [, kind, proof] = /^#([vt])=(.+)$/.exec(location.hash) ?? [];
  if (!kind) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  element.link = kind === 'v' ? { code: proof } : { entry_id: proof.slice(0, 26), entry_token: proof.slice(27) };
}
openLink();
addEventListener('hashchange', openLink);
