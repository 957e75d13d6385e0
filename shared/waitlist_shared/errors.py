"""The errors of the domain; only the public function knows what they mean in HTTP."""

from typing import ClassVar


class WaitlistError(Exception):
    """An expected refusal with a stable `code`; its message says what to do next."""

    code: ClassVar[str] = "internal_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Cold(WaitlistError):
    """Redis does not know the waitlist: it is new, deleted, or its order was lost."""

    code = "cold"


class Rebuilding(WaitlistError):
    """The order is being restored from the record."""

    code = "rebuilding"


class StaleEpoch(WaitlistError):
    """The order was lost again since the rebuild that asks began."""

    code = "stale_epoch"


class WaitlistFull(WaitlistError):
    """As many people are in line as the waitlist's capacity."""

    code = "waitlist_full"


class WaitlistClosed(WaitlistError):
    """The waitlist takes no signups."""

    code = "waitlist_closed"


class Gone(WaitlistError):
    """This stay in line has ended; a late message cannot revive it."""

    code = "gone"


class NotWaiting(WaitlistError):
    """The entry has no place in line."""

    code = "not_waiting"


class NoRoom(WaitlistError):
    """No rank is left ahead of the head of the line."""

    code = "no_room"


class QueueUnavailable(WaitlistError):
    """Redis, or the function that owns it, did not answer in time."""

    code = "queue_unavailable"


class InvalidRequest(WaitlistError):
    """The message does not follow the contract."""

    code = "invalid_request"


class UnsupportedVersion(WaitlistError):
    """The caller speaks a newer contract than this function."""

    code = "unsupported_version"


class InternalError(WaitlistError):
    """A defect: the log has the traceback."""

    code = "internal_error"


class Throttled(WaitlistError):
    """An AWS service refused the call because of its rate."""

    code = "throttled"


BY_CODE: dict[str, type[WaitlistError]] = {
    error.code: error
    for error in (
        Cold,
        Rebuilding,
        StaleEpoch,
        WaitlistFull,
        WaitlistClosed,
        Gone,
        NotWaiting,
        NoRoom,
        QueueUnavailable,
        InvalidRequest,
        UnsupportedVersion,
        InternalError,
    )
}
