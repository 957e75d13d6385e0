// The part of <waitlist-position> that opens a place on another device, or asks for the link to a place. The element
// loads it when the customer presses one of its buttons.

const SVG = 'http://www.w3.org/2000/svg';
const QUIET = 4; // modules of white around the code: ISO/IEC 18004

/** Show the link to the place as a QR code and as text. */
export async function toDevice({ make, words, client, ask }) {
  const { generate } = await import('./lean-qr.js');
  const url = client.placeUrl;
  const link = make('input', { readonly: true, value: url, dir: 'ltr', onfocus: () => link.select() });
  const status = make('p', { role: 'status' });
  const copy = () => {
    const done = (key) => (status.textContent = words.say(key));
    link.select();
    Promise.resolve(navigator.clipboard?.writeText(url) ?? Promise.reject()).then(
      () => done('devices.copied'),
      () => done('devices.copy.self'),
    );
  };
  const button = make('button', { type: 'button', class: 'plain', onclick: copy }, words.say('devices.copy'));
  ask('toDevice', null, drawn(generate(url), words.say('devices')), make('label', {}, words.say('devices.link'), link), button, status);
}

/** Ask for the address to which the link is sent. */
export function askLink({ make, words, client, ask }) {
  const { field } = client.view.list.identity;
  const type = field === 'phone' ? 'tel' : 'email';
  const input = make('input', { type, required: true, maxlength: 200, autocomplete: type, dir: 'auto' });
  ask('askLink', () => client.askLink(input.value.trim()), make('label', {}, words.say(`address.${field}`), input));
}

/** Return the QR code as a picture, which is black on white even on a dark screen. */
export function drawn(code, label) {
  const side = code.size + 2 * QUIET;
  const picture = shape('svg', { role: 'img', 'aria-label': label, class: 'code', viewBox: `0 0 ${side} ${side}` });
  const dots = [];
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) dots.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
  }
  picture.append(shape('rect', { width: side, height: side, fill: '#fff' }), shape('path', { d: dots.join(''), fill: '#000' }));
  return picture;
}

function shape(name, properties) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  return element;
}
