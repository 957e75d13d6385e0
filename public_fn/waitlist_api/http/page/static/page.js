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
