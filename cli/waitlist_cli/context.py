"""What every command works with: the service, a waitlist's routes, and where to print."""

import uuid
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from waitlist_cli.configuration import Choice, Target, target_of
from waitlist_cli.output import Output
from waitlist_cli.retries import PATIENT

# What signs and speaks HTTP is slow to import, and neither --help nor a completion asks anybody.
if TYPE_CHECKING:
    import httpx

    from waitlist_cli.api import Api
    from waitlist_cli.sigv4 import OperatorAuth

PAGE = 100


class Context:
    """Made of what was typed; the service is looked for when it is first needed."""

    def __init__(self, choice: Choice, environ: Mapping[str, str], out: Output) -> None:
        self.output = out
        self._choice = choice
        self._environ = environ
        self._http: httpx.Client | None = None

    @cached_property
    def target(self) -> Target:
        return target_of(self._choice, self._environ)

    @cached_property
    def api(self) -> "Api":
        import httpx

        from waitlist_cli.api import Api

        self._http = httpx.Client(
            base_url=self.target.url,
            timeout=PATIENT.timeout_seconds,
            # Plain http leads to this computer alone, and a proxy of the environment does not.
            trust_env=self.target.url.lower().startswith("https:"),
        )
        return Api(self._http, lambda: self._auth, self._on_retry)

    @cached_property
    def _auth(self) -> "OperatorAuth":
        from waitlist_cli.sigv4 import operator_auth

        return operator_auth(self.target)

    def call(self, method: str, waitlist_id: str, path: str = "", body: Any = None) -> Any:
        """Return the answer to an operator's request about one waitlist."""
        return self.api.operator(method, f"/{waitlist_id}{path}", body)

    def call_once(self, method: str, waitlist_id: str, path: str, body: Any) -> Any:
        """Do the same with an Idempotency-Key: a repeat has no effect of its own."""
        return self.api.operator(method, f"/{waitlist_id}{path}", body, key=str(uuid.uuid4()))

    def pages(
        self, path: str, name: str, most: int | None = None, **params: str
    ) -> Iterator[dict[str, Any]]:
        """Yield what a list holds, page by page, at most so many."""
        left, cursor = most, None
        while left is None or left > 0:
            limit = PAGE if left is None else min(left, PAGE)
            asked: dict[str, str | int] = {**params, "limit": limit}
            if cursor:
                asked["cursor"] = cursor
            page = self.api.operator("GET", path, params=asked)
            found = page[name]
            yield from found
            cursor = page["cursor"]
            if cursor is None:
                return
            left = None if left is None else left - len(found)

    def close(self) -> None:
        if self._http is not None:
            self._http.close()

    def _on_retry(self, problem: str, seconds: float, attempt: int, tries: int) -> None:
        if self.output.notes.is_terminal and not self.output.as_json:
            self.output.note(f"{problem} Try {attempt} of {tries} in {seconds:.0f} s.", "yellow")
