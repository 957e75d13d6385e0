"""The customer page's static files. Each process reads the files on first use."""

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

FOLDER = Path(__file__).with_name("static")
VENDOR = Path(__file__).with_name("vendor")
SHELL = "page.html"
# A waitlist's other pages, by the last part of their URL.
VIEWS = {"kiosk": "kiosk.html", "screen": "screen.html"}
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
# Matches whole-line comments, which browsers do not need.
COMMENTS = re.compile(r"^ *(//.*|/\*\*(?s:.*?)\*/)\n", re.MULTILINE)
INDENTS = re.compile(r"^\s+", re.MULTILINE)


class PageFile(Struct, frozen=True):
    """A static file as browsers get it.

    Its ETag is weak, because the compressed and the uncompressed version share it.
    """

    text: str
    content_type: str

    @property
    def etag(self) -> str:
        return etag_of(self.text)


@cache
def files() -> dict[str, PageFile]:
    """Return all files, by name."""
    found = {}
    for path in sorted([*FOLDER.iterdir(), *VENDOR.iterdir()]):
        if path.suffix == ".json":
            texts = json.loads(path.read_text("utf-8"))
            # A JSON file with the same name as a script contains the script's texts in all
            # languages. Split the file by language, because a browser needs only one language.
            is_part = path.with_suffix(".js").exists()
            named = {f"{path.stem}-{language}": texts[language] for language in texts}
            for name, own in (named if is_part else {path.stem: texts}).items():
                text = json.dumps(own, ensure_ascii=False, separators=(",", ":"))
                found[f"{name}.json"] = PageFile(text, TYPES[".json"])
        elif path.suffix in TYPES:
            found[path.name] = PageFile(_served(path), TYPES[path.suffix])
    return found


@cache
def version() -> str:
    """Return a digest of all files, which every file's URL contains."""
    return _digest("\0".join(f"{name}\0{file.text}" for name, file in files().items()))


@cache
def words() -> dict[str, Any]:
    """Return the page's English texts by name.

    If a text contains a number, its value is an object with one text for each plural form.
    """
    known: dict[str, Any] = {}
    for name, file in files().items():
        if name.endswith("en.json"):
            known |= json.loads(file.text)
    del known["direction"]
    return known


def asset(name: str) -> PageFile | None:
    """Return a file that browsers may load, or None if there is no such file."""
    return None if name == SHELL or name in VIEWS.values() else files().get(name)


def etag_of(text: str) -> str:
    return f'W/"{_digest(text)}"'


def _served(path: Path) -> str:
    text = path.read_text("utf-8")
    if path.parent == VENDOR:
        licence = path.with_name(f"{path.stem}-LICENSE").read_text("utf-8")
        return f"/*!\n{licence}*/\n{text}"
    if path.suffix == ".js":
        text = COMMENTS.sub("", text)
    return INDENTS.sub("", text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
