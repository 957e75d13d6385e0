"""Asks the Lambda function that sends messages to send an example message to an address that an
operator has entered.

The address is not stored.
"""

from msgspec import Struct, to_builtins

from waitlist_api.entries.addresses import normalise_address, parse_mailbox
from waitlist_api.errors import FieldError, InvalidFields, NoMessages, NotReady, WaitlistNotFound
from waitlist_api.messages.trial import TRIAL, Trial
from waitlist_api.queue.client import QueueClient
from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.messages import Channel

ONE_ADDRESS = FieldError("body.email", "give either email or phone, and no other field")
UNREACHABLE = "cannot receive messages"
NOT_ALLOWED = (
    "this waitlist does not send SMS to this country or type of number: see"
    " messages.sms_countries and messages.sms_number_types"
)


class Trials(Struct, frozen=True):
    """Sends example messages through the messages function."""

    queue: QueueClient

    def send(self, waitlist_id: str, kind: str, language: str, address: dict[str, str]) -> None:
        """Send a message with example data to one address.

        `address` contains either an `email` or a `phone`. Raise NoMessages if the stack does not
        send this type of message. Raise InvalidFields if this address cannot receive messages.
        """
        if len(address) != 1:
            raise InvalidFields(ONE_ADDRESS)
        ((field, sent),) = address.items()
        channel, to = _address(field, sent)
        trial = Trial(waitlist_id=waitlist_id, kind=kind, language=language, channel=channel, to=to)
        answer = self.queue.send_message({TRIAL: to_builtins(trial)})
        match answer["outcome"]:
            case "no_waitlist":
                raise WaitlistNotFound
            case "no_channel":
                raise NoMessages
            case "refused":
                raise InvalidFields(FieldError(f"body.{field}", UNREACHABLE))
            case "number_not_allowed":
                raise InvalidFields(FieldError(f"body.{field}", NOT_ALLOWED))
            case "try_again":
                raise NotReady


def _address(field: str, sent: str) -> tuple[Channel, str]:
    try:
        if field == "email":
            return "mail", parse_mailbox(sent)
        return "sms", normalise_address(IdentityRules(field="phone"), sent).text
    except ValueError as refusal:
        raise InvalidFields(FieldError(f"body.{field}", str(refusal))) from None
