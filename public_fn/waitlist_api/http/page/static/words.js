// The texts of the page in the customer's language. Each JSON file has one language.

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', ar: 'العربية' };

/** The texts of one language, with its formats of numbers, plurals and times. */
export class Words {
  #parts = new Set();
  // The waitlist's own texts, which replace these texts.
  own = {};

  constructor(language, texts) {
    Object.assign(this, { language, texts });
    this.plural = new Intl.PluralRules(language);
    this.direction = texts.direction;
  }

  /** Return the first of the wanted languages that the page has, or an empty string if it has none of them. */
  static choose(wanted) {
    const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
    return known.find((language) => language in LANGUAGES) ?? '';
  }

  /** Load the texts of a language. Without a language, load the English texts. */
  static async load(language) {
    const known = language || 'en';
    return new Words(known, await read(known));
  }

  /** Add the texts of a part once. Not every page needs the part. */
  async add(part) {
    if (this.#parts.has(part)) return;
    Object.assign(this.texts, await read(`${part}-${this.language}`));
    this.#parts.add(part);
  }

  /** Return the title of a state, or an empty string if it has none. */
  titled(state) {
    const key = `${state}.title`;
    return key in this.texts ? this.say(key) : '';
  }

  /** Return an operator's text, which is one text or has one text for each language. */
  of(text) {
    return typeof text === 'string' ? text : (text[this.language] ?? Object.values(text)[0]);
  }

  /** Return the notice of the operators, or an empty string if there is none or its time is over. */
  notice(list) {
    const { text = '', until } = list?.notice ?? {};
    return until && Date.parse(until) <= Date.now() + list.ahead ? '' : this.of(text);
  }

  /** Return an address in a form that keeps its direction in any sentence. */
  apart(text) {
    return `\u2068${text}\u2069`;
  }

  /** Return a text. `values` fill its {placeholders}, and `n` chooses the plural form. */
  say(key, values = {}) {
    let text = this.own[key] ?? this.texts[key];
    if (typeof text === 'object') text = text[this.plural.select(values.n)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => this.#shown(values[name]));
  }

  #shown(value) {
    return typeof value === 'number' ? new Intl.NumberFormat(this.language).format(value) : value;
  }

  /** Return an estimate as text. It uses a suitable unit, and rounds outwards so that the range stays true. */
  wait({ low, high }) {
    if (high < 60) return this.say('waitSoon');
    const [unit, size] = high < 5400 ? ['minute', 60] : high < 129_600 ? ['hour', 3600] : ['day', 86_400];
    const [from, to] = [Math.floor(low / size), Math.ceil(high / size)];
    const format = new Intl.NumberFormat(this.language, { style: 'unit', unit, unitDisplay: 'long' });
    if (from < 1) return this.say('waitMost', { wait: format.format(to) });
    return format.formatRange(from, to);
  }

  /** Return a time as text. More than half a day ahead it has the weekday, and more than six days ahead the full date. */
  time(iso, now) {
    const days = (Date.parse(iso) - now) / 86_400_000;
    const near = { weekday: days > 0.5 ? 'long' : undefined, hour: 'numeric', minute: '2-digit' };
    const options = days < 6 ? near : { dateStyle: 'full', timeStyle: 'short' };
    return new Intl.DateTimeFormat(this.language, options).format(new Date(iso));
  }

  /** Return the remaining time as a clock shows it, with whole days in front. */
  clock(seconds) {
    if (seconds >= 86_400) {
      const days = new Intl.NumberFormat(this.language, { style: 'unit', unit: 'day', unitDisplay: 'long' });
      return `${days.format(Math.floor(seconds / 86_400))} ${this.clock(seconds % 86_400)}`;
    }
    const two = new Intl.NumberFormat(this.language, { minimumIntegerDigits: 2 });
    const one = new Intl.NumberFormat(this.language);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const parts = hours ? [one.format(hours), two.format(minutes)] : [one.format(minutes)];
    return [...parts, two.format(seconds % 60)].join(':');
  }

  /** Return a duration as text, for screen readers. */
  duration(seconds) {
    const [unit, value] = seconds < 60 ? ['second', seconds] : ['minute', Math.round(seconds / 60)];
    return new Intl.NumberFormat(this.language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  }
}

async function read(name) {
  const response = await fetch(new URL(`${name}.json`, import.meta.url));
  if (!response.ok) throw new Error(`no texts: ${response.status}`);
  return response.json();
}
