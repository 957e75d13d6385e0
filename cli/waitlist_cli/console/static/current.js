// Warns that a page shows old data while the service, or the console itself, does not answer.

// How long a page waits for a good answer to its refreshes before it warns.
const LATE_MILLIS = 6000;

/** `line` shows the warning. `refreshes` says whether an event of htmx belongs to a refresh. */
export function warnIfOld(line, refreshes) {
  let refreshedAt = Date.now();
  // When the first refresh without a good answer began.
  let askedAt = null;
  document.addEventListener("htmx:before:request", (event) => {
    if (refreshes(event) && !event.defaultPrevented) askedAt ??= Date.now();
  });
  // The Counter does not show the answer to a refresh if an action began in the meantime.
  document.addEventListener("htmx:before:response", (event) => {
    if (refreshes(event) && event.detail.ctx.response.status < 400) [refreshedAt, askedAt] = [Date.now(), null];
  });

  setInterval(() => {
    const isShown = askedAt !== null && Date.now() - askedAt > LATE_MILLIS && !document.hidden;
    if (line.hidden === !isShown) return;
    line.hidden = !isShown;
    const time = new Date(refreshedAt).toLocaleTimeString("en-GB", { timeZone: line.dataset.zone });
    line.textContent = isShown ? `This page has not been current since ${time}. It continues by itself.` : "";
  }, 1000);
}
