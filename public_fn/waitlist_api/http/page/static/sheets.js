// Loads the style sheets of the pages for shared devices.

/** Return the style sheets with these file names. */
export const loadSheets = (names) => Promise.all(names.map(load));

async function load(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`no styles: ${response.status}`);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(await response.text());
  return sheet;
}
