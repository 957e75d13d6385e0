// Suggests the id of a new list, which the console makes from the name of the list.

export function suggestId(form) {
  const { id, name } = form.elements;
  // An id that the operator has typed stays.
  let isTyped = false;
  // The page can open with a name and an id that the operator has typed before choosing a template.
  if (name.value) suggested(name.value).then((suggestion) => (isTyped = ![suggestion, ""].includes(id.value)));
  id.addEventListener("input", () => (isTyped = id.value !== ""));
  name.addEventListener("input", async () => {
    const typed = name.value;
    const suggestion = await suggested(typed);
    // The operator may have typed more in the meantime.
    if (suggestion != null && !isTyped && name.value === typed) id.value = suggestion;
  });
}

async function suggested(name) {
  const answer = await fetch(`/new/id?${new URLSearchParams({ name })}`).catch(() => null);
  return answer?.ok ? answer.text() : null;
}
