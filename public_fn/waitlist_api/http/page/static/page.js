// The page of a waitlist, which has the element and sets the title and language of the document around it.

import './waitlist-position.js';

const element = document.querySelector('waitlist-position');
const language = new URLSearchParams(location.search).get('lang');

element.addEventListener('waitlist-change', ({ detail }) => {
  document.title = detail.title || document.title;
  document.documentElement.lang = detail.language;
  document.documentElement.dir = detail.direction;
});
if (language) element.lang = language;

// If the customer chooses another language, a reload keeps it.
element.addEventListener('waitlist-change', () => {
  const url = new URL(location.href);
  if (!element.lang || url.searchParams.get('lang') === element.lang) return;
  url.searchParams.set('lang', element.lang);
  history.replaceState(history.state, '', url);
});

// Open the link that was sent to the customer. The link is removed from the address bar and the history at once.
// Nothing is verified before the customer presses the button.
function openLink() {
  const [, kind, proof] = /^#([vt])=(.+)$/.exec(location.hash) ?? [];
  if (!kind) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  element.link = kind === 'v' ? { code: proof } : { entry_id: proof.slice(0, 26), entry_token: proof.slice(27) };
}
openLink();
addEventListener('hashchange', openLink);
