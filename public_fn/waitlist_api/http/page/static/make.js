// Makes the elements of the pages.

/**
 * Return an element. Other pages can style it as a part, by its name and classes. Strings become text, never HTML.
 */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.setAttribute('part', [name, properties.class].join(' ').trim());
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

/** Return a picture, or a false value if it has no web address. */
export const picture = (name, src) => isWebAddress(src) && make('img', { class: name, src, alt: '', referrerpolicy: 'no-referrer' });

export const isWebAddress = (url) => url && ['https:', 'http:'].includes(new URL(url, location.href).protocol);
