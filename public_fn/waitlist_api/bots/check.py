"""Asks a bot-protection provider whether a guest who signs up is human."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from waitlist_api.bots.providers import Provider, Verdict
from waitlist_api.errors import BotCheckFailed, BotCheckUnavailable
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.settings.waitlist import WhenDown

ANY = "*"


class SecretUnreadable(Exception):
    """Raised when the provider's secret cannot be read."""


class BotProof(Struct, frozen=True):
    """A guest's bot-check token, and the data that is needed to check it.

    `hostnames` lists the hosts whose pages may have created the token.
    """

    token: str
    hostnames: frozenset[str]
    request_digest: str

    def once_key(self, entry_id: str) -> str:
        """Return the idempotency key for this signup's requests to the provider."""
        parts = "\0".join((entry_id, self.token, self.request_digest))
        digest = hashlib.sha256(parts.encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))


class BotCheck:
    """Asks a provider whether bot-check tokens are valid."""

    def __init__(
        self,
        provider: Provider,
        site_key: str,
        ask: Callable[[Mapping[str, str]], Any],
        read_secret: Callable[[], str],
        cors_origins: tuple[str, ...],
        metrics: MetricsCollector,
    ) -> None:
        self.provider = provider
        self.site_key = site_key
        self._ask = ask
        self._read_secret = read_secret
        self._secret = ""
        self._hostnames = frozenset(map(_host_of, cors_origins))
        self._metrics = metrics

    def make_proof(
        self, api_host: str, edge_url: str, token: str | None, request_digest: str
    ) -> BotProof:
        """Return a guest's token and the data that is needed to check it."""
        own = filter(None, (api_host, _host_of(edge_url)))
        hostnames = self._hostnames.union(own)
        return BotProof(token or "", hostnames, request_digest or uuid.uuid4().hex)

    def check(self, entry_id: str, proof: BotProof, when_down: WhenDown) -> None:
        """Raise BotCheckFailed if the provider rejects the token.

        If the provider does not answer and `when_down` is `refuse`, raise BotCheckUnavailable.
        """
        # While the provider is down, its widget creates no tokens. If the guest has sent no token,
        # and the waitlist accepts signups while the provider is down, ask the provider anyway, to
        # find out whether it is down.
        is_asked = self._may_be_a_token(proof.token) or (not proof.token and when_down == "accept")
        verdict = self._verdict(entry_id, proof) if is_asked else "refused"
        if verdict == "person":
            return
        if verdict == "refused":
            self._metrics.add("bot_checks_failed")
            raise BotCheckFailed
        self._metrics.add("bot_checks_unavailable")
        if when_down == "refuse":
            raise BotCheckUnavailable

    def _may_be_a_token(self, token: str) -> bool:
        return 0 < len(token) <= self.provider.max_token_length

    def _verdict(self, entry_id: str, proof: BotProof) -> Verdict:
        verdict = self._asked(entry_id, proof) if self._secret else "wrong_secret"
        if verdict != "wrong_secret":
            return verdict
        # Either the secret has not been read yet, or the provider rejects it because an operator
        # has replaced it. Read the current secret, and ask the provider again.
        try:
            self._secret = self._read_secret()
        except SecretUnreadable:
            return "no_verdict"
        return self._asked(entry_id, proof)

    def _asked(self, entry_id: str, proof: BotProof) -> Verdict:
        once_key = proof.once_key(entry_id)
        fields = self.provider.question(self._secret, self.site_key, proof.token, once_key)
        return self.provider.verdict(self._ask(fields), proof.hostnames)


def _host_of(origin: str) -> str:
    return ANY if origin == ANY else urlsplit(origin).hostname or ""
