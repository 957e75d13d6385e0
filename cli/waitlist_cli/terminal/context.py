"""What each command needs: the API client, the output, and helpers for requests."""

import os
import uuid
from collections.abc import Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import typer

from waitlist_cli.client.configuration import Choice, target_of
from waitlist_cli.client.ids import chosen_entry_id
from waitlist_cli.client.paging import pages
from waitlist_cli.client.retries import ONCE, PATIENT
from waitlist_cli.errors import CliError, WrongUsage
from waitlist_cli.operations.names import Document, name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.output import Console, Output, format_value

# Importing the API client is slow, so only commands that send requests import it.
if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


class Context(typer.Context):
    """The context that Typer passes to each command."""

    choice = Choice()

    @cached_property
    def output(self) -> Output:
        as_json = bool(self.choice.as_json)
        return Output(as_json, Console(), Console(stderr=True), self._zone)

    @cached_property
    def api(self) -> "Api":
        import httpx

        from waitlist_cli.client.api import Api
        from waitlist_cli.client.sigv4 import operator_auth

        target = target_of(self.choice, os.environ)
        # Only a service on this computer may use HTTP without TLS. Requests to such a service need
        # neither proxy settings nor certificates, so httpx does not load them.
        is_https = target.url.lower().startswith("https:")
        try:
            http = httpx.Client(
                base_url=target.url,
                timeout=PATIENT.timeout_seconds,
                trust_env=is_https,
                verify=is_https,
            )
        except OSError as error:
            raise WrongUsage(
                f"The certificates in SSL_CERT_FILE or SSL_CERT_DIR cannot be read: {error}."
            ) from error
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise WrongUsage(
                f"The address, or the proxy in HTTPS_PROXY or ALL_PROXY, cannot be used: {error}"
            ) from error
        self.call_on_close(http.close)
        # Only operators' requests are signed, so read the AWS credentials before the first such
        # request, and cache them for later requests.
        auth = cache(lambda: operator_auth(target))
        return Api(http, auth, self._on_retry, forget_auth=auth.cache_clear)

    def call(self, method: str, waitlist_id: str, path: str = "", body: Any = None) -> Any:
        """Send an operator's request about a waitlist, and return the response."""
        return self.api.operator(method, f"/{waitlist_id}{path}", body)

    def person(self, waitlist: str, entry: str | None, customer: str | None) -> Person:
        """Return the person whom the operator chose by entry id or by customer id.

        Requests about the person carry an Idempotency-Key, so a retried request takes effect only
        once.
        """
        entry_id = chosen_entry_id(waitlist, entry, customer)
        return Person(self.api, waitlist, entry_id, str(uuid.uuid4()))

    @cached_property
    def waitlist(self) -> Document | None:
        """The waitlist that the command is about. It is None if the command names no waitlist or if
        the waitlist cannot be read.
        """
        waitlist_id = self.params.get("waitlist")
        if not waitlist_id:
            return None
        try:
            found: Document = self.api.operator("GET", f"/{waitlist_id}", policy=ONCE)
        except CliError:
            return None
        return found

    def describe_person(self, entry_id: str) -> str:
        """Return a person's name and entry id, such as `Ada (k2…)`, for an operator at a terminal.

        Return only the entry id if a program reads the output or the name is not known.
        """
        if not self._has_reader or self.waitlist is None:
            return entry_id
        try:
            path = f"/{self.waitlist['waitlist_id']}/entries/{entry_id}"
            name = name_of(self.api.operator("GET", path, policy=ONCE), self.waitlist)
        except CliError:
            return entry_id
        return name if name == entry_id else f"{name} ({entry_id})"

    def name_person(self, entry: Document) -> str:
        """Return the person's name if the output goes to a terminal and the name is known.
        Otherwise, return one of the person's ids.
        """
        if not self._has_reader or self.waitlist is None:
            return format_value(entry["customer_id"] or entry["entry_id"])
        return name_of(entry, self.waitlist)

    @property
    def _has_reader(self) -> bool:
        return self.output.console.is_terminal and not self.output.as_json

    def _zone(self) -> str:
        return "UTC" if self.waitlist is None else str(self.waitlist.get("timezone", "UTC"))

    def ask_first(self, yes: bool, question: str) -> None:
        """Ask the operator for confirmation, unless `yes` is true.

        Raise WrongUsage if the operator declines or if the output is not a terminal.
        """
        if yes:
            return
        if not self.output.console.is_terminal:
            raise WrongUsage(
                f"{question} The command cannot ask you, because this is not a terminal. "
                "Pass --yes to confirm."
            )
        try:
            is_sure = typer.confirm(question)
        except typer.Abort:
            raise KeyboardInterrupt from None
        if not is_sure:
            raise WrongUsage("You did not confirm, so nothing was done.")

    def pages(
        self, path: str, name: str, most: int | None = None, **params: str
    ) -> Iterator[dict[str, Any]]:
        """Yield at most `most` items of a list, or all items if `most` is None.

        Each request reads one page.
        """
        return pages(self.api, path, name, most, **params)

    def _on_retry(self, problem: str, seconds: float, attempt: int, tries: int) -> None:
        if self.output.notes.is_terminal and not self.output.as_json:
            self.output.note(f"{problem} Try {attempt} of {tries} in {seconds:.0f} s.", "yellow")
