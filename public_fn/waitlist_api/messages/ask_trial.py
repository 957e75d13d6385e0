"""Has the function of messages send one example to an address; the address is kept nowhere."""

from msgspec import Struct, to_builtins

from waitlist_api.entries.addresses import address_of, mailbox_of
from waitlist_api.errors import FieldError, InvalidFields, NoMessages, NotReady, WaitlistNotFound
from waitlist_api.messages.compose import Channel
from waitlist_api.messages.trial import TRIAL, Trial
from waitlist_api.queue.client import QueueClient
from waitlist_api.settings.identity import IdentityRules

ONE_ADDRESS = FieldError("body.email", "give email or phone, and nothing else")
TAKES_NONE = "takes no messages"
NOT_ALLOWED = (
    "this waitlist sends no SMS to this country or kind of number: see messages.sms_countries and"
    " messages.sms_number_types"
)


class Trials(Struct, frozen=True):
    """Sends examples."""

    queue: QueueClient

    def send(self, waitlist_id: str, kind: str, language: str, address: dict[str, str]) -> None:
        """Send a message with example data to an `email` or a `phone`.

        Without a language it has that of the list's messages.
        Raises InvalidFields for an address that is none or takes no messages, NoMessages, NotReady
        if the sender is limited at this moment, and WaitlistNotFound.
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
                raise InvalidFields(FieldError(f"body.{field}", TAKES_NONE))
            case "number_not_allowed":
                raise InvalidFields(FieldError(f"body.{field}", NOT_ALLOWED))
            case "try_again":
                raise NotReady


def _address(field: str, sent: str) -> tuple[Channel, str]:
    try:
        if field == "email":
            return "mail", mailbox_of(sent)
        return "sms", address_of(IdentityRules(field="phone"), sent).text
    except ValueError as refusal:
        raise InvalidFields(FieldError(f"body.{field}", str(refusal))) from None
