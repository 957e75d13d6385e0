"""How the operator's browser gets in: a page in a private folder, or an address in the terminal."""

import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

from waitlist_cli.console.guard import ENTER, Guard
from waitlist_cli.terminal.output import Output
from waitlist_cli.terminal.private_files import open_private

# The token is in the page and not in an address: `/proc` shows the command line of the program
# that opens the browser to every user of the computer.
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>Waitlist console</title>
<form method="post" action="{action}"><input type="hidden" name="token" value="{token}">
<button>Open the console</button></form>
<script>document.forms[0].submit()</script></html>
"""
PAGE_NAME = "open.html"


@dataclass(frozen=True)
class Entrance:
    """Opens the console in the browser, or prints its address; `folder` is the operator's alone."""

    guard: Guard
    folder: Path
    output: Output
    opens_browser: bool

    def open(self) -> None:
        """Open the console with another token, which is good once and for a minute."""
        if self.opens_browser:
            page = self._page()
            # Some browsers, such as those of a terminal, return only at their end.
            threading.Thread(target=self._browse, args=(page,), daemon=True).start()
        else:
            self._print_address()

    def open_at_each_line(self) -> None:
        """Open the console again whenever the operator presses Enter, until the process ends."""
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        # A process in the background of its terminal may not read from it.
        with suppress(OSError, ValueError):
            for _ in iter(sys.stdin.readline, ""):
                self.open()

    def _browse(self, page: str) -> None:
        if not webbrowser.open(page):
            self._print_address()

    def _print_address(self) -> None:
        address = f"{self.guard.origin}/?token={self.guard.new_token()}"
        if self.output.as_json:
            self.output.json_line({"url": address})
        else:
            self.output.line(address)

    def _page(self) -> str:
        """Write the page with another token; return its address."""
        path = self.folder / PAGE_NAME
        action = escape(f"{self.guard.origin}{ENTER}")
        with open_private(path) as file:
            file.write(PAGE.format(action=action, token=self.guard.new_token()))
        return path.as_uri()
