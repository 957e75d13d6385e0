"""Signs webhooks with every active secret, following the Standard Webhooks specification."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime

from standardwebhooks import Webhook

from waitlist_api.auth.secret import Reloaded
from waitlist_api.clock import NowMillis, now_millis

PREFIX = "whsec_"
MIN_BYTES, MAX_BYTES = 24, 64


class BadWebhookSecret(ValueError):
    """Raised when the webhook secret is malformed. The message describes the expected format."""

    def __init__(self) -> None:
        super().__init__(
            "the webhook's secret must contain one or more secrets, separated by spaces. Each "
            f"secret is `whsec_` followed by {MIN_BYTES} to {MAX_BYTES} bytes in base64"
        )


def signers(text: str) -> list[Webhook]:
    """Return a signer for each secret in the text. Each secret may have the prefix `whsec_`."""
    keys = text.split()
    try:
        sizes = [len(base64.b64decode(key.removeprefix(PREFIX) + "==")) for key in keys]
    except ValueError as error:
        raise BadWebhookSecret from error
    if not keys or not all(MIN_BYTES <= size <= MAX_BYTES for size in sizes):
        raise BadWebhookSecret
    return [Webhook(key) for key in keys]


class Signatures:
    """Creates the headers of signed webhooks, and reloads the secrets every 5 minutes."""

    def __init__(self, read: Callable[[], str], now_millis: NowMillis = now_millis) -> None:
        """Read the secrets for the first time.

        Raise SecretUnavailable or BadWebhookSecret on failure.
        """
        self._now_millis = now_millis
        self._signers = Reloaded("webhook's secret", read, signers, now_millis)

    def headers(self, id_: str, body: bytes) -> dict[str, str]:
        """Return the headers of a webhook that is sent now. Each active secret adds a signature."""
        millis = self._now_millis()
        moment = datetime.fromtimestamp(millis // 1000, UTC)
        signed = [signer.sign(id_, moment, body.decode()) for signer in self._signers.value()]
        return {
            "webhook-id": id_,
            "webhook-timestamp": str(millis // 1000),
            "webhook-signature": " ".join(signed),
        }
