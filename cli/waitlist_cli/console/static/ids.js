// Suggests the id of a new list, which the console makes from the name of the list.

export function suggestId(form) {
  const { id, name } = form.elements;
  // An id that the operator has typed stays.
  let isTyped = id.value !== "";
  id.addEventListener("input", () => (isTyped = id.value !== ""));
  name.addEventListener("input", async () => {
    const typed = name.value;
    const answer = await fetch(`/new/id?${new URLSearchParams({ name: typed })}`).catch(() => null);
    // The operator may have typed more in the meantime.
    if (answer?.ok && !isTyped && name.value === typed) id.value = await answer.text();
  });
}
