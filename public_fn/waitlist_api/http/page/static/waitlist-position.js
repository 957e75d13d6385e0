// <waitlist-position waitlist="bakery"> shows one customer's place in a line, with texts and buttons.
// docs/app/customer-page.md describes its attributes, properties and events.

import { ownSheet } from './colours.js';
import { isWebAddress, make, picture } from './make.js';
import { Waitlist } from './waitlist.js';
import { LANGUAGES, Words } from './words.js';

// The shortest time between two positions that screen readers announce.
const SAY_MS = 15_000;
const HURRY_SECONDS = 60;
const LONG_OFFER_MS = 3_600_000;
// Screen readers announce the remaining time of an offer, or until the opening, at these seconds.
const SAID_SECONDS = [300, 60, 10];
const FORGET_EFFECTS = { joining: 'joining', left: 'ended', exited: 'ended', over: 'ended', admitted: 'ended' };
const DAY_MS = 86_400_000;
// The length above which a description of the waitlist is shown in full only in the menu.
const SHORT_TEXT = 70;
// The states in which the customer has a place.
const PLACES = ['waiting', 'offered', 'called', 'parked', 'inside'];
// The states in which the browser has no place.
const FORMS = ['join', 'closed', 'full', 'notOpenYet'];
// The parts that a waiting customer may need, in the order on the page, and when they need them.
const WAITING_PARTS = [
  ['until', ({ list }) => list?.admits_until],
  ['asked', ({ entry }) => entry.confirm_by],
  ['told', ({ list }) => list?.told_by],
  ['rest', ({ entry, list }) => list?.rest || entry.ready === false || (entry.ready_ahead ?? Infinity) < entry.position - 1],
];

// ------------------------------------------------------------------------------- parts

/** Show a number on one line. The style sheet sizes it by its length. */
function showNumber(element, text) {
  element.textContent = text;
  element.style.setProperty('--length', text.length);
}

/** Move an element for a moment, so that the eye finds what has changed. Some people have asked for no motion. */
function move(element, from) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  element.animate([from, {}], { duration: 400, easing: 'ease-out' });
}

/** Return the beginning of a text, which has about two lines on a phone. */
function shortened(text) {
  return text.length > SHORT_TEXT ? `${text.slice(0, SHORT_TEXT).replace(/\s+\S*$/, '')}…` : text;
}

/** Return whether a screen reader should announce a position, given the position that it announced last. */
export function isWorthSaying(said, position, now) {
  const step = Math.max(1, Math.floor(said.position / 10));
  return Math.abs(position - said.position) >= step && now - said.at >= SAY_MS;
}

async function loadStyles() {
  const response = await fetch(new URL('waitlist-position.css', import.meta.url));
  if (!response.ok) throw new Error(`no styles: ${response.status}`);
  return response.text();
}

class WaitlistPosition extends HTMLElement {
  static observedAttributes = ['waitlist', 'api', 'lang', 'account', 'languages'];

  #root = this.attachShadow({ mode: 'open' });
  #panel = make('div', { class: 'panel' });
  #live = make('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  // The notice that the operators show to all customers. It stays the same element, so that screen readers announce it
  // only when its text changes.
  #news = make('p', { class: 'news', role: 'status', dir: 'auto' });
  #newsEnd;
  #client = null;
  #token = null;
  #link = null;
  #words = null;
  // The key of the state that is drawn.
  #shown = null;
  #update = () => {};
  #said = { state: null, call: null, position: 0, at: 0 };
  #answers = {};
  #read = () => ({});
  #detail = '';
  #again = '';
  #second;
  #later;
  #start = 0;

  /** The content of each state, which is shown under the name of the waitlist. */
  #screens = {
    loading: () => [make('p', { class: 'wait' }, this.#words.say('loading'))],
    missing: () => [this.#heading('missing'), this.#text('missing.text'), this.#lookAgain()],
    signedOut: () => [this.#heading('signedOut')],
    join: (view) => {
      const { list } = view;
      const [count, wait] = [make('p', { class: 'count' }), make('p', { class: 'wait' })];
      const [person, until] = [make('div'), make('div')];
      const opens = list.admits_at && this.#text('opens', { time: this.#words.time(list.admits_at, this.#client.now) });
      this.#onUpdate(({ list: now }) => {
        this.#drawPart('person', person, now.bot_check);
        count.textContent = now.total === 0 ? this.#words.say('empty') : this.#count('count', now.total);
        wait.textContent = now.estimated_wait && now.total !== 0 ? this.#estimate(now, 'waitIfJoined') : '';
        this.#drawPart('until', until, now.admits_until);
      });
      const closes = list.closes_at && this.#text('closes', { time: this.#words.time(list.closes_at, Date.now() + list.ahead) });
      return [count, wait, opens, until, closes, this.#form(view, person)];
    },

    closed: ({ list }) => {
      const opens = list.admits_at && this.#text('opens', { time: this.#words.time(list.admits_at, this.#client.now) });
      return [this.#heading('closed'), opens, this.#text('looksAgain'), this.#lookAgain()];
    },

    notOpenYet: () => {
      const clock = make('p', { class: 'number', role: 'timer', 'aria-labelledby': 'left' });
      const label = make('p', { class: 'caption', id: 'left' });
      const when = make('p', { class: 'wait' });
      const alert = make('div', { class: 'alert' });
      const tick = this.#countDown(clock, 'opensLeft', () => this.#client.untilOpening);
      this.#onUpdate(({ list }) => {
        this.#drawAlert(alert);
        clock.hidden = !tick();
        label.textContent = this.#words.say(clock.hidden ? 'opening' : 'opensIn');
        when.textContent = this.#words.say('opensAt', { time: this.#words.time(list.opens_at, Date.now() + list.ahead) });
      });
      return [this.#heading('notOpenYet'), label, clock, when, this.#text('opensHere'), alert];
    },

    full: () => [this.#heading('full'), this.#text('looksAgain'), this.#lookAgain()],
    joining: () => [this.#heading('joining'), make('div', { class: 'busy' })],

    waiting: () => {
      const number = make('p', { class: 'number' });
      const label = make('p', { class: 'caption', id: 'position' }, this.#words.say('yourPosition'));
      const bar = make('progress', { max: '1', 'aria-label': this.#words.say('progress') });
      const wait = make('p', { class: 'wait' });
      const others = make('p', { class: 'others' });
      const places = WAITING_PARTS.map(() => make('div'));
      const alert = make('div', { class: 'alert' });
      this.#onUpdate((view) => {
        const { entry, first } = view;
        WAITING_PARTS.forEach(([part, isNeeded], at) => this.#drawPart(part, places[at], isNeeded(view)));
        this.#drawAlert(alert);
        const { position, total } = entry;
        const words = this.#words;
        const text = position ? new Intl.NumberFormat(words.language).format(position) : '…';
        if (number.textContent && number.textContent !== text) move(number, { scale: 1.2 });
        showNumber(number, text);
        bar.hidden = !position;
        bar.value = progressOf(position, first);
        wait.textContent = position ? this.#estimate(entry) : '';
        wait.classList.toggle('known', Boolean(entry.estimated_wait));
        const ahead = position === 1 && entry.ready !== false ? words.say('next') : this.#count('ahead', position && position - 1);
        const behind = position && total > position ? this.#count('behind', total - position) : '';
        others.replaceChildren(...[ahead, behind].filter(Boolean).map((text) => make('span', {}, text)));
      });
      return [
        this.#heading('waiting'),
        label,
        number,
        bar,
        others,
        wait,
        ...places,
        make('p', { class: 'keep' }),
        alert,
        this.#row(),
      ];
    },

    offered: (view) => {
      const clock = make('p', { class: 'number', role: 'timer', 'aria-labelledby': 'left' });
      const label = make('p', { class: 'caption', id: 'left' }, this.#words.say('timeLeft'));
      const left = () => Date.parse(this.#client.view.entry?.offered_until) - this.#client.now;
      const tick = this.#countDown(clock, 'left', left);
      this.#onUpdate(() => {
        const seconds = tick();
        clock.classList.toggle('hurry', seconds <= HURRY_SECONDS);
        if (!seconds) setTimeout(() => this.#draw());
      });
      const client = this.#client;
      const { to = 'back', at_most: n } = client.view.list?.decline ?? {};
      // Before the first decline of the stay, the browser does not know the number of declines that are left.
      const { declines_left: more } = view.entry;
      const question = to === 'place' && more !== 0 ? 'pass' : 'back';
      const effect = question === 'pass' && more ? 'keeps' : 'effect';
      const back = to !== 'leave' && this.#button('back', () => this.#ask(question, () => client.decline(), effect, [], { n }));
      return [
        this.#heading('offered'),
        label,
        clock,
        // If the offer is long, a date says more than a countdown.
        left() > LONG_OFFER_MS && this.#text('enterBy', { time: this.#words.time(view.entry.offered_until, client.now) }),
        this.#button('enter', () => this.#enter(), 'main'),
        this.#row(back),
      ];
    },

    late: () => [this.#heading('late'), this.#text('notice.missed'), this.#text('looksAgain')],
    called: ({ entry }) => {
      const key = entry.call ? 'comeTo' : 'called';
      return [this.#heading(key, entry.call), this.#text(`${key}.text`), this.#row()];
    },
    parked: () => [this.#heading('parked'), this.#text('parked.text'), this.#row()],
    inside: ({ entry }) => {
      const until = this.#words.time(entry.admission.inside_until, this.#client.now);
      const exit = () => this.#ask('exit', () => this.#client.exit());
      return [
        this.#heading('inside'),
        this.#text('inside.text', { time: until }),
        this.#url && this.#button('go', () => this.#enter(), 'main'),
        this.#row(this.#button('exit', exit, this.#url ? 'plain' : 'main')),
      ];
    },

    admitted: () => [this.#heading('admitted'), this.#url && this.#button('go', () => this.#goTo(), 'main')],
    over: () => [this.#heading('over'), this.#joinAgain()],
    exited: () => [this.#heading('exited'), this.#text('exited.text'), this.#joinAgain()],
    left: () => [this.#heading('left'), this.#joinAgain()],
  };

  connectedCallback() {
    for (const name of ['token', 'link']) {
      if (!Object.hasOwn(this, name)) continue;
      // The property was set before this class was defined.
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#restart();
  }

  disconnectedCallback() {
    this.#start++;
    this.#client?.stop();
    clearInterval(this.#second);
    clearTimeout(this.#newsEnd);
  }

  attributeChangedCallback(_name, before, after) {
    if (this.isConnected && before !== after && this.#start) this.#restart();
  }

  /** The JWT of a customer with an account, or a function that returns the JWT or a promise of it. */
  set token(value) {
    this.#token = value;
    if (this.isConnected) this.#restart();
  }

  get token() {
    return this.#token;
  }

  /** The content of a link to the page, which is `{ code }` or `{ entry_id, entry_token }`. */
  set link(value) {
    this.#link = value;
    if (this.#client) this.#open();
  }

  /** What is shown at this moment. See the `waitlist-change` event. */
  get view() {
    return this.#client?.view;
  }

  /** Remove everything that this browser stores about the customer of this waitlist. The customer keeps their place. */
  forget() {
    this.#client?.forget();
  }

  #open() {
    const link = this.#link;
    this.#link = null;
    if (link && !this.#isAccount) this.#client.open(link);
  }

  async #restart() {
    const start = ++this.#start;
    this.#client?.stop();
    clearInterval(this.#second);
    this.#shown = null;
    const wanted = [this.lang, ...navigator.languages].filter(Boolean);
    const language = Words.choose(wanted);
    const [words, css] = await Promise.all([Words.load(language), loadStyles()]).catch(() => []);
    if (start !== this.#start) return;
    if (!words) {
      this.#second = setTimeout(() => this.#restart(), 5000);
      return;
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    this.#words = words;
    this.#root.adoptedStyleSheets = [sheet, ownSheet()];
    // Do not insert the panel again, because the choice of languages would lose the focus.
    if (this.#panel.parentNode) this.#root.querySelector('dialog')?.close();
    else this.#root.append(this.#panel, this.#live);
    for (const part of [this.#panel, this.#live]) Object.assign(part, { lang: words.language, dir: words.direction });
    // After a change of the language, the sentence that was announced last is in the former language.
    this.#speak('');
    const token = this.#token;
    const isAccount = token != null || this.hasAttribute('account');
    this.#client = new Waitlist({
      api: this.getAttribute('api') || new URL('../..', import.meta.url),
      waitlist: this.getAttribute('waitlist') ?? '',
      token: isAccount ? async () => (typeof token === 'function' ? token() : token) : null,
      language,
    });
    this.#client.addEventListener('change', () => this.#draw());
    this.#client.addEventListener('forget', () => (this.#answers = {}));
    this.#draw();
    this.#open();
    this.#client.start();
  }

  // -------------------------------------------------------------------------- drawing

  /** Draw a new state. Within a state, change only what differs, so that the focus stays. */
  #draw() {
    const view = this.#client.view;
    this.#words.own = view.list?.page?.texts[this.#words.language] ?? {};
    const key = JSON.stringify([view.state, view.entry?.call, view.list?.name, view.list?.page, view.list?.identity, this.#words.language]);
    if (key !== this.#shown) {
      const hadState = this.#panel.dataset.state;
      const hadLanguage = this.#root.activeElement?.classList.contains('language');
      const hadFocus = this.#shown !== null && this.#root.activeElement !== null;
      // A dialog of the former state is outdated. If the same state is drawn again, the dialog stays open.
      if (hadState !== view.state) this.#root.querySelector('dialog')?.close();
      this.#shown = key;
      this.#read();
      this.#read = () => ({});
      clearInterval(this.#second);
      this.#root.adoptedStyleSheets = [this.#root.adoptedStyleSheets[0], ownSheet(view.list?.page ?? {})];
      this.#update = () => {};
      // The part for links draws the states that have no screen here.
      const body = this.#screens[view.state]?.(view).filter(Boolean) ?? [];
      this.#notice = make('p', { class: 'notice' });
      this.#trouble = make('p', { class: 'trouble', role: 'status' });
      this.#links = make('div');
      this.#number = make('div');
      const ends = PLACES.includes(view.state) ? [] : this.#seldom(view);
      this.#panel.replaceChildren(...this.#head(view), this.#news, this.#notice, this.#links, this.#number, ...body, ...ends, this.#trouble, ...this.#foot(view));
      if (hadState && hadState !== view.state) move(this.#panel, { translate: '0 1rem' });
      this.#panel.dataset.state = view.state;
      this.#panel.classList.toggle('place', PLACES.includes(view.state));
      const heading = this.#root.querySelector('.title') ?? this.#root.querySelector('h1');
      if (hadLanguage) this.#root.querySelector('.language').focus();
      else if (hadFocus && !this.#root.querySelector('dialog[open]')) heading?.focus();
    }
    this.#showNews(view);
    this.#showMessages(view);
    this.#drawPart('links', this.#links, !this.#screens[view.state] || view.entry?.linked || view.others[0]);
    this.#drawPart('number', this.#number, PLACES.includes(view.state) && view.entry?.call_number);
    this.#update(view);
    this.#announce(view);
    const title = this.#title(view);
    const { state, entry } = view;
    const detail = { state, position: entry?.position ?? null, title, language: this.#words.language, direction: this.#words.direction };
    const text = JSON.stringify(detail);
    if (text === this.#detail) return;
    this.#detail = text;
    this.dispatchEvent(new CustomEvent('waitlist-change', { detail, bubbles: true, composed: true }));
  }

  #notice;
  #trouble;
  #links;
  #number;

  #head({ state, list }) {
    if (!list) return [];
    const { logo_url: logo, header_url: header } = list.page ?? {};
    const { name = list.name } = this.#words.own;
    // While somebody has a place, the place comes first. The menu has the whole text.
    const text = PLACES.includes(state) ? shortened(this.#about) : this.#about;
    return [
      picture('header', header),
      make('div', { class: 'head' }, picture('logo', logo), make('h1', { dir: 'auto', tabindex: '-1' }, name)),
      text && make('p', { class: 'text', dir: 'auto' }, text),
    ].filter(Boolean);
  }

  /** Return the links that the operator must show, and the choice of languages if the page asks for it. */
  #foot({ list }) {
    const words = this.#words;
    const { privacy_url: privacy, imprint_url: imprint } = list?.page ?? {};
    const link = (key, href) => isWebAddress(href) && make('a', { href, target: '_blank', rel: 'noopener noreferrer' }, words.say(key));
    const option = ([value, name]) => make('option', { value, lang: value, selected: value === words.language }, name);
    const choose = (event) => (this.lang = event.target.value);
    const languages = this.hasAttribute('languages') && make('select', { class: 'language', 'aria-label': words.say('language'), onchange: choose }, Object.entries(LANGUAGES).map(option));
    const children = [languages, link('privacy', privacy), link('imprint', imprint)].filter(Boolean);
    return children.length ? [make('div', { class: 'foot' }, children)] : [];
  }

  /** The description of the waitlist. */
  get #about() {
    return this.#words.own.text ?? this.#client.view.list?.page?.text ?? '';
  }

  /** Show the notice of the waitlist until its time is over. */
  #showNews({ list }) {
    const { text = '', until } = list?.notice ?? {};
    const left = until ? Date.parse(until) - list.ahead - Date.now() : Infinity;
    const shown = left > 0 ? this.#words.of(text) : '';
    if (this.#news.textContent !== shown) this.#news.textContent = shown;
    clearTimeout(this.#newsEnd);
    if (shown && until) this.#newsEnd = setTimeout(() => this.#draw(), Math.min(left, DAY_MS));
  }

  #showMessages({ notice, trouble, isBusy, state, isKept, list, told }) {
    const words = this.#words;
    const isPaused = list?.line === 'paused' && state === 'join';
    this.#notice.textContent = notice ? words.say(`notice.${notice}`) : isPaused ? words.say('paused') : '';
    const tries = words.say(PLACES.includes(state) ? 'triesKept' : 'tries');
    this.#trouble.textContent = trouble ? `${words.say(`trouble.${trouble.kind}`)} ${tries}` : '';
    this.#panel.setAttribute('aria-busy', isBusy);
    for (const button of this.#panel.querySelectorAll('button.acts')) button.setAttribute('aria-disabled', isBusy);
    const keep = this.#panel.querySelector('.keep');
    const isTold = list?.told_by?.some((name) => told?.[name]) && !told.off;
    const kept = list?.presence ? 'keepPresent' : isTold ? 'keepTold' : 'keep';
    if (keep) keep.textContent = words.say(isKept || this.#isAccount ? kept : 'keepOpen');
  }

  get #isAccount() {
    return this.#token != null || this.hasAttribute('account');
  }

  #title({ state, entry, list }) {
    const words = this.#words;
    const name = words.own.name ?? list?.name ?? '';
    if (state === 'waiting' && entry.position) return words.say('titlePosition', { n: entry.position, name });
    const title = this.#titled(state, entry);
    return title && name ? words.say('titleState', { state: title, name }) : name || title;
  }

  #announce({ state, entry, notice }) {
    const position = entry?.position ?? 0;
    const call = entry?.call?.called_at ?? null;
    const isNew = state !== this.#said.state || call !== this.#said.call;
    const now = Date.now();
    if (!isNew && !(position && isWorthSaying(this.#said, position, now))) return;
    const before = this.#said.state;
    const wasShown = before !== null && before !== 'loading';
    this.#said = { state, call, position, at: now };
    const isOpen = before === 'notOpenYet' && state === 'join';
    if (isOpen) this.#alert(this.#words.say('opened'));
    const text = isNew && (notice ? `notice.${notice}` : isOpen && 'opened');
    const title = position ? this.#words.say('position', { n: position }) : this.#titled(state, entry);
    if (wasShown || position) this.#speak([text && this.#words.say(text), title].filter(Boolean).join(' '));
    if (isNew && wasShown && (state === 'offered' || call)) this.#alert(this.#titled(call ? state : 'offered', entry));
  }

  /** Return the title of a state. The title of a call says where to come. */
  #titled(state, entry) {
    return state === 'called' && entry.call ? this.#words.say('comeTo.title', entry.call) : this.#words.titled(state);
  }

  #speak(text) {
    this.#live.textContent = text;
  }

  #alert(title) {
    const { alert, list } = this.#client.view;
    if (!alert) return;
    navigator.vibrate?.([200, 100, 200]);
    try {
      const options = { body: list?.name ?? '', tag: `waitlist-${this.getAttribute('waitlist')}` };
      new Notification(title, options).onclick = () => window.focus();
    } catch {
      // Android only allows notifications from a service worker. The device has vibrated, and the page title shows
      // the state.
    }
  }

  // -------------------------------------------------------------------------- parts of states

  #heading(state, values) {
    const level = this.#client.view.list ? 'h2' : 'h1';
    return make(level, { class: 'title', tabindex: '-1' }, this.#words.say(`${state}.title`, values));
  }

  #text(key, values) {
    return make('p', {}, this.#words.say(key, values));
  }

  #button(key, action, kind = 'plain') {
    const act = () => !this.#client.view.isBusy && action();
    return make('button', { type: 'button', class: `acts ${kind}`, onclick: act }, this.#words.say(key));
  }

  #onUpdate(update) {
    this.#update = update;
    return [];
  }

  /**
   * Update every second. Returns a function that shows the remaining time, announces it a few times, and returns the
   * seconds.
   */
  #countDown(clock, key, left) {
    let before = Infinity;
    const tick = () => {
      const seconds = Math.max(0, Math.ceil(left() / 1000)) || 0;
      showNumber(clock, this.#words.clock(seconds));
      const passed = SAID_SECONDS.find((limit) => before > limit && seconds <= limit && before !== Infinity);
      if (passed && seconds) this.#speak(this.#words.say(key, { time: this.#words.duration(seconds) }));
      before = seconds;
      return seconds;
    };
    this.#second = setInterval(() => this.#update(this.#client.view), 1000);
    return tick;
  }

  #count(key, n) {
    return n == null ? '' : this.#words.say(key, { n });
  }

  #estimate({ estimated_wait: wait, estimate_unavailable: why }, key = 'wait') {
    if (wait) return this.#words.say(key, { wait: this.#words.wait(wait) });
    return why === 'paused' ? this.#words.say('paused') : '';
  }

  /** Ask for confirmation before an action. `fields` are inputs for the action. */
  #ask(key, yes, effect = 'effect', fields = [], values = {}) {
    const close = (event) => event.target.closest('dialog').close();
    const accept = async () => {
      // If the checks cannot be loaded, the service checks the input.
      const { isFilled, kit } = fields.length ? await this.#load('form').catch(() => ({})) : {};
      if (!dialog.open || (isFilled && !isFilled(dialog, kit))) return;
      dialog.close();
      yes();
    };
    const dialog = make(
      'dialog',
      { 'aria-labelledby': 'question', lang: this.#words.language, dir: this.#words.direction, onclose: (event) => event.target.remove() },
      make('h2', { id: 'question' }, this.#words.say(`${key}.ask`)),
      make('p', {}, this.#words.say(`${key}.${effect}`, values)),
      fields,
      make(
        'div',
        { class: 'buttons' },
        make('button', { type: 'button', class: 'plain', onclick: close }, this.#words.say(yes ? 'no' : 'close')),
        yes && make('button', { type: 'button', class: 'main', onclick: accept }, this.#words.say(`${key}.yes`)),
      ),
    );
    if (this.#root.querySelector('dialog[open]')) return;
    this.#root.append(dialog);
    dialog.showModal();
  }

  #lookAgain() {
    return this.#button('look', () => this.#client.look(), 'main');
  }

  #joinAgain() {
    return this.#button('again', () => this.#client.again(), 'main');
  }

  #drawAlert(place) {
    this.#drawPart('alert', place, 'Notification' in window && window.isSecureContext);
  }

  /**
   * Return the last row of a state with a place: the given buttons, then a menu with what customers seldom need, and
   * at the end the button to leave. A customer who has entered cannot leave the line.
   */
  #row(...buttons) {
    const text = this.#about;
    const about = text !== shortened(text) && make('p', { class: 'about', dir: 'auto' }, text);
    const menu = make('div', { class: 'menu', id: 'menu', hidden: true }, about, this.#seldom(this.#client.view));
    const show = (isShown) => {
      menu.hidden = !isShown;
      more.setAttribute('aria-expanded', isShown);
    };
    const properties = { type: 'button', class: 'quiet', 'aria-expanded': 'false', 'aria-controls': 'menu' };
    const more = make('button', { ...properties, onclick: () => show(menu.hidden) }, this.#words.say('more'));
    const close = ({ key }) => {
      if (key !== 'Escape' || menu.hidden) return;
      show(false);
      more.focus();
    };
    const leave = this.#client.view.state !== 'inside' && this.#button('leave', () => this.#ask('leave', () => this.#client.leave()), 'quiet');
    return make('div', { class: 'row', onkeydown: close }, buttons, menu.firstChild && [more, menu], leave);
  }

  /** Draw a part that only few waitlists need. The part and its texts are loaded only if `isKnown` is true. */
  async #drawPart(part, place, isKnown) {
    if (!isKnown && !place.firstChild) return;
    const client = this.#client;
    try {
      const { draw, kit } = await this.#load(part);
      if (place.isConnected) draw(place, client.view, kit);
    } catch {
      // The next update may already draw the part.
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.#draw(), 5000);
    }
  }

  /** Return a part with its texts, and the helpers with which it draws. */
  async #load(part) {
    const [words, client] = [this.#words, this.#client];
    try {
      const [own] = await Promise.all([import(`./${part}.js${this.#again}`), words.add(part)]);
      const ask = (key, yes, ...fields) => this.#ask(key, yes, 'effect', fields);
      const row = this.#panel.querySelector('.row');
      return { ...own, kit: { make, words, client, ask, open: (...what) => this.#openPart(...what), row, isAccount: this.#isAccount } };
    } catch (error) {
      // A browser remembers by its URL that a module failed to load, so try again with another URL.
      this.#again = `?${Date.now()}`;
      throw error;
    }
  }

  /**
   * Return the buttons that customers seldom need. They change the answers, open the place on another device, ask for
   * the link to it, or make a shared device forget the customer, which also aborts all pending actions.
   */
  #seldom({ state, entry, list }) {
    const hasPlace = PLACES.includes(state);
    const button = (key, part) => this.#button(key, () => this.#openPart(key, part), 'quiet');
    const isAsked = ({ type, kept_in: keptIn }) => type !== 'hidden' && keptIn === 'profile';
    const hasDetails = list?.messages || (list?.identity && !this.#isAccount) || list?.page?.fields.some(isAsked);
    const details = hasPlace && hasDetails && button('details', 'details');
    if (this.#isAccount) return [details].filter(Boolean);
    const forget = () => this.#ask('forget', () => this.#client.forget(), FORGET_EFFECTS[state] ?? 'effect');
    return [
      details,
      hasPlace && button('toDevice', 'devices'),
      list?.identity && FORMS.includes(state) && button('askLink', 'devices'),
      (entry || state === 'joining') && make('button', { type: 'button', class: 'quiet', onclick: forget }, this.#words.say('forget')),
    ].filter(Boolean);
  }

  /** Load a part, and open its dialog. */
  #openPart(key, part) {
    return this.#load(part).then(
      (loaded) => loaded[key](loaded.kit),
      () => (this.#trouble.textContent = this.#words.say('trouble.network')),
    );
  }

  async #enter() {
    const admission = await this.#client.enter();
    // A waitlist without an admission policy issues no pass. With a policy, there is no pass after its end.
    if (admission && (admission.pass || !admission.inside_until)) this.#goTo(admission.pass, admission.inside_until);
  }

  get #url() {
    return this.#client.view.list?.page?.enter_url ?? null;
  }

  /** Go to the place that the customer has waited for, with the pass if there is one. */
  #goTo(pass = null, insideUntil = null) {
    const url = this.#url;
    const init = { detail: { pass, insideUntil, url }, bubbles: true, composed: true, cancelable: true };
    const goes = this.dispatchEvent(new CustomEvent('waitlist-enter', init));
    if (goes && isWebAddress(url)) location.assign(pass ? `${url}#pass=${pass}` : url);
  }

  /** Return the signup form. The questions are a separate part. Without questions, the form is only a button. */
  #form({ list, wrong }, person) {
    const isLong = Boolean(list.page?.fields.length || (list.identity && !this.#isAccount));
    const place = make('div');
    let isReady = () => true;
    const submit = (event) => {
      event.preventDefault();
      if (!isReady()) return;
      // The token of the bot check's widget, or undefined if there is no check or it could not be loaded.
      const bot_token = person.token?.();
      if (bot_token !== '') this.#client.join({ ...this.#read(), bot_token });
    };
    const form = make('form', { novalidate: true, onsubmit: submit, hidden: isLong }, place, person, make('button', { class: 'acts main' }, this.#words.say('join')));
    const load = async () => {
      try {
        const { build, isFilled, markWrong, kit } = await this.#load('form');
        // In the meantime, the form may have been drawn again in another language.
        if (!this.#panel.contains(form)) return;
        isReady = () => isFilled(place, kit);
        this.#read = build(place, list, { ...kit, answers: this.#answers });
        form.hidden = false;
        if (!this.#root.activeElement?.classList.contains('language')) markWrong(place, wrong, kit);
      } catch {
        setTimeout(() => this.#panel.contains(form) && load(), 5000);
      }
    };
    if (isLong) load();
    return form;
  }
}

/** Return how far the customer has come since the first position, from 0 to 1. */
export function progressOf(position, first) {
  if (!position || !first || first <= 1) return position === 1 ? 1 : 0;
  return Math.min(1, Math.max(0, (first - position) / (first - 1)));
}

customElements.define('waitlist-position', WaitlistPosition);
