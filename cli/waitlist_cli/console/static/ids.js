// Suggests the id of a new list, which is made from the name of the list.

const LONGEST = 63;

export function suggestId(form) {
  const { id, name } = form.elements;
  // An id that the operator has typed stays.
  let isTyped = id.value !== "";
  id.addEventListener("input", () => (isTyped = id.value !== ""));
  // This is the id of a list whose name has no Latin letters.
  const other = `list-${Date.now().toString(36)}`;
  name.addEventListener("input", () => {
    if (!isTyped) id.value = name.value.trim() && (idFrom(name.value) || other);
  });
}

// Returns the name in lower-case letters without accents. A hyphen replaces other characters.
function idFrom(name) {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, LONGEST).replace(/-$/, "");
}
