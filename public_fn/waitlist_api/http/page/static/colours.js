// Makes the style sheet of a waitlist. It adjusts an operator's colour so that it is visible on the panel, and chooses a
// legible colour for text on it.

const COLOUR = '#1d5fd1';
// The colours of the panel in waitlist-position.css.
const LIGHT = '#ffffff';
const DARK = '#1c1f26';

const FONTS = {
  serif: "ui-serif, Charter, Georgia, 'Noto Serif', serif",
  rounded: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Nunito, sans-serif",
  mono: "ui-monospace, Menlo, Consolas, 'Noto Sans Mono', monospace",
};

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

function luminance(colour) {
  const [r, g, b] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Return the contrast ratio of two colours, from 1 to 21 (WCAG 2). */
export function contrast(first, second) {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function mixed(colour, other, share) {
  const to = channels(other);
  const parts = channels(colour).map((one, at) => Math.round(one + (to[at] - one) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Return the colour adjusted for a panel, and the colour of text on it. */
export function visible(colour, panel) {
  const away = luminance(panel) > 0.5 ? '#000000' : '#ffffff';
  let fill = colour;
  for (let share = 0.05; contrast(fill, panel) < 3; share += 0.05) fill = mixed(colour, away, share);
  const ink = contrast(fill, '#ffffff') >= contrast(fill, '#000000') ? '#ffffff' : '#000000';
  return { fill, ink };
}

/** Return the style sheet with a waitlist's colour, for light and dark mode, and with its font. */
export function ownSheet({ colour, font } = {}) {
  const given = /^#[0-9a-f]{6}$/i.test(colour ?? '') ? colour : COLOUR;
  const rule = ({ fill, ink }) => `:host { --fill: ${fill}; --on-fill: ${ink}; }`;
  const sheet = new CSSStyleSheet();
  const dark = `@media (prefers-color-scheme: dark) { ${rule(visible(given, DARK))} }`;
  const family = FONTS[font] ? `:host { font-family: ${FONTS[font]}; }` : '';
  sheet.replaceSync(`${rule(visible(given, LIGHT))} ${dark} ${family}`);
  return sheet;
}
