// The part of <waitlist-position> with the questions of the signup form. The element loads it if the waitlist has
// questions.

const LINK = /\[([^[\]]*)\]\(((?:https:|mailto:)[^)\s]+)\)/;

/**
 * Fill `place`, and return the function that reads the answers. `answers` keeps what was typed in case the service
 * refuses it.
 */
export function build(place, list, kit) {
  const { answers } = kit;
  const fields = fieldsOf(list, kit);
  const inputs = rows(place, fields, kit);
  return () => {
    const read = { profile: {}, attributes: {} };
    const keep = ({ name, kept_in: keptIn }, value) => value && (read[keptIn][name] = value);
    fields.forEach((field, at) => {
      answers[field.name] = field.type === 'checkbox' ? inputs[at].checked : inputs[at].value.trim();
      keep(field, answerOf(field, inputs[at], kit));
    });
    for (const field of list.page?.fields ?? []) {
      if (field.type === 'hidden') keep(field, ofAddress(field));
    }
    return read;
  };
}

/** Fill `place` with the questions, and return their inputs. */
export function rows(place, fields, kit) {
  const inputs = fields.map((field, at) => inputOf(field, `field-${at}`, kit.answers[field.name] ?? '', kit));
  place.replaceChildren(...fields.map((field, at) => rowOf(field, inputs[at], kit)));
  for (const input of inputs) follow(input, kit);
  return inputs;
}

/**
 * Say at each field with one of these names that its answer was refused, and what to do. Focus the first of these
 * fields. Returns whether there is such a field.
 */
export function markWrong(place, names, kit) {
  return mark(inputsOf(place).filter(({ name }) => names.includes(name)), kit);
}

/**
 * Return whether all required answers are there and no answer is wrong. Say at each other field what to do, and focus
 * the first of these fields. The browser's own texts are in the browser's language, not in the language of the page.
 */
export function isFilled(place, kit) {
  return !mark(inputsOf(place).filter((input) => !input.validity.valid), kit);
}

const inputsOf = (place) => [...place.querySelectorAll('input, select')];

function mark(inputs, { make, words }) {
  for (const input of inputs) {
    const kind = input.validity.valueMissing ? 'missing' : ['tel', 'email'].includes(input.type) ? input.type : 'other';
    tell(input, words.say(`wrong.${kind}`), make, true);
    // The inputs of a signup form have names, and follow what the customer types.
    if (!input.name) input.oninput = () => tell(input, '', make);
  }
  inputs[0]?.focus();
  return inputs.length > 0;
}

/** Show a text below an input, or remove the former text. */
function tell(input, text, make, isWrong = false) {
  const id = `${input.id}-wrong`;
  const others = (input.getAttribute('aria-describedby') ?? '').replace(id, '');
  input.parentNode.querySelector('.wrong')?.remove();
  input.setAttribute('aria-invalid', isWrong);
  input.setAttribute('aria-describedby', (text && `${id} `) + others.trim());
  if (text) input.after(make('strong', { class: 'wrong', id, 'aria-live': 'polite' }, text));
}

/** After a change of an answer, its refusal is outdated. Tell a customer who has filled the field to its limit. */
function follow(input, { make, words }) {
  input.addEventListener('input', () => {
    const { maxLength: most, value } = input;
    tell(input, most > 0 && value.length >= most ? words.say('wrong.long', { most }) : '', make);
  });
}

/** Return an answer, or an empty string. The answer to a checkbox is the text that the customer has seen. */
export function answerOf({ type, label }, input, { words }) {
  if (type !== 'checkbox') return input.value.trim();
  return input.checked ? words.of(label) : '';
}

/** Return the value of a hidden field from the page's URL, cut to the length that the service accepts. */
function ofAddress({ name, kept_in: keptIn }) {
  const value = new URLSearchParams(location.search).get(name) ?? '';
  return value.replace(/\p{Cc}/gu, ' ').trim().slice(0, mostOf(keptIn));
}

const mostOf = (keptIn) => (keptIn === 'attributes' ? 64 : 200);

/** Return the fields to show. They always include the address that identifies a guest. */
export function fieldsOf({ page, identity }, { words, isAccount }) {
  const fields = (page?.fields ?? []).filter(({ type }) => type !== 'hidden');
  if (!identity || isAccount) return fields;
  const isAddress = ({ name, kept_in: keptIn }) => name === identity.field && keptIn === 'profile';
  const label = words.say(`address.${identity.field}`);
  const own = { name: identity.field, kept_in: 'profile', required: true, type: identity.field === 'phone' ? 'tel' : 'email' };
  const whole = { label, ...fields.find(isAddress), ...own };
  return fields.some(isAddress) ? fields.map((field) => (isAddress(field) ? whole : field)) : [whole, ...fields];
}

function rowOf({ type, label, required }, input, { make, words }) {
  const isBox = type === 'checkbox';
  const text = make('span', { dir: 'auto' }, isBox ? linked(words.of(label), make) : words.of(label));
  const optional = !required && make('small', {}, ` ${words.say('optional')}`);
  return make('label', { for: input.id, class: isBox && 'check' }, ...(isBox ? [input, make('span', {}, text, optional)] : [text, optional, input]));
}

/** Return a text as nodes. [words](address) becomes a link, which opens in a new tab. */
function linked(text, make) {
  const [before, words, href] = text.split(LINK, 3);
  if (!href) return [text];
  const after = text.slice(before.length + words.length + href.length + 4);
  return [before, make('a', { href, target: '_blank', rel: 'noopener noreferrer' }, words), ...linked(after, make)];
}

function inputOf({ name, type, required, options, kept_in: keptIn }, id, value, { make, words, isShared }) {
  const known = ['name', 'email', 'tel'].find((known) => known === type || known === name);
  // On a shared device, the browser must not suggest the answers of other people.
  const common = { id, name, required, autocomplete: isShared ? 'off' : known };
  if (type === 'checkbox') return make('input', { id, name, type, required, checked: value === true });
  if (type !== 'select') {
    const input = make('input', { ...common, type, maxlength: mostOf(keptIn), dir: 'auto' });
    input.value = value;
    return input;
  }
  const choices = options.map((option) => make('option', { value: option.value ?? option, dir: 'auto' }, words.of(option.labels ?? option)));
  const select = make('select', common, make('option', { value: '' }, words.say('choose')), choices);
  select.value = value;
  return select;
}
