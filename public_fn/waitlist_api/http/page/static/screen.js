// <waitlist-screen waitlist="bakery"> shows on a public screen which call numbers are called now and where, the next
// numbers, the wait, and a QR code to join. It never shows numbers that may be old. With the attribute `account`, it
// shows no QR code, because people who have accounts cannot join on the page of the code.

import { ownSheet } from './colours.js';
import { drawn } from './devices.js';
import { generate } from './lean-qr.js';
import { make, picture } from './make.js';
import { loadSheets } from './sheets.js';
import { sinceText } from './since.js';
import { Api, DISPLAY_READ_MS, pauseAfter, pollAfter, Problem } from './waitlist.js';
import { Words } from './words.js';

const POLL_SECONDS = 4;
// The waitlist itself changes seldom, so only each fourth poll reads it too.
const LIST_POLLS = 4;
const AGAIN_MS = 5_000;
// A waitlist has few screens. During an outage, the random part of their pauses is at most 4 seconds. If the waitlist
// does not exist, the pauses become longer.
const LAST_ATTEMPT = 2;
// The age above which the screen hides its numbers.
const STALE_MS = 20_000;
const CLOSED = { closed: 'closed', full: 'full', not_open_yet: 'notOpenYet' };

class WaitlistScreen extends HTMLElement {
  #root = this.attachShadow({ mode: 'open' });
  #live = make('p', { class: 'unseen', role: 'status' });
  #trouble = make('p', { class: 'trouble', role: 'status' });
  #news = make('p', { class: 'news', dir: 'auto' });
  #head = make('div', { class: 'head top' });
  #called = make('section', { class: 'called' });
  #next = make('section', { class: 'next' });
  #wait = make('p', { class: 'wait' });
  #code = make('div', { class: 'join' });
  #side = make('aside', { class: 'side' }, this.#next, this.#wait, this.#code);
  #panel = make('div', { class: 'panel' }, this.#head, this.#called, this.#side, make('div', { class: 'bottom' }, this.#news, this.#trouble));
  #words;
  #api;
  #sheets = [];
  #list = null;
  #screen = null;
  // The time of the numbers by this device's clock, which may differ from the service's clock.
  #currentAt = null;
  #problem = null;
  #polls = 0;
  #attempt = 0;
  #timer;
  // What each part of the page shows, so that a part is drawn again only when it changes.
  #shown = new Map();
  // The calls that people have already seen, or null before the first answer.
  #seen = null;

  async connectedCallback() {
    this.#api = new Api(new URL('../..', import.meta.url), this.getAttribute('waitlist'));
    this.#api.readMs = DISPLAY_READ_MS;
    await this.#start();
    this.#root.append(this.#panel, this.#live);
    setInterval(() => this.#draw(), 1000);
    this.#draw();
    addEventListener('online', () => this.#problem && this.#lookIn(0));
    this.#look();
  }

  async #start() {
    const language = Words.choose([new URLSearchParams(location.search).get('lang'), ...navigator.languages].filter(Boolean));
    for (;;) {
      try {
        [this.#sheets, this.#words] = await Promise.all([loadSheets(['waitlist-position.css', 'screen.css']), Words.load(language)]);
        return await this.#words.add('screen');
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  /** Read the numbers again and again. A page that nobody can see does not ask the service. */
  async #look() {
    if (document.hidden) {
      document.addEventListener('visibilitychange', () => (this.#draw(), this.#look()), { once: true });
      return;
    }
    let pause = pollAfter(POLL_SECONDS);
    try {
      const isListDue = this.#polls % LIST_POLLS === 0;
      const [screen, list] = await Promise.all([this.#api.screen(), isListDue ? this.#api.list() : this.#list]);
      // If a cache answers the same numbers again, they are as old as before.
      if (screen.as_of !== this.#screen?.as_of) this.#currentAt = Date.now() - screen.age * 1000;
      this.#polls += 1;
      [this.#screen, this.#list, this.#problem, this.#attempt] = [screen, list, null, 0];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      [this.#problem, this.#polls] = [error, 0];
      pause = pauseAfter(error, error.passes ? Math.min(this.#attempt++, LAST_ATTEMPT) : this.#attempt++);
    }
    this.#draw();
    this.#lookIn(pause);
  }

  #lookIn(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), pause);
  }

  // ------------------------------------------------------------------------ drawing

  get #state() {
    if (this.#problem?.code === 'waitlist_not_found') return 'missing';
    if (!this.#screen) return 'loading';
    if (Date.now() - this.#currentAt > STALE_MS) return 'stale';
    return this.#screen.numbers ? 'numbers' : 'off';
  }

  #draw() {
    const state = this.#state;
    const words = this.#words;
    const list = state === 'missing' ? null : this.#list;
    words.own = list?.page?.texts[words.language] ?? {};
    this.#panel.dataset.state = state;
    this.#part('page', [list?.page, list?.name], () => this.#drawPage(list));
    this.#part('called', [state, state === 'stale' && this.#sinceText(), state === 'numbers' && this.#screen.called], () => this.#drawCalled(state));
    const next = state === 'numbers' ? this.#screen.next : [];
    this.#part('next', next, () => this.#drawNext(next));
    this.#part('code', [list?.line, state], () => this.#drawCode(list));
    this.#say(this.#wait, ['numbers', 'off'].includes(state) ? this.#waitText(list) : '');
    this.#say(this.#news, words.notice(list));
    this.#say(this.#trouble, state === 'loading' && this.#problem ? `${words.say(`trouble.${this.#problem.kind}`)} ${words.say('tries')}` : '');
    if (state === 'numbers') this.#announce();
  }

  /** Draw a part of the page if its content has changed. */
  #part(name, content, draw) {
    const key = JSON.stringify(content);
    if (this.#shown.get(name) === key) return;
    this.#shown.set(name, key);
    draw();
  }

  #say(place, text) {
    if (place.textContent !== text) place.textContent = text;
  }

  #drawPage(list) {
    const words = this.#words;
    const name = words.own.name ?? list?.name ?? '';
    document.documentElement.lang = this.#panel.lang = words.language;
    document.documentElement.dir = this.#panel.dir = words.direction;
    document.title = name || document.title || words.say('missing.title');
    this.#root.adoptedStyleSheets = [...this.#sheets, ownSheet(list?.page ?? {})];
    this.#head.replaceChildren(...[picture('logo', list?.page?.logo_url), name && make('h1', { dir: 'auto' }, name)].filter(Boolean));
  }

  #drawCalled(state) {
    const words = this.#words;
    const text = (key) => make('p', {}, words.say(key));
    const large = (kind, ...content) => make(this.#list ? 'h2' : 'h1', { class: kind }, ...content);
    const parts = {
      loading: () => [text('loading')],
      missing: () => [large('off', words.say('missing.title')), text('missing.text')],
      stale: () => [large('stale', words.say('screen.stale', { time: this.#sinceText() })), text('screen.stale.text')],
      off: () => [large('off', words.say('screen.off')), text('screen.off.text')],
      numbers: () => {
        const { called } = this.#screen;
        const item = (call) =>
          make('li', { class: this.#isNew(call) && 'new' }, make('p', { class: 'number', dir: 'ltr' }, call.number), make('p', { class: 'to', dir: 'auto' }, call.to));
        return [make('h2', {}, words.say('screen.called')), called.length ? make('ol', {}, called.map(item)) : text('screen.none')];
      },
    };
    this.#called.replaceChildren(...parts[state]());
  }

  #drawNext(numbers) {
    const item = (number) => make('li', {}, make('bdi', {}, number));
    this.#next.replaceChildren(...(numbers.length ? [make('h2', {}, this.#words.say('screen.next')), make('ol', {}, numbers.map(item))] : []));
  }

  /** Draw the QR code of the customer's page, or why nobody can join. */
  #drawCode(list) {
    const words = this.#words;
    const closed = CLOSED[list?.line];
    const code = () => [drawn(generate(this.#api.pageUrl), words.say('screen.code')), make('p', {}, words.say('screen.join'))];
    const isHidden = !list || (!closed && this.hasAttribute('account'));
    this.#code.replaceChildren(...(isHidden ? [] : closed ? [make('p', {}, words.say(`${closed}.title`))] : code()));
  }

  // ------------------------------------------------------------------------ texts

  #isNew(call) {
    return this.#seen !== null && !this.#seen.has(keyOf(call));
  }

  /** Let screen readers say the new calls once. */
  #announce() {
    const { called } = this.#screen;
    const added = called.filter((call) => this.#isNew(call));
    if (added.length) this.#live.textContent = added.map(({ number, to }) => `${number}: ${to}`).join('. ');
    this.#seen = new Set(called.map(keyOf));
  }

  #waitText({ line, total, estimated_wait: wait }) {
    const words = this.#words;
    if (line === 'paused') return words.say('paused');
    const count = total === 0 ? words.say('empty') : total == null ? '' : words.say('count', { n: total });
    return [count, wait && total !== 0 && words.say('waitIfJoined', { wait: words.wait(wait) })].filter(Boolean).join(' ');
  }

  #sinceText() {
    return sinceText(this.#words, this.#currentAt);
  }
}

const keyOf = ({ number, called_at: at }) => `${number} ${at}`;

customElements.define('waitlist-screen', WaitlistScreen);
