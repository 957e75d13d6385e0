"""Brings messages to their addresses: mail by Amazon SES, SMS by AWS End User Messaging.

An error of AWS may repeat the address, so no error leaves this module with its message.
"""

import re
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct

from waitlist_api.messages.compose import Message
from waitlist_api.messages.sender import Refused, TryAgain
from waitlist_api.records.deliveries import Delivery

THROTTLED = frozenset({"LimitExceededException", "ThrottlingException", "TooManyRequestsException"})
# A longer `Retry-After` is cut: what is still to be sent may soon be over.
MOST_ASKED_SECONDS = 300
# Of End User Messaging: these are about the number. Every other reason is for the operator to mend.
BAD_NUMBERS = frozenset(
    {
        "DESTINATION_COUNTRY_BLOCKED",
        "DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION",
        "DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE",
        "DESTINATION_PHONE_NUMBER_OPTED_OUT",
        "INTERNATIONAL_SENDING_NOT_SUPPORTED",
        "INVALID_IDENTITY_FOR_DESTINATION_COUNTRY",
    }
)
# By which a bounce names the message: event tags of SES have letters, digits, - and _.
TAGS = Delivery.__struct_fields__


class MailPolicy(EmailPolicy):
    """The rules of SMTP, which do not fold the address in a header `List-…`.

    The standard library would write an address that is longer than a line as encoded words.
    """

    def fold_binary(self, name: str, value: Any) -> bytes:
        if name.startswith("List-"):
            return f"{name}: {value}\r\n".encode("ascii")
        return super().fold_binary(name, value)


SMTP = MailPolicy(linesep="\r\n")


class MailChannel(Struct, frozen=True):
    """Sends mail from one address, by the client of SES v2."""

    client: Any
    from_address: str
    configuration_set: str

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send a mail. Raises TryAgain, also if it may have been sent, or Refused."""
        try:
            raw = mime_of(message, self.from_address).as_bytes()
        except ValueError:
            # Of an address that the standard library reads as two, or not at all.
            raise Refused from None
        try:
            self.client.send_email(
                FromEmailAddress=self.from_address,
                Destination={"ToAddresses": [message.to]},
                Content={"Raw": {"Data": raw}},
                ConfigurationSetName=self.configuration_set,
                EmailTags=[{"Name": name, "Value": value} for name, value in _tags(ids).items()],
            )
        except ClientError as error:
            if _code(error) == "BadRequestException":
                raise Refused from None
            raise _later(error) from None
        except BotoCoreError as error:
            raise TryAgain(type(error).__name__) from None


class SmsChannel(Struct, frozen=True):
    """Sends SMS by one origination identity, by the client of pinpoint-sms-voice-v2."""

    client: Any
    origin: str

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send an SMS. Raises TryAgain, also if it may have been sent, or Refused."""
        try:
            self.client.send_text_message(
                DestinationPhoneNumber=message.to,
                OriginationIdentity=self.origin,
                MessageBody=message.text.strip(),
                MessageType="TRANSACTIONAL",
                Context=_tags(ids),
            )
        except ClientError as error:
            if error.response.get("Reason") in BAD_NUMBERS:
                raise Refused from None
            raise _later(error) from None
        except BotoCoreError as error:
            raise TryAgain(type(error).__name__) from None


def mime_of(message: Message, from_address: str) -> EmailMessage:
    """Return a mail as plain text and HTML. Raises ValueError for a wrong address."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = Address(_plain(message.sender), addr_spec=from_address)
    mail["To"] = Address(addr_spec=message.to)
    mail["Subject"] = _plain(message.subject)
    mail["Auto-Submitted"] = "auto-generated"
    for name, value in message.headers.items():
        mail[name] = value
    mail.set_content(message.text, cte="base64")
    mail.add_alternative(message.html, subtype="html", cte="base64")
    return mail


def _plain(text: str) -> str:
    """Return a text that is no encoded word (RFC 2047).

    The standard library decodes one that it is given: `=?utf-8?q?=0d=0a…?=` would begin a header.
    """
    return text.replace("=?", "= ?")


def _tags(ids: Delivery | None) -> dict[str, str]:
    return {} if ids is None else {name: str(getattr(ids, name)) for name in TAGS}


def _later(error: ClientError) -> TryAgain:
    """Return what puts a message back: for the time that the service asks for, if it names one."""
    code, reason = _code(error), str(error.response.get("Reason", ""))
    metadata: dict[str, Any] = dict(error.response.get("ResponseMetadata", {}))
    asked = str(metadata.get("HTTPHeaders", {}).get("retry-after", ""))
    pause = min(int(asked), MOST_ASKED_SECONDS) if re.fullmatch("[0-9]{1,6}", asked) else None
    words = f"{code} {reason}".strip()
    return TryAgain(words, is_throttled=code in THROTTLED, pause_seconds=pause)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "unknown"))
