// <waitlist-kiosk waitlist="bakery"> lets people join a line on a shared tablet. It shows each person the number and a
// QR code for the phone, and then an empty form for the next person. It stores nothing in the browser.

import { ownSheet } from './colours.js';
import { drawn } from './devices.js';
import { build, isFilled, markWrong } from './form.js';
import { generate } from './lean-qr.js';
import { isWebAddress, make, picture } from './make.js';
import { loadSheets } from './sheets.js';
import { sinceText } from './since.js';
import { Api, DISPLAY_READ_MS, Problem, uuid } from './waitlist.js';
import { LANGUAGES, Words } from './words.js';

// How long the caches between the kiosk and the service keep the waitlist.
const LIST_MS = 5_000;
const AGAIN_MS = 5_000;
// How long the page shows what a person has got, and how much longer if the person asks for more time.
const SHOWN_MS = 30_000;
// How long a form without input keeps its answers, and when the page begins to say so.
const IDLE_MS = 60_000;
const WARNING_MS = 15_000;
// The errors after which a person can try again at once.
const SHUT = { waitlist_closed: 'closed', waitlist_full: 'full', not_open_yet: 'not_open_yet' };
const CLOSED = { closed: 'closed', full: 'full', not_open_yet: 'notOpenYet' };

class WaitlistKiosk extends HTMLElement {
  #root = this.attachShadow({ mode: 'open' });
  #panel = make('div', { class: 'panel' });
  #live = make('p', { class: 'unseen', role: 'status' });
  #trouble = make('p', { class: 'trouble', role: 'status' });
  #clock = make('p', { class: 'clock', role: 'timer' });
  #place = make('div');
  #person = make('div');
  #words;
  #first;
  // The language that was chosen last. Its texts may still be loading.
  #wanted;
  #api;
  #sheets = [];
  #list = null;
  // When the list was current, by this device's clock.
  #currentAt = null;
  #isMissing = false;
  #shown = '';
  // Each person has another turn. An answer that arrives in a later turn is dropped.
  #turn = {};
  #state = 'form';
  #isTouched = false;
  #ends = null;
  #next;
  #read = () => ({});

  async connectedCallback() {
    this.#api = new Api(new URL('../..', import.meta.url), this.getAttribute('waitlist'));
    this.#api.readMs = DISPLAY_READ_MS;
    const wanted = [new URLSearchParams(location.search).get('lang'), ...navigator.languages].filter(Boolean);
    this.#first = Words.choose(wanted);
    await this.#start();
    this.#root.append(this.#panel, this.#live);
    for (const name of ['input', 'keydown', 'pointerdown']) this.#root.addEventListener(name, (event) => this.#touch(event));
    // The browser may keep the page as it is while it shows another page.
    addEventListener('pagehide', () => this.#reset());
    addEventListener('pageshow', ({ persisted }) => persisted && this.#reset());
    setInterval(() => this.#tick(), 1000);
    addEventListener('online', () => this.#lookIn(0));
    this.#reset({ focuses: false });
    this.#look();
  }

  async #start() {
    const sheets = ['waitlist-position.css', 'kiosk.css'];
    for (;;) {
      try {
        [this.#sheets] = await Promise.all([loadSheets(sheets), this.#speak(this.#first)]);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  /** Use the texts of a language. */
  async #speak(language) {
    this.#wanted = language;
    const words = await Words.load(language);
    await Promise.all([words.add('form'), words.add('kiosk')]);
    // In the meantime, somebody may have chosen another language, or the turn may have ended.
    if (language !== this.#wanted) return;
    this.#words = words;
    this.#api.language = language;
  }

  // ------------------------------------------------------------------------ the list

  /** Ask again whether people can join. While somebody is at the form, the form stays as it is. */
  async #look() {
    let next = LIST_MS;
    if (this.#state === 'form' && !this.#isTouched) {
      try {
        this.#list = await this.#api.list();
        this.#currentAt = Date.now() - this.#list.age * 1000;
        this.#isMissing = false;
        this.#say('');
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        this.#isMissing = error.code === 'waitlist_not_found';
        if (!this.#isMissing) this.#say(`trouble.${error.kind}`, this.#currentAt && 'kiosk.stale', 'tries');
        next = AGAIN_MS;
      }
      if (this.#state === 'form' && !this.#isTouched) this.#draw();
    }
    this.#lookIn(next);
  }

  #lookIn(pause) {
    clearTimeout(this.#next);
    this.#next = setTimeout(() => this.#look(), pause);
  }

  #say(...keys) {
    const time = this.#currentAt && sinceText(this.#words, this.#currentAt);
    this.#trouble.textContent = keys.filter(Boolean).map((key) => this.#words.say(key, { time })).join(' ');
  }

  // ------------------------------------------------------------------------ a turn

  /** Forget the person, and show an empty form for the next person. */
  #reset({ focuses = true } = {}) {
    const isSame = this.#wanted === this.#first && this.#words.language === (this.#first || 'en');
    // One more person waits now.
    if (this.#state === 'joined') this.#lookIn(0);
    this.#turn = { answers: {}, customer: `kiosk-${uuid()}` };
    this.#state = 'form';
    this.#isTouched = false;
    this.#ends = null;
    this.#shown = '';
    this.#say('');
    this.#live.textContent = '';
    this.#draw();
    if (focuses) this.#panel.querySelector('h1')?.focus();
    const turn = this.#turn;
    if (!isSame) this.#speak(this.#first).then(() => turn === this.#turn && this.#draw(), () => {});
  }

  #touch({ type }) {
    if (this.#state !== 'form' || (type !== 'input' && this.#ends === null)) return;
    // Without a form, people can only choose the language.
    const again = this.#panel.querySelector('.again');
    if (again) [this.#isTouched, again.hidden] = [true, false];
    this.#end(IDLE_MS);
  }

  #end(after) {
    this.#ends = Date.now() + after;
    this.#tick();
  }

  /** Show when the page will be cleared, and clear it then. */
  #tick() {
    const left = this.#ends === null ? Infinity : this.#ends - Date.now();
    if (left <= 0) return this.#reset();
    const isForm = ['form', 'sending'].includes(this.#state);
    const isSaid = left <= (isForm ? WARNING_MS : Infinity) && left !== Infinity;
    const text = isSaid ? this.#words.say(isForm ? 'kiosk.idle' : 'kiosk.clears', { n: Math.ceil(left / 1000) }) : '';
    // Screen readers announce the warning once, and not every second.
    if (text && !this.#clock.textContent && isForm) this.#live.textContent = text;
    this.#clock.textContent = text;
  }

  async #join(event) {
    event.preventDefault();
    if (this.#state !== 'form' || !isFilled(this.#place, { make, words: this.#words })) return;
    // The token of the bot check's widget, or undefined if there is no check or it could not be loaded.
    const bot_token = this.#person.token?.();
    if (bot_token === '') return;
    const turn = this.#turn;
    const own = { ...this.#read(), bot_token };
    const body = this.#list.identity ? own : { customer_id: turn.customer, ...own };
    const sent = JSON.stringify(body);
    // If the answer to the same request was lost, the service answers it again instead of adding a second person.
    if (turn.sent !== sent) Object.assign(turn, { sent, key: uuid() });
    this.#busy(true);
    this.#say('');
    this.#end(IDLE_MS);
    try {
      const answer = await this.#api.join(body, turn.key);
      if (turn === this.#turn) this.#joined(answer);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (turn === this.#turn) this.#refused(error);
    }
  }

  #busy(isBusy) {
    this.#state = isBusy ? 'sending' : 'form';
    this.#panel.setAttribute('aria-busy', isBusy);
    this.#panel.querySelector('.main').setAttribute('aria-disabled', isBusy);
  }

  #refused(error) {
    this.#busy(false);
    this.#end(IDLE_MS);
    if (markWrong(this.#place, error.fields, { make, words: this.#words })) return;
    if (error.passes) return this.#say(`trouble.${error.kind}`, 'kiosk.kept');
    if (error.code in SHUT) {
      this.#list = { ...this.#list, line: SHUT[error.code] };
      // Until then, a cache may say that the line is still open.
      this.#lookIn(LIST_MS);
      return this.#reset();
    }
    if (error.status === 422) return this.#say('notice.refused');
    // Do not say why. For example, nobody may learn here who is on the list.
    this.#show('desk', this.#heading('kiosk.desk.title'), this.#text('kiosk.desk.text'));
  }

  #joined(answer) {
    if (answer.status === 'check_your_inbox') {
      return this.#show('inbox', this.#heading('kiosk.inbox.title'), this.#text('kiosk.inbox.text'));
    }
    const words = this.#words;
    const { call_number: called, position, estimated_wait: wait } = answer;
    const shown = called ?? (position && new Intl.NumberFormat(words.language).format(position));
    const number = shown && make('p', { class: 'number', dir: 'auto' }, shown);
    if (number) number.style.setProperty('--length', shown.length);
    const told = make('p', { role: 'status' });
    const code = answer.entry_token && drawn(generate(this.#api.placeUrl(answer)), words.say('kiosk.code'));
    this.#show(
      'joined',
      this.#heading('waiting.title'),
      number && make('p', { class: 'caption' }, words.say(called ? 'kiosk.number' : 'yourPosition')),
      number,
      wait && make('p', { class: 'wait' }, words.say('wait', { wait: words.wait(wait) })),
      code,
      code && this.#text('kiosk.scan'),
      told,
    );
    if (answer.entry_token && this.#list.told_by) this.#sayIfUntold(told, answer);
  }

  /** Say so if no message can tell the person that it is their turn. */
  async #sayIfUntold(place, entry) {
    try {
      const { messages_to: field } = await this.#api.change(entry, {});
      if (!field) place.textContent = this.#words.say('kiosk.untold');
    } catch (error) {
      // The person's own page says it too.
      if (!(error instanceof Problem)) throw error;
    }
  }

  // ------------------------------------------------------------------------ drawing

  /** Show what a person has got, until the person is done or the time limit is reached. */
  #show(state, ...content) {
    this.#state = state;
    this.#panel.setAttribute('aria-busy', false);
    const button = (key, kind, onclick) => make('button', { type: 'button', class: kind, onclick }, this.#words.say(key));
    const buttons = make('div', { class: 'row' }, button('kiosk.done', 'main', () => this.#reset()), button('kiosk.more', 'plain', () => this.#end(SHOWN_MS)));
    this.#panel.dataset.state = state;
    this.#clock.textContent = '';
    this.#panel.replaceChildren(...this.#head(), ...content.filter(Boolean), buttons, this.#clock);
    this.#end(SHOWN_MS);
    this.#panel.querySelector('.title').focus();
  }

  /** Draw the form, or why nobody can join. */
  #draw() {
    const { list } = this.#prepared();
    const news = this.#words.notice(list);
    const key = JSON.stringify([this.#isMissing, news, list?.name, list?.page, list?.identity, list?.line, list?.bot_check, this.#words.language]);
    if (key === this.#shown) return this.#count();
    const focused = this.#root.activeElement;
    this.#shown = key;
    // The answers may have been typed while the texts of another language were loaded.
    this.#read();
    this.#read = () => ({});
    this.#panel.dataset.state = 'join';
    const closed = list && CLOSED[list.line];
    const body = this.#isMissing
      ? [this.#heading('missing.title'), this.#text('missing.text')]
      : !list
        ? [this.#text('loading')]
        : closed
          ? [this.#heading(`${closed}.title`), this.#text('looksAgain')]
          : [make('p', { class: 'count' }), this.#form()];
    const notice = news ? [make('p', { class: 'news', dir: 'auto' }, news)] : [];
    this.#panel.replaceChildren(...this.#head(), ...notice, ...body, this.#trouble, this.#foot());
    this.#count();
    if (focused) (this.#root.getElementById(focused.id) ?? this.#panel.querySelector('h1'))?.focus();
  }

  #prepared() {
    const list = this.#list;
    const words = this.#words;
    words.own = list?.page?.texts[words.language] ?? {};
    document.documentElement.lang = this.#panel.lang = words.language;
    document.documentElement.dir = this.#panel.dir = words.direction;
    document.title = words.own.name ?? list?.name ?? document.title;
    this.#root.adoptedStyleSheets = [...this.#sheets, ownSheet(list?.page ?? {})];
    return { list };
  }

  /** Show how many people wait, and how long a person who joins now would wait. */
  #count() {
    const place = this.#panel.querySelector('.count');
    if (!place) return;
    const { total, estimated_wait: wait } = this.#list;
    const words = this.#words;
    const count = total === 0 ? words.say('empty') : total == null ? '' : words.say('count', { n: total });
    place.textContent = [count, wait && total !== 0 && words.say('waitIfJoined', { wait: words.wait(wait) })].filter(Boolean).join(' ');
  }

  #form() {
    const words = this.#words;
    const list = this.#list;
    const kit = { make, words, isShared: true, isAccount: false, answers: this.#turn.answers };
    this.#place = make('div');
    this.#person = make('div');
    this.#read = build(this.#place, list, kit);
    if (list.bot_check) this.#drawCheck(this.#person);
    return make(
      'form',
      { autocomplete: 'off', novalidate: true, onsubmit: (event) => this.#join(event) },
      this.#place,
      this.#person,
      make('button', { class: 'main' }, words.say('join')),
      this.#clock,
      make('button', { type: 'button', class: 'quiet again', hidden: !this.#isTouched, onclick: () => this.#reset() }, words.say('kiosk.again')),
    );
  }

  async #drawCheck(place) {
    const words = this.#words;
    await words.add('person');
    const { draw } = await import('./person.js');
    if (place.isConnected) draw(place, { list: this.#list }, { make, words });
  }

  #head() {
    const { list } = this.#prepared();
    const { logo_url: logo, header_url: header, text = '' } = list?.page ?? {};
    const { name = list?.name ?? '', text: about = text } = this.#words.own;
    const title = name && make('h1', { dir: 'auto', tabindex: '-1' }, name);
    const isForm = this.#state === 'form';
    return [picture('header', header), title && make('div', { class: 'head' }, picture('logo', logo), title), isForm && about && make('p', { class: 'text', dir: 'auto' }, about)].filter(Boolean);
  }

  #foot() {
    const words = this.#words;
    const { privacy_url: privacy, imprint_url: imprint } = this.#list?.page ?? {};
    const link = (key, href) => isWebAddress(href) && make('a', { href, target: '_blank', rel: 'noopener noreferrer' }, words.say(key));
    const option = ([value, name]) => make('option', { value, lang: value, selected: value === words.language }, name);
    const choose = async ({ target }) => {
      const turn = this.#turn;
      await this.#speak(target.value).catch(() => this.#say('trouble.network'));
      if (turn !== this.#turn || this.#state !== 'form') return;
      this.#draw();
    };
    const languages = make('select', { id: 'language', class: 'language', autocomplete: 'off', 'aria-label': words.say('language'), onchange: choose }, Object.entries(LANGUAGES).map(option));
    return make('div', { class: 'foot' }, languages, link('privacy', privacy), link('imprint', imprint));
  }

  #heading(key) {
    return make(this.#list ? 'h2' : 'h1', { class: 'title', tabindex: '-1' }, this.#words.say(key));
  }

  #text(key) {
    return make('p', {}, this.#words.say(key));
  }
}

customElements.define('waitlist-kiosk', WaitlistKiosk);
