// Warns operators who leave a form with changes that are not saved.

// If the operator undoes a change of settings, the console loads the page again.
const LOSES = "If you undo this now, what you have typed on this page is lost. Undo it anyway?";
const LOSES_DIALOG = "If you close this dialog now, what you have typed in it is lost. Close it anyway?";

const entered = (form) => new URLSearchParams(new FormData(form)).toString();
// Browsers leave the seconds of a time out if the seconds are 0.
const shortened = (text) => text.replace(/(T\d\d:\d\d):00$/, "$1");
const pairs = (form) => [...new FormData(form)].map((pair) => JSON.stringify(pair));
let isForgotten = false;

export function warnOfUnsaved() {
  const forms = [...document.querySelectorAll("form[data-unsaved]")];
  const saved = new Map(forms.map((form) => [form, entered(form)]));
  const isUnsaved = () => forms.some((form) => entered(form) !== saved.get(form));
  addEventListener("beforeunload", (event) => {
    if (!isForgotten && isUnsaved()) event.preventDefault();
  });
  document.addEventListener("htmx:before:request", (event) => {
    const loadsPage = event.detail.ctx.sourceElement?.matches?.("[data-loads-page]");
    if (loadsPage && isUnsaved() && !confirm(LOSES)) event.preventDefault();
  });
}

/** Keep what the operator has typed in a form when a link or another form opens the same form again. */
export function keepTyped() {
  for (const opener of document.querySelectorAll("[data-keeps]")) {
    const form = document.getElementById(opener.dataset.keeps);
    const before = new Set(pairs(form));
    // The page can open with what the operator typed before choosing an earlier template.
    const kept = new Set(new URLSearchParams(location.search).keys());
    kept.delete("like");
    const open = (event, url) => {
      event.preventDefault();
      const chosen = new Set(url.searchParams.keys());
      for (const pair of pairs(form)) {
        const [name, value] = JSON.parse(pair);
        const isTyped = kept.has(name) || !before.has(pair);
        if (isTyped && !chosen.has(name)) url.searchParams.append(name, value);
      }
      forgetUnsaved();
      location.assign(url);
    };
    opener.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) open(event, new URL(link.href));
    });
    opener.addEventListener("submit", (event) => {
      const url = new URL(opener.action);
      for (const [name, value] of new FormData(opener)) url.searchParams.append(name, value);
      open(event, url);
    });
  }
}

/** Return whether a dialog with this form may close. If the operator would lose typed text, ask first. */
export function mayClose(form) {
  const isSent = form.querySelector("button[type=submit]:disabled");
  const isTyped = [...form.elements].some(({ value, defaultValue }) => defaultValue !== undefined && shortened(value) !== shortened(defaultValue));
  return isSent || !isTyped || confirm(LOSES_DIALOG);
}

/** Let the page go without a warning, because the service has saved its form. */
export function forgetUnsaved() {
  isForgotten = true;
}
