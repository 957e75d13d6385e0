"""`make pictures`: the command line, the customer's page and the console, from `make run`."""

import io
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import category

from rich.console import Console
from rich.text import Text

from tools.pictures import console as consoles
from tools.pictures.page import film_page
from tools.pictures.paths import DOCS, ROOT
from tools.pictures.terminal import Terminal

PEOPLE = ROOT / "tools" / "demo" / "people.csv"
COLUMNS = ("--attribute", "city", "--map", "email=-")
WAITLIST = (sys.executable, "-m", "waitlist_cli", "--local")
# The queue is long by then, and the import still runs.
WAITING = re.compile(r"\b1,[2-9][0-9]{2}\b")


def main(wanted: Sequence[str]) -> int:
    """Make the pictures of these parts, or of all."""
    unknown = set(wanted) - set(PARTS)
    if unknown:
        print(f"There are {', '.join(PARTS)}, not {', '.join(unknown)}.", file=sys.stderr)
        return 2
    for name in wanted or PARTS:
        PARTS[name]()
    return 0


def film_command_line() -> None:
    """Make both pictures, each with its own waitlist."""
    with TemporaryDirectory() as folder:
        people = write_people(Path(folder))
        film_import(new_waitlist(), people)
        film_watch(new_waitlist(), people)


def write_people(folder: Path) -> str:
    """Write the people whose names the terminal can draw: it has no combined letters."""
    header, *rows = PEOPLE.read_text(encoding="utf-8").splitlines()
    plain = [row for row in rows if not any(category(letter)[0] == "M" for letter in row)]
    path = folder / "people.csv"
    path.write_text("\n".join([header, *plain]), encoding="utf-8")
    return str(path)


def film_import(waitlist_id: str, people: str) -> None:
    """Take a picture during the import and one at its end."""
    words = ("import", waitlist_id, people, *COLUMNS)
    terminal = typed(*words)
    terminal.until(lambda text: "1,000 rows" in text)
    halfway = terminal.picture()
    terminal.ended()
    command = Text(
        f"$ waitlist import {waitlist_id} people.csv {' '.join(COLUMNS)}\n", style="bold"
    )
    save("cli-import", "waitlist import", [command, halfway, Text("…"), terminal.picture()])


def film_watch(waitlist_id: str, people: str) -> None:
    """Take a picture while an import runs and a worker admits customers."""
    terminal = typed("watch", waitlist_id)
    terminal.until(lambda text: "open" in text)
    helpers = [
        helper("work", waitlist_id, "--concurrency", "3", "--", "sleep", "0.1"),
        helper("import", waitlist_id, people, *COLUMNS),
    ]
    try:
        terminal.until(lambda text: WAITING.search(text) is not None)
        terminal.settle()
        save("cli-watch", "waitlist watch", [terminal.picture()])
        terminal.interrupt()
        terminal.ended()
    finally:
        for process in helpers:
            process.terminate()
            process.wait()


def new_waitlist() -> str:
    """Create a waitlist with an unused name."""
    waitlist_id = f"bakery-{secrets.token_hex(2)}"
    typed("create", waitlist_id, "--name", "Bakery").ended()
    return waitlist_id


def typed(*words: str) -> Terminal:
    """Run a command against the local service."""
    return Terminal([*WAITLIST, *words], os.environ, lines=28, columns=96, seconds=300)


def helper(*words: str) -> subprocess.Popen[bytes]:
    """Start a command without a picture of it."""
    return subprocess.Popen(
        [*WAITLIST, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def save(name: str, title: str, parts: Sequence[Text]) -> None:
    """Write a picture."""
    console = Console(record=True, width=98, file=io.StringIO())
    for part in parts:
        console.print(part)
    path = DOCS / f"{name}.svg"
    console.save_svg(str(path), title=title)
    print(path.relative_to(ROOT))


PARTS: dict[str, Callable[[], object]] = {
    "cli": film_command_line,
    "page": film_page,
    "console": lambda: consoles.main([], os.environ),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
