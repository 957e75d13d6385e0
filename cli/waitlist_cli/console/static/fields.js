// Moves each problem of a refused form to the field that it is about.

/** Remove the problems of the last request from the fields of a form. */
export function clearProblems(form) {
  form.querySelectorAll(".wrong").forEach((problem) => problem.remove());
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    const hint = document.getElementById(`hint-${field.name}`);
    if (hint) field.setAttribute("aria-describedby", hint.id);
    else field.removeAttribute("aria-describedby");
  }
}

/**
 * Show each problem at its field, and move the focus to the first of these fields. If every problem has a field,
 * the box with all problems disappears.
 */
export function showProblems(form) {
  const named = [...form.querySelectorAll(".outcome [data-field]")];
  const placed = named.filter((item) => placeProblem(form, item));
  if (!placed.length) return;
  placed.forEach((item) => item.remove());
  if (placed.length === named.length) form.querySelector(".outcome").replaceChildren();
  form.querySelector("[aria-invalid]").focus();
}

// The path of a problem can be longer than the name of the field, such as body.attributes.language.1.
function findField(form, path) {
  const parts = path.replace(/^body\./, "").split(".");
  const named = () => form.elements[parts.join(".")] ?? form.elements[parts.join("_")];
  while (parts.length && !named()) parts.pop();
  return named();
}

function placeProblem(form, { dataset }) {
  const field = findField(form, dataset.field);
  if (!(field instanceof HTMLElement) || field.type === "hidden") return false;
  const details = field.closest("details");
  if (details) details.open = true;
  const problem = document.createElement("span");
  problem.className = "wrong";
  problem.id = `wrong-${field.name}`;
  problem.textContent = dataset.says;
  field.after(problem);
  field.setAttribute("aria-invalid", "true");
  const hint = document.getElementById(`hint-${field.name}`);
  field.setAttribute("aria-describedby", `${problem.id} ${hint?.id ?? ""}`.trim());
  return true;
}
