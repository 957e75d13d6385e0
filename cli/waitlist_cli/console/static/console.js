import { drawCharts } from "/static/charts.js";
import { runCounter } from "/static/counter.js";
import { warnIfOld } from "/static/current.js";
import { acceptFiles } from "/static/drop.js";
import { clearProblems, showProblems } from "/static/fields.js";
import { suggestId } from "/static/ids.js";
import { untick, useTables } from "/static/tables.js";
import { forgetUnsaved, keepTyped, mayClose, warnOfUnsaved } from "/static/unsaved.js";
import { proposeByCountry, proposeLanguage, useOwnZone } from "/static/zones.js";

const dialog = document.getElementById("dialog");
const trouble = document.getElementById("trouble");
const NOTICE_MILLIS = 12000;
const SENT_MILLIS = 1000;
const LOADS_PAGE = "action-loads-page";
const TICKED = "ticked-language";
const GONE = "The console does not answer. If it has ended, start it again with `waitlist console`.";

const polls = (event) => event.detail.ctx.sourceElement?.hasAttribute?.("data-poll");

// While a page is hidden or a dialog is open, the page does not poll.
const isStill = () => document.hidden || dialog.open;
document.addEventListener("htmx:before:request", (event) => {
  if (polls(event) && isStill()) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) htmx.trigger(document.body, "refresh");
});
document.addEventListener("htmx:before:response", (event) => {
  const { status, headers } = event.detail.ctx.response;
  if (status < 400) trouble.replaceChildren();
  // The service answers again, and the page is current.
  if (status < 400 && polls(event)) document.querySelector("main [data-no-answer]")?.remove();
  // The response loads a page, which begins without the focus.
  if (!headers.has("HX-Redirect") && !headers.has("HX-Refresh")) return;
  sessionStorage.setItem(LOADS_PAGE, "yes");
  forgetUnsaved();
});
document.addEventListener("htmx:before:request", (event) => {
  if (event.detail.ctx.sourceElement instanceof HTMLFormElement) clearProblems(event.detail.ctx.sourceElement);
});
document.addEventListener("htmx:error", (event) => {
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.textContent = GONE;
  (dialog.open ? dialog.querySelector(".outcome") : trouble).replaceChildren(problem);
});

// A swap can remove the focused control. Then the focus moves to another part of the page that is about the same
// person. On the page of a list or of one person, it moves to a button that is new, which usually does the opposite:
// for example, "Pause" becomes "Resume". If no button is new, it moves to the button in the same place. It never moves
// to a button of another person, because the next key would press this button.
const buttonsAtTop = () => [...document.querySelectorAll("#main > .head .actions button")];
let focused = null;
document.addEventListener("htmx:before:swap", () => {
  const control = document.activeElement?.closest("#main *");
  const { person } = control?.closest("[data-person]")?.dataset ?? {};
  const buttons = buttonsAtTop();
  const names = buttons.map((button) => button.id);
  focused = control && { id: control.id, person, at: buttons.indexOf(control), names };
});
function returnFocus() {
  if (!focused || document.activeElement !== document.body) return;
  const { id, person, at, names } = focused;
  const ofPerson = document.querySelector(`[data-person="${CSS.escape(person ?? "")}"]`);
  const buttons = buttonsAtTop();
  const added = buttons.find((button) => !names.includes(button.id));
  const atTop = at < 0 ? null : (added ?? buttons[Math.min(at, buttons.length - 1)]);
  const found = document.getElementById(id) ?? ofPerson?.querySelector("[tabindex], a") ?? atTop;
  (found ?? resultOrMain()).focus();
}
const resultOrMain = () => document.querySelector("#notices .notice:last-of-type") ?? document.getElementById("main");

// While the request of a form runs, its button is disabled, and the browser takes the focus away from it. After
// this event, the button is enabled again.
document.addEventListener("htmx:finally:request", (event) => {
  const { submitter } = event.detail.ctx.request;
  if (submitter) setTimeout(() => keepFocus(submitter));
});
function keepFocus(submitter) {
  if (document.activeElement !== document.body) return;
  const canFocus = submitter.isConnected && !submitter.disabled;
  (canFocus ? submitter : resultOrMain()).focus({ preventScroll: true });
}

document.addEventListener("htmx:after:swap", (event) => {
  // When an action is undone, a new notice replaces the notice with the button "Undo".
  const undone = event.detail.ctx.sourceElement?.closest?.(".notice[data-undo-seconds]");
  if (undone && event.detail.ctx.response.status < 400) {
    // While a dialog is open, screen readers cannot read what is outside it, so the new notice
    // moves into the dialog.
    if (dialog.open) undone.after(document.querySelector("#notices .notice:last-of-type"));
    dismiss(undone);
  }
  if (!dialog.open) returnFocus();
  // The response contains the form with its sent values. Reset the form, because a morph keeps the selected choices.
  if (event.detail.ctx.swap === "outerMorph") document.getElementById("page").reset();
  if (document.querySelector("#dialog-body > form") && !dialog.open) {
    // When the dialog closes, the focus returns to the element that had it before. Some browsers do not focus a
    // button that is clicked, so focus it here.
    event.detail.ctx.sourceElement?.focus();
    dialog.showModal();
    // The dialog before may have been scrolled.
    dialog.scrollTop = 0;
  }
  const sent = event.detail.ctx.sourceElement;
  if (sent instanceof HTMLFormElement && sent.isConnected) showProblems(sent);
  if (sent?.id === "page") sent.querySelector("[aria-invalid]")?.focus();
  if (sent?.id === "add-question") [...document.getElementsByName("question_label")].at(-1).focus();
  if (dialog.open && !dialog.contains(document.activeElement)) {
    // In a second dialog, a screen reader first reads what the action will do.
    dialog.querySelector(".consequence[tabindex], input:not([type=hidden]), textarea, button")?.focus();
  }
  for (const notice of document.querySelectorAll("#notices .notice:not([data-seen])")) keep(notice);
});
document.addEventListener("done", () => {
  // The ticked people have just been dealt with.
  untick();
  // When the dialog closes, the page is refreshed.
  if (dialog.open) dialog.close();
  else htmx.trigger(document.body, "refresh");
});
document.addEventListener("undone", () => {
  if (!dialog.open) htmx.trigger(document.body, "refresh");
});
// The dialog stays open for the next person.
document.addEventListener("added", () => {
  const form = dialog.querySelector("form");
  form.reset();
  form.querySelector("input:not([type=hidden]), select").focus();
});
dialog.addEventListener("cancel", (event) => {
  // The Escape key was pressed.
  const form = dialog.querySelector("form");
  if (form && !mayClose(form)) event.preventDefault();
});
dialog.addEventListener("close", () => {
  htmx.trigger(document.body, "refresh");
  // If a request is still running, show its result above the page.
  if (dialog.querySelector("button[type=submit]:disabled")) trouble.after(dialog.querySelector(".outcome"));
  document.getElementById("dialog-body").replaceChildren();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) dialog.close();
  if (event.target.closest("[data-dismiss]")) dismiss(event.target.closest(".notice"));
  const copy = event.target.closest("[data-copy]");
  if (copy) copyText(copy);
});

async function copyText(button) {
  // If the button does not name the element to copy, it stands directly after the element.
  const copied = document.getElementById(button.dataset.copy) ?? button.previousElementSibling;
  await navigator.clipboard.writeText(copied.textContent);
  trouble.textContent = "Copied.";
}

function dismiss(notice) {
  // While the request of a button runs, the button is disabled, and the browser takes the focus
  // away from it.
  const hadFocus = notice.contains(document.activeElement) || document.activeElement === document.body;
  const place = dialog.open ? dialog : document.getElementById("notices");
  const home = dialog.open ? dialog.querySelector("[data-close]") : document.getElementById("main");
  notice.remove();
  if (hadFocus) (place.querySelector(".notice:last-of-type") ?? home).focus();
}
function keep(notice) {
  notice.dataset.seen = "";
  // If the operator has just done what an earlier button "Undo" would do, the earlier button is pointless. Some
  // actions are undone by the same action with other values, such as a move. There, both buttons have an effect.
  const { done, undoneBy } = notice.dataset;
  for (const earlier of done === undoneBy ? [] : document.querySelectorAll(".notice")) {
    if (earlier.dataset.undoneBy === done) earlier.remove();
  }
  if (notice.querySelector("code")) return;
  // A notice stays while the pointer or the focus is on it.
  const end = () => (notice.matches(":hover, :focus-within") ? setTimeout(end, NOTICE_MILLIS) : notice.remove());
  const millis = notice.dataset.undoSeconds * 1000 || NOTICE_MILLIS;
  setTimeout(end, millis);
  // An action that can no longer be undone is sent to the service now. Then show what it has changed.
  if (notice.querySelector(".undo")) setTimeout(() => htmx.trigger(document.body, "refresh"), millis + SENT_MILLIS);
}
document.querySelectorAll("#notices .notice").forEach(keep);

// On a narrow screen, the tabs scroll sideways. After `scrollIntoView`, the first Tab key would skip the links before
// the current tab.
const tab = document.querySelector(".tabs [aria-current]");
if (tab) {
  const bar = tab.parentElement;
  bar.scrollLeft = tab.offsetLeft - bar.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
}

const charts = document.getElementById("charts");
if (charts) drawCharts(charts);
const drop = document.getElementById("drop");
if (drop) acceptFiles(drop);
if (document.getElementById("counter")) runCounter();
const old = document.getElementById("old");
if (old) warnIfOld(old, polls);
useTables();
if (sessionStorage.getItem(LOADS_PAGE) && document.activeElement === document.body) {
  document.getElementById("main").focus({ preventScroll: true });
}
sessionStorage.removeItem(LOADS_PAGE);
document.querySelector("[data-print]")?.addEventListener("click", () => print());
// Each tick of a language loads the poster again. Then the focus returns to the ticked language.
const poster = document.getElementById("poster");
poster?.addEventListener("change", ({ target }) => {
  sessionStorage.setItem(TICKED, target.value);
  poster.submit();
});
poster?.querySelector(`[value="${CSS.escape(sessionStorage.getItem(TICKED) ?? "")}"]`)?.focus();
sessionStorage.removeItem(TICKED);
const created = document.getElementById("new");
if (created) suggestId(created);
const zone = document.getElementById("timezone");
if (zone?.hasAttribute("data-own-zone")) useOwnZone(zone.form);
if (created) proposeByCountry(created);
const usual = document.querySelector("select[data-of-country]");
if (usual) proposeLanguage(usual, usual.dataset.ofCountry);
warnOfUnsaved();
keepTyped();
