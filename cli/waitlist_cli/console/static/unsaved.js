// Warns operators who leave a form with changes that are not saved.

// If the operator undoes a change of settings, the console loads the page again.
const LOSES = "If you undo this now, what you have typed on this page is lost. Undo it anyway?";

const entered = (form) => new URLSearchParams(new FormData(form)).toString();
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

/** Let the page go without a warning, because the service has saved its form. */
export function forgetUnsaved() {
  isForgotten = true;
}
