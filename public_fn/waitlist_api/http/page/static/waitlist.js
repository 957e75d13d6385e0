// The client of a waitlist. It makes the API calls, decides when to repeat them, and shares its state between the
// tabs of a browser. It uses no DOM, so apps and other pages can use it too: docs/app/customer-page.md.

// Longer than the API may take: docs/internals/time-budgets.md.
const TIMEOUT_MS = 30_000;
const TRIES = 8;
// The age of the last response above which a tab polls at once when it becomes active.
const FRESH_MS = 5_000;
// The additional wait of hidden tabs, which lets the visible tab poll first.
const HIDDEN_MS = 1_500;
// How often to poll a waitlist that is closed or full.
const LIST_MS = 30_000;
const LONGEST_MS = 300_000;
// The number of polls after which a page reads the waitlist again, because an operator may have set a notice.
const POLLS_OF_LIST = 10;
// How often to poll an entry that is not ready, because the board does not say when the entry becomes ready.
const NOT_READY_MS = 60_000;
// After the opening, each browser waits a random part of this time.
const OPENING_MS = 5_000;
// The longest time for a timer. A timer that is set further ahead may fire at once.
const TIMER_MS = 86_400_000;
// Entries up to this position poll their own entry, so that a cached board never delays an offer.
const NEAR = 200;
const BOARD_SECONDS = 20;

// How long a screen or a kiosk waits for the public data, for which the service needs at most 10 seconds. Without a
// limit as short as this, a display that asked during an outage would stay out of date after the outage.
export const DISPLAY_READ_MS = 10_000;

/** A response that is not successful. `status` is 0 if there was no response. */
export class Problem extends Error {
  constructor(status, code = '', retryAfter = null, detail = '', errors = []) {
    super(detail || code || `HTTP ${status}`);
    Object.assign(this, { status, code, retryAfter, errors });
  }

  /** Whether the same request may succeed soon. */
  get passes() {
    // The next change to the entry is only possible some minutes later.
    if (this.code === 'too_many_changes') return false;
    return [0, 429, 502, 503, 504].includes(this.status) || (this.status === 500 && !this.code);
  }

  /** The names of the fields whose values were refused. */
  get fields() {
    return this.status === 422 ? this.errors.map(({ field }) => field.split('.').at(-1)) : [];
  }

  get kind() {
    return this.status === 0 ? 'network' : this.status === 429 ? 'busy' : 'down';
  }
}

/** An action was aborted, because this browser has forgotten the customer. */
class Forgotten extends Error {}

/** Return the milliseconds to wait after a problem, which is Retry-After and a random part. */
export function pauseAfter(problem, attempt, random = Math.random) {
  const asked = problem.retryAfter ?? 1;
  const most = attempt < TRIES ? Math.min(2 ** attempt, 8) : 60;
  return Math.min(asked * 1000, LONGEST_MS) + random() * most * 1000;
}

/** Return the milliseconds until the next poll. Browsers never poll sooner than asked, and not all at once. */
export function pollAfter(seconds, random = Math.random) {
  return seconds * 1000 * (1 + random() / 10);
}

/** The API calls. `token` returns the JWT of a customer with an account. Guests have no JWT. */
export class Api {
  constructor(base, waitlist, token = null) {
    // How long the browser waits for the public data of a waitlist.
    this.readMs = TIMEOUT_MS;
    this.path = new URL(`v1/waitlists/${encodeURIComponent(waitlist)}`, base).href;
    this.token = token;
    // The language that the customer has chosen, or the first language of the browser that the page has. A customer who
    // joins gets messages in this language. If it is empty, the service decides by the browser's languages.
    this.language = '';
    // How many milliseconds the service's clock is ahead of this device's clock.
    this.skew = null;
  }

  /**
   * Get the waitlist. `ahead` says how far Redis' clock, which decides when the waitlist opens, is ahead of this
   * device's clock.
   */
  async list() {
    const list = await this.#call('GET', this.path);
    const ahead = Date.parse(list.as_of) + list.age * 1000 - Date.now();
    // Use this difference until a response about the customer has a better one. A stored offer or pass is shown
    // before.
    this.skew ??= ahead;
    return { ...list, ahead };
  }

  /** The URL of the customer's page. */
  get pageUrl() {
    return this.path.replace('/v1/waitlists/', '/w/');
  }

  /** Return the URL of the page with the entry token in its fragment, which browsers send to no server. */
  placeUrl({ entry_id: id, entry_token: token }) {
    return `${this.pageUrl}#t=${id}.${token}`;
  }

  join(body, key, entryToken) {
    return this.#call('POST', `${this.path}/entries`, { body, key, entryToken, language: this.language });
  }

  verify(code) {
    return this.#call('POST', `${this.path}/verify`, { body: { code } });
  }

  /** Ask for a message with the link to the place of an address, which is `{ email }` or `{ phone }`. */
  askLink(address) {
    return this.#call('POST', `${this.path}/links`, { body: address });
  }

  /** Get the board. `isCached` says whether it came from a cache. */
  board() {
    return this.#call('GET', `${this.path}/board`, { isPublic: true });
  }

  /** Get the numbers that a screen shows. */
  screen() {
    return this.#call('GET', `${this.path}/screen`, { isPublic: true });
  }

  look(entry) {
    return this.#own('GET', entry);
  }

  leave(entry) {
    return this.#own('DELETE', entry);
  }

  pass(entry) {
    return this.#own('GET', entry, '/pass');
  }

  decline(entry, to) {
    // Name the offer that is shown, so that a request that arrives late or twice does not decline the next offer.
    const { offered_until } = entry;
    return this.do(entry, 'decline', { to, offered_until }, `${to}-${offered_until}`);
  }

  do(entry, verb, body, key) {
    return this.#own('POST', entry, `/${verb}`, body, key);
  }

  change(entry, profile, messages) {
    return this.#own('PATCH', entry, '', { profile, messages });
  }

  #own(method, entry, rest = '', body, key) {
    const id = this.token ? 'me' : encodeURIComponent(entry.entry_id);
    const url = `${this.path}/entries/${id}${rest}`;
    return this.#call(method, url, { body, key, entryToken: entry?.entry_token });
  }

  async #call(method, url, { body, key, entryToken, language, isPublic = url === this.path } = {}) {
    const headers = {};
    if (body) headers['Content-Type'] = 'application/json';
    if (key) headers['Idempotency-Key'] = key;
    if (language) headers['Accept-Language'] = language;
    const options = { method, headers, body: body && JSON.stringify(body), cache: 'no-store' };
    let response, text;
    try {
      const bearer = this.token && !isPublic ? await this.token() : entryToken;
      if (bearer && !isPublic) headers.Authorization = `Bearer ${bearer}`;
      response = await fetch(url, { ...options, ...limit(isPublic ? this.readMs : TIMEOUT_MS) });
      text = await response.text();
    } catch (error) {
      throw new Problem(0, '', null, String(error));
    }
    // A cached response has an old date.
    if (!isPublic) this.#compareClocks(response);
    const answer = parsed(text);
    // The response is not from the service. It may be the challenge of a firewall or the page of a proxy.
    if (response.ok && !answer && response.status !== 204) throw new Problem(502);
    if (response.ok && isPublic) {
      answer.isCached = ['Age', 'Via'].some((name) => response.headers.has(name));
      // How many seconds the response has been in a cache.
      answer.age = Number(response.headers.get('Age'));
    }
    if (response.ok) return answer;
    const { code, detail, errors } = answer ?? {};
    throw new Problem(response.status, code, retryAfter(response.headers.get('Retry-After')), detail, errors);
  }

  #compareClocks(response) {
    const ahead = Date.parse(response.headers.get('Date')) - Date.now();
    // The header has whole seconds, and the response took some time. Ignore smaller differences.
    if (!Number.isNaN(ahead)) this.skew = Math.abs(ahead) < 3000 ? 0 : ahead;
  }
}

const limit = (most) => (AbortSignal.timeout ? { signal: AbortSignal.timeout(most) } : {});

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function retryAfter(text) {
  if (!text) return null;
  const seconds = Number(text);
  const value = Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
  return Number.isNaN(value) ? null : Math.max(0, value);
}

/** Return a random UUID. `crypto.randomUUID` needs a secure origin, so there is a fallback. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0'));
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The state of a waitlist that the tabs of a browser share. Without localStorage, each tab has its own state. */
class Memory {
  constructor(name) {
    this.name = name;
    this.isKept = name !== null;
    this.own = {};
    try {
      if (this.isKept) localStorage.setItem(this.name, localStorage.getItem(this.name) ?? '{}');
    } catch {
      this.isKept = false;
    }
  }

  read() {
    return this.isKept ? (parsed(localStorage.getItem(this.name)) ?? {}) : this.own;
  }

  write(record) {
    this.own = record;
    try {
      if (this.isKept) localStorage.setItem(this.name, JSON.stringify(record));
    } catch {
      // The storage is full.
      this.isKept = false;
    }
  }

  clear() {
    this.own = {};
    try {
      if (this.name) localStorage.removeItem(this.name);
    } catch {
      // The storage cannot be used, so there is nothing to remove.
    }
  }
}

/**
 * Return the first and the last position that an entry with this rank can have on a board, or null if it is not on
 * it.
 */
export function boundsOn({ cuts, total }, rank) {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle][0] <= rank) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return null;
  const [cutRank, position] = cuts[low - 1];
  if (cutRank === rank) return [position, position];
  return [position + 1, low < cuts.length ? cuts[low][1] - 1 : total];
}

/**
 * Find a customer's position. Entries that are far from the head use the board, and other entries ask for their own
 * entry.
 *
 * If the board does not come from a cache, it costs the service as much as the entry itself, so the board is not used
 * again.
 */
export async function followBoard(api, entry) {
  // The turn can be nearer than the position says, because entries ahead that are not ready are passed over.
  const isNear = entry?.status !== 'waiting' || !entry.rank || entry.position - (entry.passedOver ?? 0) <= NEAR;
  const isOld = Date.now() - (entry?.ownAt ?? 0) > (entry?.ready === false ? NOT_READY_MS : LONGEST_MS);
  if (!isNear && !isOld && entry.isCached !== false) {
    const board = await api.board().catch(() => ({ cuts: [], isCached: false }));
    const bounds = boundsOn(board, entry.rank);
    if (!board.isCached) entry = { ...entry, isCached: false };
    else if (board.as_of < entry.asOf) return { ...entry, poll_after_seconds: BOARD_SECONDS };
    // Use the board only if the entry is at least three boards away from the head at its current speed.
    else if (bounds && bounds[1] - (entry.passedOver ?? 0) > Math.max(NEAR, 3 * (entry.position - bounds[1]))) {
      const { as_of: asOf, total } = board;
      return { ...entry, position: bounds[1], ready_ahead: null, total, asOf, poll_after_seconds: BOARD_SECONDS };
    }
  }
  const asOf = new Date(Date.now() + api.skew).toISOString();
  const found = await api.look(entry);
  const passedOver = Math.max(0, found.position - 1 - (found.ready_ahead ?? found.position));
  const soon = found.position - passedOver > NEAR && entry?.isCached !== false;
  const seconds = soon ? Math.min(BOARD_SECONDS, found.poll_after_seconds) : found.poll_after_seconds;
  return { ...found, passedOver, ownAt: Date.now(), asOf, isCached: entry?.isCached, poll_after_seconds: seconds };
}

/**
 * A customer on a waitlist. It follows the customer's entry, sends the `change` event when `view` has changed, and
 * the `forget` event when this browser has forgotten the customer.
 *
 * `position(api, entry)` returns the entry with `position` and `poll_after_seconds`.
 */
export class Waitlist extends EventTarget {
  #api;
  #position;
  #memory;
  #list = null;
  #listAt = 0;
  #missing = false;
  #signedOut = false;
  #isForgotten = false;
  #trouble = null;
  #refusal = null;
  // The names of the fields whose answers the service has refused.
  #wrong = [];
  #attempt = 0;
  #isBusy = false;
  #isLooking = false;
  #isRunning = false;
  #isReadingTold = false;
  // Repeats the last request for a message with a link. After a reload, this page no longer knows the address.
  #sendAgain = null;
  #timer;
  // The random part of the time that this browser waits after the opening.
  #spread = Math.random();

  constructor({ api, waitlist, token = null, language = '', position = followBoard }) {
    super();
    const base = new URL(api, location.href);
    this.#api = new Api(base, waitlist, token);
    this.#api.language = language;
    this.#position = position;
    // Do not store the data of an account, because another customer may sign in to this browser next.
    this.#memory = new Memory(token ? null : `waitlist:${base.href}:${waitlist}`);
  }

  /** Begin to follow the entry. `stop` ends it. */
  start() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    addEventListener('storage', this.#shared);
    addEventListener('online', this.#wake);
    addEventListener('pageshow', this.#wake);
    document.addEventListener('visibilitychange', this.#wake);
    this.#refresh();
  }

  stop() {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    removeEventListener('storage', this.#shared);
    removeEventListener('online', this.#wake);
    removeEventListener('pageshow', this.#wake);
    document.removeEventListener('visibilitychange', this.#wake);
  }

  /** What a page shows: the `state`, and the data that belongs to it. */
  get view() {
    const { entry, joining, first, alert = false, link, inbox, told, others = [], ...record } = this.#memory.read();
    const notice = record.notice ?? (this.#isForgotten ? 'forgotten' : null);
    const isKept = this.#memory.isKept;
    const list = this.#list;
    const state = this.#stateOf({ entry, joining, link, inbox });
    const [trouble, refusal, wrong, isBusy] = [this.#trouble, this.#refusal, this.#wrong, this.#isBusy];
    const sendsAgain = this.#sendAgain !== null;
    return { state, list, entry, first, inbox, told, sendsAgain, others, notice, alert, isKept, trouble, refusal, wrong, isBusy };
  }

  /** The time of the service, in milliseconds. */
  get now() {
    return Date.now() + this.#api.skew;
  }

  /** The URL of the page with the entry token, for another device. It is a secret of the customer. */
  get placeUrl() {
    return this.#api.placeUrl(this.#memory.read().entry);
  }

  /** The milliseconds until the waitlist opens, by the clock of the service. */
  get untilOpening() {
    return this.#opensAt - Date.now();
  }

  /** When the waitlist opens, by the clock of this device. */
  get #opensAt() {
    return Date.parse(this.#list.opens_at) - this.#list.ahead;
  }

  /** Join with the answers of the form. If the response is lost, the request is repeated with the same key. */
  async join({ profile = {}, attributes = {}, bot_token } = {}) {
    const { customer = `web-${uuid()}` } = this.#memory.read();
    const isStated = !this.#api.token && !this.#list?.identity;
    const body = { ...(isStated && { customer_id: customer }), profile, attributes, bot_token };
    this.#isForgotten = false;
    this.#begin({ customer, joining: { key: uuid(), body } });
    await this.#join();
  }

  /**
   * Open a link, which has the `code` that confirms an address, or the id and token of an entry.
   *
   * A code waits for the customer's `confirm`. So does an entry if this browser has another entry, or is about to get
   * one.
   */
  open(link) {
    const record = this.#memory.read();
    this.#isForgotten = false;
    // A notice about an earlier link would seem to be about this link.
    this.#memory.write({ ...record, link, notice: null });
    if (link.code || record.joining || (record.entry ?? link).entry_id !== link.entry_id) this.#change();
    else this.confirm();
  }

  /** Open the place of the link. The other places of this browser are kept. */
  async confirm() {
    const { link, joining } = this.#memory.read();
    // A pending signup may have a place.
    if (!link || joining || this.#isBusy) return;
    const verify = async () => {
      const answer = await this.#patiently(() => (link.code ? this.#api.verify(link.code) : this.#api.look(link)), TRIES);
      const { entry_id } = answer;
      const places = [this.view.entry, ...this.view.others].filter(Boolean);
      const known = places.find((place) => place.entry_id === entry_id);
      const others = places.filter((place) => place !== known);
      // A stranger may have sent the link.
      const linked = known ? known.linked : !link.code || others.length > 0;
      this.#begin({ others, entry: { entry_id, entry_token: link.entry_token, linked }, nextAt: 1 });
      if (link.code) this.#found(answer, { first: answer.position, notice: null });
    };
    // If the link is not valid, for example because it was cut off, the current place stays.
    await this.#busily(verify, ({ status }) => this.dismiss(status === 409 ? 'taken' : 'stale'));
    return this.#refresh();
  }

  /** Show the next one of the other places of this browser. */
  swap() {
    const [entry, ...others] = [...this.view.others, this.view.entry].filter(Boolean);
    this.#begin({ others, entry, nextAt: 1 });
    this.#change();
    this.#refresh();
  }

  /** Start a new record, which keeps the data that outlives a stay. */
  #begin(record) {
    const { customer, alert, others } = this.#memory.read();
    this.#memory.write({ customer, alert, others, ...record });
  }

  /**
   * Ask for a message with the link to the place of an address. The response does not reveal whether the address has
   * one.
   */
  askLink(address) {
    const ask = async () => {
      await this.#patiently(() => this.#api.askLink({ [this.#list.identity.field]: address }), TRIES);
      const own = { [this.#list.identity.field]: address };
      this.#sendAgain = () => this.#api.askLink(own);
      this.#begin({ inbox: 'link', told: toldAt(own) });
    };
    return this.#busily(ask, () => this.#begin({ notice: 'refused' }));
  }

  /** Ask once more for the message with the link. Returns whether it was accepted. */
  sendAgain() {
    const send = () => this.#patiently(this.#sendAgain, TRIES).then(() => true);
    return this.#busily(send, () => {});
  }

  /** Ask the service where the customer gets messages, for example if a link has opened the place. */
  async readTold() {
    const { entry } = this.#memory.read();
    if (this.#isReadingTold || this.#isBusy) return;
    this.#isReadingTold = true;
    try {
      this.#tell(entry, await this.#unlessForgotten(this.#api.change(entry, {})));
      this.#change();
    } catch (error) {
      // The next poll tries again.
      if (!(error instanceof Problem || error instanceof Forgotten)) throw error;
    } finally {
      this.#isReadingTold = false;
    }
  }

  /** Remember where this entry's customer gets messages. */
  #tell(entry, { profile, messages, messages_to: field }) {
    const record = this.#memory.read();
    if (record.entry?.entry_id === entry.entry_id) this.#memory.write({ ...record, told: toldAt(field ? { [field]: profile[field] } : {}, messages) });
  }

  /** Ignore the link. */
  dismiss(notice = null) {
    const { link: _, ...record } = this.#memory.read();
    this.#memory.write({ ...record, notice });
    this.#change();
  }

  /** Accept the offer, or get the pass again. Returns the admission with its pass, or null. */
  enter() {
    const isOffered = this.#memory.read().entry?.status === 'offered';
    return this.#act(
      (entry) => (isOffered ? this.#api.do(entry, 'enter') : this.#api.pass(entry)),
      (admission) => this.#admit(admission),
    );
  }

  /** Give the offered slot to the next customer. The waitlist decides whether the entry keeps its place. */
  decline() {
    return this.#act(
      (entry) => this.#api.decline(entry, null),
      (entry) => this.#found(entry, { first: entry.position, notice: null }),
    );
  }

  /** Leave the line, even with an open offer. */
  leave() {
    const left = { status: 'left', position: null, poll_after_seconds: null };
    return this.#act(
      (entry) => (entry.offered_until ? this.#api.decline(entry, 'leave') : this.#api.leave(entry)),
      () => this.#found(left, { notice: null }),
    );
  }

  /** Go out, which frees the customer's room. */
  exit() {
    return this.#act(
      (entry) => this.#api.do(entry, 'exit'),
      (admission) => this.#admit(admission),
    );
  }

  /** Change the customer's answers with a merge patch. Returns all answers, or null if that failed. */
  change(patch, messages) {
    const send = async () => {
      const { entry } = this.#memory.read();
      const own = await this.#patiently(() => this.#api.change(entry, patch, messages), TRIES);
      this.#tell(entry, own);
      return own;
    };
    return this.#busily(send, (error) => {
      this.#wrong = error.fields;
      if (error.status !== 422) this.#doubt();
    });
  }

  /** Send a request such as `confirm`, and keep the entry in its response. */
  do(verb, body, key) {
    return this.#act((entry) => this.#api.do(entry, verb, body, key));
  }

  /** Ask at once whether the waitlist has changed. */
  look() {
    this.#listAt = 0;
    return this.#refresh();
  }

  /** Forget an ended stay, so that the customer can join again. */
  again() {
    this.#begin({ isNew: true });
    this.#listAt = 0;
    this.#refresh();
  }

  /** Remove everything that this browser stores about the customer. The customer keeps their place. */
  forget() {
    this.#memory.clear();
    this.#forgotten();
  }

  /** Remember whether the customer wants to be alerted. */
  set alert(value) {
    this.#memory.write({ ...this.#memory.read(), alert: value });
    this.#change();
  }

  #stateOf({ entry, joining, link, inbox }) {
    if (this.#missing) return 'missing';
    if (this.#signedOut) return 'signedOut';
    if (link) return link.code ? 'confirm' : 'other';
    if (joining) return 'joining';
    if (!entry && inbox) return 'inbox';
    if (!entry) {
      if (!this.#list) return 'loading';
      return SHUT[this.#list.line] ?? 'join';
    }
    const { status, admission } = entry;
    if (status === 'offered' && !entry.offered_until) return 'called';
    // The offer is over, but the service has not yet given the slot to somebody else.
    if (status === 'offered') return Date.parse(entry.offered_until) > this.now ? 'offered' : 'late';
    if (status === 'parked') return 'parked';
    if (status === 'left' || status === 'leaving') return 'left';
    if (status !== 'admitted') return 'waiting';
    if (admission?.exited_at) return 'exited';
    if (!admission?.inside_until) return 'admitted';
    return Date.parse(admission.inside_until) > this.now ? 'inside' : 'over';
  }

  #change() {
    this.dispatchEvent(new Event('change'));
    this.#plan();
  }

  // ------------------------------------------------------------------------ when to ask

  /** Set the only timer, either for the next poll or for the end of what is shown. */
  #plan() {
    clearTimeout(this.#timer);
    if (!this.#isRunning || this.#isBusy) return;
    const due = this.#due();
    if (due === null) return;
    const isHidden = document.visibilityState === 'hidden';
    const left = Math.min(Math.max(0, due - Date.now()), TIMER_MS);
    this.#timer = setTimeout(this.#tick, left + (isHidden ? HIDDEN_MS : 0));
  }

  #due() {
    if (this.#missing || this.#signedOut) return null;
    if (this.#trouble) return this.#trouble.until;
    const { entry, nextAt, joining } = this.#memory.read();
    // Another tab is sending the signup, unless that tab was closed.
    if (joining) return Date.now() + TIMEOUT_MS;
    if (!entry) {
      if (this.#list && !this.#listAt) return 0;
      const isSeen = document.visibilityState !== 'hidden';
      if (this.#list?.line === 'not_open_yet') return this.#openingDue(isSeen);
      const isWatched = this.#list && this.#list.line !== 'open' && isSeen;
      return isWatched ? this.#listAt + LIST_MS : null;
    }
    if (entry.admission?.inside_until && !entry.admission.exited_at) {
      const end = Date.parse(entry.admission.inside_until) - this.#api.skew;
      return end > Date.now() ? end : null;
    }
    return nextAt ?? null;
  }

  /**
   * Return when to poll a waitlist that has not opened. Browsers poll at different times shortly after the opening,
   * and now and then before it, because the opening time may change.
   */
  #openingDue(isSeen) {
    const opening = this.#opensAt + this.#spread * OPENING_MS;
    const next = isSeen ? Math.min(opening, this.#listAt + pollAfter(LONGEST_MS / 1000, () => this.#spread)) : opening;
    return Math.max(next, this.#listAt + FRESH_MS);
  }

  #tick = () => {
    if (this.view.state === 'over') this.#change();
    else this.#refresh();
  };

  /** Another tab of this browser has stored a response. */
  #shared = (event) => {
    if (event.key !== this.#memory.name) return;
    if (event.newValue === null) return this.#forgotten();
    this.#isForgotten = false;
    this.#trouble = null;
    this.#change();
  };

  /**
   * This tab or another tab has forgotten the customer. Show the form, and abort all pending actions, so that no
   * response is stored again.
   */
  #forgotten() {
    this.#isForgotten = true;
    this.#sendAgain = null;
    this.#trouble = null;
    this.#listAt = 0;
    this.dispatchEvent(new Event('forget'));
    this.#change();
  }

  /** Poll at once when the device wakes up, the tab becomes visible, or the network returns. */
  #wake = (event) => {
    if (!this.#isRunning || document.visibilityState === 'hidden') return;
    const isTold = this.#trouble && this.#trouble.kind !== 'network' && this.#trouble.until > Date.now();
    const { entry, lookedAt = 0 } = this.#memory.read();
    const last = entry ? lookedAt : this.#listAt;
    const isOld = Date.now() - last > FRESH_MS || event.type === 'online';
    if (!isTold && (isOld || this.#trouble)) this.#refresh();
  };

  /** Get everything that is unknown or outdated. Only one tab does this at a time. */
  async #refresh() {
    if (this.#isLooking || this.#isBusy || !this.#isRunning) return;
    this.#isLooking = true;
    // A page that is reloaded soon after a poll need not poll again.
    const asked = Date.now() - (this.#trouble || this.#list ? 0 : FRESH_MS);
    try {
      await this.#readList();
      this.#missing = this.#signedOut = false;
      await alone(this.#memory.isKept && this.#memory.name, () => this.#look(asked));
      await this.#readListAgain();
      this.#trouble = null;
      this.#attempt = 0;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isLooking = false;
    }
    this.#change();
  }

  async #readList() {
    const { entry } = this.#memory.read();
    if (this.#list && entry && !this.#refusal) return;
    if (this.#list && Date.now() - this.#listAt < FRESH_MS) return;
    this.#list = await this.#api.list();
    this.#listAt = Date.now();
  }

  /** Read the waitlist again now and then while there is an entry. If this fails, keep what is known. */
  async #readListAgain() {
    const { entry } = this.#memory.read();
    const most = Math.min((entry?.poll_after_seconds ?? 0) * POLLS_OF_LIST * 1000, LONGEST_MS);
    const isOld = Date.now() - this.#listAt > Math.max(most, FRESH_MS);
    if (!entry || !isOld || document.visibilityState === 'hidden') return;
    this.#listAt = Date.now();
    this.#list = await this.#api.list().catch(() => this.#list);
  }

  async #look(asked) {
    const { entry, joining, isNew, lookedAt = 0 } = this.#memory.read();
    if (joining) return this.#join();
    // Another tab has polled while this tab waited for its turn. If the clock was set back, `lookedAt` is not
    // reliable.
    if (entry && lookedAt >= asked && lookedAt <= Date.now()) return;
    if (entry && !entry.poll_after_seconds && ENDED.includes(this.view.state)) return;
    if (!entry && (isNew || !this.#api.token)) return;
    try {
      const found = await this.#unlessForgotten(this.#position(this.#api, entry));
      // The customer or another tab has changed the entry in the meantime, so this response is outdated.
      const now = this.#memory.read();
      if (this.#isBusy || (now.lookedAt ?? 0) !== lookedAt || now.entry?.entry_id !== entry?.entry_id) return;
      this.#found(found);
      if (found.status === 'admitted') await this.#admission();
    } catch (error) {
      // A customer with an account has not joined yet.
      if (entry || !this.#api.token || error.code !== 'entry_not_found') throw error;
    }
  }

  async #admission() {
    try {
      this.#admit(await this.#unlessForgotten(this.#api.pass(this.#memory.read().entry)));
    } catch (error) {
      // There is no pass without an admission policy, after the pass has ended, and after an exit.
      if (error.code !== 'not_inside') throw error;
    }
  }

  // ------------------------------------------------------------------------ what is known

  /** Store the newest response, and the notice that follows from the change. */
  #found(answer, more = {}) {
    const record = this.#memory.read();
    const before = record.entry ?? {};
    const token = answer.entry_token ?? before.entry_token;
    const entry = { ...before, ...answer, entry_token: token, ownAt: answer.ownAt ?? Date.now() };
    const seconds = answer.poll_after_seconds;
    const nextAt = seconds ? Date.now() + pollAfter(seconds) : null;
    const first = Math.max(record.first ?? 0, answer.position ?? 0) || null;
    const notice = noticeOf(before, answer, record.notice);
    const times = { lookedAt: Date.now(), nextAt };
    this.#memory.write({ ...record, joining: undefined, isNew: undefined, entry, first, notice, ...times, ...more });
  }

  #admit({ pass: _, ...admission }) {
    const record = this.#memory.read();
    const entry = { ...record.entry, status: 'admitted', poll_after_seconds: null, admission };
    this.#memory.write({ ...record, entry, notice: null, nextAt: null, lookedAt: Date.now() });
    this.#change();
  }

  #failed(error) {
    if (error instanceof Forgotten) return;
    if (!(error instanceof Problem)) throw error;
    if (error.passes) {
      const until = Date.now() + pauseAfter(error, this.#attempt++);
      this.#trouble = { kind: error.kind, until };
      return;
    }
    this.#trouble = null;
    if (NO_LIST.includes(error.code)) this.#missing = true;
    else if (error.code === 'entry_not_found') this.#lose('gone');
    else if (this.#needsAccount(error)) this.#signedOut = true;
    else if (NOT_OWN.includes(error.code)) this.#lose('stay');
    else this.#trouble = { kind: 'down', until: Date.now() + LONGEST_MS };
  }

  /**
   * Return whether the customer has to sign in. A response without a code comes from a gateway in front of the service,
   * which does not know the entry. If a gateway refuses a guest with 403, an account would not help.
   */
  #needsAccount({ status, code }) {
    return this.#api.token ? [401, 403].includes(status) : status === 401 && !code;
  }

  /** The stored entry is outdated, so poll at once. */
  #doubt() {
    const record = this.#memory.read();
    const entry = { ...record.entry, admission: undefined };
    this.#memory.write({ ...record, entry, lookedAt: 0, nextAt: 1 });
  }

  /** The place no longer belongs to this customer. */
  #lose(notice) {
    this.#begin({ notice });
  }

  // ------------------------------------------------------------------------ what customers do

  async #join() {
    const { joining } = this.#memory.read();
    if (!joining || this.#isBusy) return;
    // Another tab may have forgotten the customer, or may have got the response.
    const isWanted = () => this.#memory.read().joining?.key === joining.key;
    const join = async () => {
      const send = () => this.#api.join(joining.body, joining.key);
      const answer = await this.#patiently(send, Infinity);
      if (isWanted() && answer.status === 'check_your_inbox') {
        const { body } = joining;
        // The token of a bot check is valid for one signup.
        this.#sendAgain = body.bot_token ? null : () => this.#api.join(body, uuid());
        this.#begin({ inbox: 'signup', told: toldAt(body.profile) });
      } else if (isWanted()) this.#found(answer, { first: answer.position, notice: null });
    };
    await this.#busily(join, (error) => isWanted() && this.#refused(error));
  }

  #refused(error) {
    this.#wrong = error.fields;
    const { joining: _, customer, ...record } = this.#memory.read();
    const isTaken = this.#list?.identity && error.code === 'already_on_list';
    const notice = isTaken ? 'taken' : error.code in REFUSALS ? REFUSALS[error.code] : 'refused';
    if (error.code === 'waitlist_closed') this.#list = { ...this.#list, line: 'closed' };
    if (error.code === 'waitlist_full') this.#list = { ...this.#list, line: 'full' };
    // The opening time has changed.
    if (error.code === 'not_open_yet') this.#listAt = 0;
    if (error.status === 401 || (!error.code && this.#needsAccount(error))) this.#signedOut = true;
    // This browser cannot prove that it belongs to the customer, so its next signup is a new customer.
    const isKnown = error.code === 'already_on_list' || error.code === 'idempotency_key_reused';
    this.#memory.write({ ...record, customer: isKnown ? undefined : customer, notice });
  }

  /** Do what the customer asked for. If that is no longer possible, return null and get the entry to see why. */
  #act(action, keep = (entry) => this.#found(entry)) {
    const act = async () => {
      const result = await this.#patiently(() => action(this.#memory.read().entry), TRIES);
      if (this.#memory.read().entry) keep(result);
      return result;
    };
    return this.#busily(act, (error) => {
      if (error.passes || ![409, 422, 429].includes(error.status)) return this.#failed(error);
      this.#refusal = error.code;
      this.#doubt();
    });
  }

  /**
   * Do one action at a time. Returns its result, or null if it was refused or failed, or if another action is
   * running.
   */
  async #busily(action, refused) {
    if (this.#isBusy) return null;
    this.#isBusy = true;
    this.#refusal = null;
    this.#wrong = [];
    this.#change();
    let result = null;
    try {
      result = await action();
    } catch (error) {
      if (error instanceof Problem && !error.passes) refused(error);
      else this.#failed(error);
    } finally {
      this.#isBusy = false;
    }
    this.#change();
    return result;
  }

  /**
   * Repeat a request as docs/internals/time-budgets.md says. The key is the same, so the request takes effect only
   * once.
   */
  async #patiently(send, tries) {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await this.#unlessForgotten(send());
        this.#trouble = null;
        return answer;
      } catch (error) {
        if (!(error instanceof Problem) || !error.passes || attempt + 1 >= tries) throw error;
        const pause = pauseAfter(error, attempt);
        this.#trouble = { kind: error.kind, until: Date.now() + pause };
        this.#change();
        await this.#unlessForgotten(sleep(pause, error.kind === 'network'));
      }
    }
  }

  /** Wait for a promise, but abort when this browser forgets the customer. */
  async #unlessForgotten(promise) {
    let end;
    const forgotten = new Promise((_, reject) => {
      end = () => reject(new Forgotten());
      this.addEventListener('forget', end);
    });
    try {
      return await Promise.race([promise, forgotten]);
    } finally {
      this.removeEventListener('forget', end);
    }
  }
}

/** Return an address of which only its owner recognizes the whole. */
function masked(address) {
  const at = address.lastIndexOf('@');
  return at < 0 ? `…${address.slice(-3)}` : `${[...address][0]}…${address.slice(at)}`;
}

/** Return where a customer with these addresses gets messages, and whether they are off. */
function toldAt({ email, phone }, messages) {
  return { email: email && masked(email), phone: phone && masked(phone), off: messages === 'off' };
}

const NO_LIST = ['waitlist_not_found', 'not_found', 'invalid_request'];
const NOT_OWN = ['unauthorized', 'forbidden'];
const ENDED = ['left', 'exited', 'over'];
const SHUT = { closed: 'closed', full: 'full', not_open_yet: 'notOpenYet' };
const REFUSALS = {
  already_on_list: 'known',
  idempotency_key_reused: 'known',
  already_admitted: 'alreadyAdmitted',
  already_left: 'alreadyLeft',
  banned: 'banned',
  waitlist_closed: null,
  waitlist_full: null,
  not_open_yet: null,
};

/** Return the key of a notice about a change that the customer did not ask for. */
export function noticeOf(before, after, former = null) {
  if (before.status === after.status || !before.status) return former;
  const isBack = ['waiting', 'parked', 'left'].includes(after.status);
  if (before.status === 'offered' && before.offered_until && isBack) {
    // The clocks may differ by some seconds.
    if (Date.parse(before.offered_until) - Date.parse(after.asOf) < 5000) return 'missed';
    if (after.status === 'waiting') return 'withdrawn';
  }
  return after.status === 'left' || after.status === 'leaving' ? 'removed' : null;
}

/** Wait. If `untilOnline` is true, the wait also ends when the network returns. */
function sleep(milliseconds, untilOnline) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (untilOnline) addEventListener('online', done);
  });
}

/** Run while no other tab does. Without locks or storage, and over plain http, it runs at once. */
function alone(name, run) {
  return name && navigator.locks ? navigator.locks.request(name, run) : run();
}
