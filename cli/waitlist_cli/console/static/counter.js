// The keys and the focus of the counter.

const WITHOUT_KEYS = "counter-without-keys";

export function runCounter() {
  const shortcuts = document.getElementById("shortcuts");
  shortcuts.checked = !localStorage.getItem(WITHOUT_KEYS);
  shortcuts.addEventListener("change", () => {
    if (shortcuts.checked) localStorage.removeItem(WITHOUT_KEYS);
    else localStorage.setItem(WITHOUT_KEYS, "yes");
  });

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.repeat;
    if (isTyping || isOther || !shortcuts.checked || document.querySelector("dialog[open]")) return;
    const matching = [...document.querySelectorAll(`[data-shortcut="${CSS.escape(event.key.toLowerCase())}"]`)];
    // If several people are called, a key applies to the person who has the focus, or else to the
    // person who was called last, who is the first on the page.
    const person = document.activeElement?.closest(".called");
    const button = matching.find((one) => person?.contains(one)) ?? matching[0];
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  });

  // The browser remembers the name of the desk after each letter, however the operator leaves the field.
  document.addEventListener("input", ({ target }) => {
    if (target.id !== "room") return;
    target.removeAttribute("aria-invalid");
    document.cookie = `${target.name}=${encodeURIComponent(target.value)}; ${target.dataset.cookie}`;
  });

  // If a refresh began before the end of an action, its data may be outdated, so it is not shown.
  const refreshes = (event) => event.detail.ctx.sourceElement?.hasAttribute?.("data-poll");
  let actions = 0;
  document.addEventListener("htmx:before:request", (event) => {
    // A refresh would remove the error beside the name of the desk.
    if (refreshes(event) && document.querySelector("#room[aria-invalid]")) event.preventDefault();
    if (refreshes(event)) event.detail.ctx.actions = actions;
    else actions++;
  });
  document.addEventListener("htmx:before:swap", (event) => {
    if (!refreshes(event)) actions++;
    else if (event.detail.ctx.actions !== actions) event.preventDefault();
  });

  document.addEventListener("htmx:after:swap", () => {
    const page = document.getElementById("counter");
    if (!page || document.querySelector("#trouble:not(:empty)")) return;
    const { focus } = page.dataset;
    if (!focus) return;
    delete page.dataset.focus;
    document.getElementById("counter-outcome").replaceChildren();
    document.getElementById(focus)?.focus();
  });
}
