// Sends a dropped or chosen file to the console, as the body of one request.

export function acceptFiles(form) {
  const input = form.querySelector("input[type=file]");
  const bar = form.querySelector("progress");
  const outcome = form.querySelector(".outcome");

  function send(file) {
    const request = new XMLHttpRequest();
    request.open("POST", `${form.dataset.send}?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("HX-Request", "true");
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) bar.value = event.loaded / event.total; });
    request.addEventListener("load", () => {
      if (request.status === 200) location.assign(JSON.parse(request.responseText).to);
      else refuse(request.responseText);
    });
    request.addEventListener("error", () => refuse("<p class=\"problem\" role=\"alert\">The file could not be read. Check that the console is running and that the file still exists.</p>"));
    outcome.replaceChildren();
    bar.hidden = false;
    bar.value = 0;
    request.send(file);
  }

  function refuse(html) {
    bar.hidden = true;
    input.value = "";
    outcome.innerHTML = html;
  }

  input.addEventListener("change", () => input.files.length && send(input.files[0]));
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      form.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => event.relatedTarget || form.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const files = event.dataTransfer.files;
    if (files.length === 1) send(files[0]);
    else refuse("<p class=\"problem\" role=\"alert\">Drop only one file.</p>");
  });
}
