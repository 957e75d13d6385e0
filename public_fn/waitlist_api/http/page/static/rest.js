// The part of <waitlist-position> that lets a customer let others pass, and explains why an entry is not ready. The
// element loads it if the waitlist has the setting `rest`, or if the entry or an entry ahead is not ready.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Fill `place`, or update it. `make` and `ask` come from the element. */
export function draw(place, { entry, list, refusal, isBusy }, { make, words, client, ask, row }) {
  const act = () => client.view.isBusy || (client.view.entry.rest_until ? resume(client.view.entry) : choose());
  if (!place.firstChild) {
    // The button is never replaced, so that it keeps the focus.
    row.prepend(make('button', { type: 'button', class: 'acts rests', onclick: act }));
    place.append(make('p'), make('p', { class: 'resting', role: 'status' }));
  }
  const [ahead, status] = place.children;
  const button = row.querySelector('.rests');
  show(ahead, aheadOf(entry, words));
  const left = entry.rests_left != null && entry.ready !== null && words.say('restsLeft', { n: entry.rests_left });
  show(status, [...reasonsOf(entry, words, client.now), words.texts[`refused.${refusal}`] ?? left].filter(Boolean).join(' '));
  show(button, words.say(entry.rest_until ? 'resume' : 'rest'));
  const kind = entry.rest_until && !entry.confirm_by ? 'main' : 'quiet';
  Object.assign(button, { className: `acts rests ${kind}`, part: `button ${kind}` });
  button.hidden = !(entry.rest_until || list?.rest);
  button.setAttribute('aria-disabled', isBusy);

  function resume({ rest_until }) {
    // Name the rest that is shown, so that a request that arrives late or twice does not end the next rest.
    return client.do('resume', { rest_until });
  }

  function rest(millis) {
    const until = new Date(millis).toISOString();
    return client.do('rest', { until }, `rest-${until}`);
  }

  function choose() {
    const { max_days, times } = client.view.list.rest;
    const now = client.now;
    const latest = now + max_days * DAY_MS;
    const [value, min, max] = [Math.min(now + DAY_MS, latest), now + MINUTE_MS, latest].map(local);
    const input = make('input', { type: 'datetime-local', required: true, value, min, max, 'aria-describedby': 'latest' });
    const limits = `${words.say('rest.latest', { time: words.time(new Date(latest).toISOString(), now) })} ${words.say('rest.times', { n: times })}`;
    const yes = () => rest(Math.min(Math.max(endOf(input.value, now), client.now + MINUTE_MS), latest));
    ask('rest', yes, make('label', {}, words.say('rest.until'), input), make('p', { id: 'latest' }, limits));
  }
}

/**
 * Return the chosen minute in milliseconds. The milliseconds differ each time, because the end identifies the pause in
 * which the customer lets others pass.
 */
function endOf(text, now) {
  return Date.parse(text) + (now % MINUTE_MS);
}

/** Return a time in the format of the input field, by this device's clock and in minutes. */
function local(millis) {
  return new Date(millis - new Date(millis).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Change a text only if it is different, because screen readers announce each change. */
function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function aheadOf({ position, ready, ready_ahead: n }, words) {
  if (n == null || n >= position - 1) return '';
  return n || !ready ? words.say('readyAhead', { n }) : words.say('next');
}

function reasonsOf({ ready, not_ready: reasons, rest_until: until, delayed_until: delayed }, words, now) {
  if (ready !== false) return [];
  const rests = until && words.say('resting', { time: words.time(until, now) });
  if (reasons?.includes('held_back')) return [rests, words.say('heldBack')];
  if (rests) return [rests];
  const why = reasons?.includes('declined') ? 'declined' : 'delayed';
  return [delayed ? words.say(why, { time: words.time(delayed, now) }) : words.say('passedOver')];
}
