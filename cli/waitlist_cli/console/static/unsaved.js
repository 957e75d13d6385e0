// Warns operators who leave a form with changes that are not saved.

const entered = (form) => new URLSearchParams(new FormData(form)).toString();
let isForgotten = false;

export function warnOfUnsaved() {
  const forms = [...document.querySelectorAll("form[data-unsaved]")];
  const saved = new Map(forms.map((form) => [form, entered(form)]));
  addEventListener("beforeunload", (event) => {
    if (!isForgotten && forms.some((form) => entered(form) !== saved.get(form))) event.preventDefault();
  });
}

/** Let the page go without a warning, because the service has saved its form. */
export function forgetUnsaved() {
  isForgotten = true;
}
