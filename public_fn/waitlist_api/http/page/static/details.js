// The part of <waitlist-position> in which a customer changes their answers, and whether they get messages. The
// element loads it when the customer asks for it.

import { answerOf, fieldsOf, isFilled, markWrong, rows } from './form.js';

/** Show the stored answers in a form. */
export async function details({ make, words, client, ask, isAccount }) {
  await words.add('form');
  const { list } = client.view;
  const fields = fieldsOf(list, { words, isAccount }).filter((field) => field.kept_in === 'profile');
  const own = await client.change({});
  if (!own) return;
  const kit = { make, words, answers: {} };
  for (const field of fields) kit.answers[field.name] = shownOf(field, own.profile[field.name], words);
  const [place, status] = [make('div'), make('p', { role: 'status' })];
  const inputs = rows(place, fields, kit);
  const answers = () => fields.map((field, at) => answerOf(field, inputs[at], kit));
  // Send only what the customer has changed, because the form cannot show every stored answer.
  let before = answers();
  const box = own.messages && make('input', { type: 'checkbox', checked: own.messages === 'on' });
  if (box) place.append(make('label', { class: 'check' }, box, make('span', {}, words.say('details.messages'))));
  const save = async (event) => {
    event.preventDefault();
    if (client.view.isBusy || !isFilled(place, kit)) return;
    status.textContent = '';
    const after = answers();
    const changed = Object.fromEntries(fields.map(({ name }, at) => [name, after[at] || null]).filter((_, at) => after[at] !== before[at]));
    const answer = await client.change(changed, box ? (box.checked ? 'on' : 'off') : undefined);
    // A new address takes effect only after it is verified. Until then, the customer can cancel the change by giving
    // the current address.
    const isAsked = answer?.status === 'check_your_inbox';
    if (answer) before = after;
    const why = client.view.refusal === 'too_many_changes' ? 'details.often' : 'details.failed';
    if (!answer) markWrong(place, client.view.wrong, kit);
    status.textContent = words.say(isAsked ? 'details.sent' : answer ? 'details.saved' : why);
  };
  ask('details', null, make('form', { novalidate: true, onsubmit: save }, place, make('button', { class: 'plain' }, words.say('details.save'))), status);
}

/**
 * Return the stored form of an answer, or null if it is empty. The answer to a checkbox is the text to which the
 * customer agreed.
 */
function textOf(answer) {
  return answer?.text ?? answer ?? null;
}

/**
 * Return the value to show for a question. A checkbox is ticked only if its text is the text to which the customer
 * agreed.
 */
function shownOf({ type, label }, answer, words) {
  return type === 'checkbox' ? textOf(answer) === words.of(label) : (textOf(answer) ?? '');
}
