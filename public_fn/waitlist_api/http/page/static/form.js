// The part of <waitlist-position> with the questions of the join form. The element loads it where a list has any.

/** Fill `place`; return the function that reads the answers. What was typed stays in `answers`, if the service refuses it. */
export function build(place, list, { make, words, answers, isAccount }) {
  const fields = fieldsOf(list, words, isAccount);
  const inputs = fields.map((field, at) => inputOf(field, `field-${at}`, answers[field.name] ?? '', make, words));
  const rows = fields.map((field, at) =>
    make(
      'label',
      { for: `field-${at}` },
      make('span', { dir: 'auto' }, field.label),
      !field.required && make('small', {}, ` ${words.say('optional')}`),
      inputs[at],
    ),
  );
  place.replaceChildren(...rows);
  return () => {
    const read = { profile: {}, attributes: {} };
    fields.forEach(({ name, kept_in: keptIn }, at) => {
      const value = inputs[at].value.trim();
      answers[name] = value;
      if (value) read[keptIn][name] = value;
    });
    return read;
  };
}

/** Return the fields of the form; the address by which a list knows a guest is always one. */
function fieldsOf({ page, identity }, words, isAccount) {
  const fields = page?.fields ?? [];
  if (!identity || isAccount) return fields;
  const isAddress = ({ name, kept_in: keptIn }) => name === identity.field && keptIn === 'profile';
  const label = words.say(`address.${identity.field}`);
  const own = { name: identity.field, kept_in: 'profile', required: true, type: identity.field === 'phone' ? 'tel' : 'email' };
  const whole = { label, ...fields.find(isAddress), ...own };
  return fields.some(isAddress) ? fields.map((one) => (isAddress(one) ? whole : one)) : [whole, ...fields];
}

function inputOf({ name, type, required, options, kept_in: keptIn }, id, value, make, words) {
  const common = { id, name, required, autocomplete: ['name', 'email', 'tel'].find((one) => one === type || one === name) };
  if (type !== 'select') {
    const maxlength = keptIn === 'attributes' ? 64 : 200;
    const input = make('input', { ...common, type, maxlength, dir: 'auto' });
    input.value = value;
    return input;
  }
  const choices = options.map((one) => make('option', { value: one, dir: 'auto' }, one));
  const select = make('select', common, make('option', { value: '' }, words.say('choose')), choices);
  select.value = value;
  return select;
}
