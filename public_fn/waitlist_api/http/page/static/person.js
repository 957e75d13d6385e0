// The part of <waitlist-position> that shows the widget of a bot check. The element loads it if the stack has a bot
// check.

const LOAD_MS = 15_000;

const GONE_MS = 1000;

/**
 * Fill `place` once. After that, `place.token()` returns the widget's token, or '' while the widget has no token yet.
 */
export function draw(place, { list, notice }, { make, words }) {
  if (place.firstChild) return;
  const status = make('p', { class: 'trouble', role: 'status' });
  const show = (text) => (status.textContent = text);
  // Put the widget into the page's own tree, because the widgets of the providers do not work in a shadow tree.
  const box = make('div', { slot: 'person' });
  place.getRootNode().host.append(box);
  const gone = setInterval(() => {
    if (place.isConnected) return;
    box.remove();
    clearInterval(gone);
  }, GONE_MS);
  place.append(make('slot', { name: 'person' }), status);
  if (notice === 'refused') show(words.say('person.again'));
  let token = '';
  place.token = () => {
    if (token === '') show(words.say('person'));
    return token;
  };
  const made = (made) => {
    token = made ?? '';
    if (token) show('');
  };
  widget(box, list.bot_check, words.language, made).catch(() => {
    // Let the service decide, because it knows whether the provider is down.
    token = undefined;
    if (!status.textContent) show(words.say('person.lost'));
  });
}

async function widget(box, { provider, site_key: sitekey, action, script_url: url }, language, set) {
  if (!window[provider]) await load(url);
  const ended = () => set(undefined);
  const ends = { 'expired-callback': ended, 'error-callback': ended };
  window[provider].render(box, { sitekey, action, language, hl: language, callback: set, ...ends });
}

function load(url) {
  const script = Object.assign(document.createElement('script'), { src: url, async: true });
  return new Promise((resolve, reject) => {
    setTimeout(reject, LOAD_MS);
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
    document.head.append(script);
  });
}
