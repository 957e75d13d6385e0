// Sorts and filters the table of people, and counts the ticked people.

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
let sorted = null;

const table = () => document.querySelector("table.people");
const rows = () => [...(table()?.tBodies[0].rows ?? [])];
// A dialog repeats the ticked people in hidden fields that have the same name, so only the table is
// searched.
const ticks = () => [...document.querySelectorAll("table.people [name=entry]")];

/** Let the operator sort, filter and tick the rows. The page can replace the table at any time. */
export function useTables() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".sort");
    if (button) sortBy(button.closest("th"));
  });
  document.addEventListener("input", (event) => {
    if (event.target.id === "filter") filterRows();
  });
  document.addEventListener("change", (event) => {
    if (event.target.id === "pick-all") {
      for (const tick of ticks()) tick.checked = event.target.checked && !tick.closest("tr").hidden;
    }
    if (event.target.matches("#pick-all, [name=entry]")) countTicks();
  });
  document.addEventListener("htmx:after:swap", restore);
  restore();
}

/** Untick everybody, for example because the ticked people have been dealt with. */
export function untick() {
  for (const tick of ticks()) tick.checked = false;
  countTicks();
}

/** Sort, filter and count again after the page has replaced the rows. */
function restore() {
  if (!table()) return;
  applySort();
  filterRows();
}

function sortBy({ cellIndex }) {
  const isSame = sorted?.column === cellIndex;
  sorted = { column: cellIndex, isDown: isSame && !sorted.isDown };
  applySort();
}

function applySort() {
  if (!sorted) return;
  const { column, isDown } = sorted;
  for (const head of table().tHead.rows[0].cells) head.removeAttribute("aria-sort");
  table().tHead.rows[0].cells[column]?.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const key = (row) => row.cells[column]?.dataset.sort ?? row.cells[column]?.textContent.trim() ?? "";
  const inOrder = rows().sort((one, other) => collator.compare(key(one), key(other)));
  const focused = document.activeElement;
  table().tBodies[0].append(...(isDown ? inOrder.reverse() : inOrder));
  if (table().contains(focused)) focused.focus({ preventScroll: true });
}

function filterRows() {
  const wanted = fold(document.getElementById("filter")?.value ?? "");
  for (const row of rows()) {
    row.hidden = !fold(row.textContent).includes(wanted);
    const tick = row.querySelector("[name=entry]");
    if (tick && row.hidden) tick.checked = false;
  }
  countTicks();
}

function countTicks() {
  const count = ticks().filter((tick) => tick.checked).length;
  const place = document.getElementById("ticked");
  if (place) place.textContent = count ? `${count} ticked` : "";
  const all = document.getElementById("pick-all");
  if (all) all.checked = count > 0 && count === ticks().filter((tick) => !tick.closest("tr").hidden).length;
  // A disabled button loses the focus.
  if (!count && document.activeElement?.matches("[data-bulk]")) {
    document.getElementById("main").focus({ preventScroll: true });
  }
  for (const button of document.querySelectorAll("[data-bulk]")) button.disabled = !count;
}
