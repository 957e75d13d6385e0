// Warns operators who leave a form with changes that are not saved.

const entered = (form) => new URLSearchParams(new FormData(form)).toString();

export function warnOfUnsaved() {
  const forms = [...document.querySelectorAll("form[data-unsaved]")];
  const saved = new Map(forms.map((form) => [form, entered(form)]));
  let isLeaving = false;
  // The response to a form that was saved sends the browser to the next page.
  document.addEventListener("htmx:before:response", (event) => {
    if (event.detail.ctx.response.headers.has("HX-Redirect")) isLeaving = true;
  });
  addEventListener("beforeunload", (event) => {
    if (!isLeaving && forms.some((form) => entered(form) !== saved.get(form))) event.preventDefault();
  });
}
