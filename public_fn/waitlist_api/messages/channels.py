"""Sends email through Amazon SES, and SMS messages through AWS End User Messaging."""

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
# The longest pause after a failed attempt. AWS can ask for a longer pause with `Retry-After`, but
# the message might have expired by the end of that pause.
MOST_ASKED_SECONDS = 300
# The reasons that AWS End User Messaging gives when it rejects the phone number itself.
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
# The tags that are sent to SES with each email. If the email bounces, SES returns the tags, which
# identify the message. A tag value can contain only letters, digits, hyphens and underscores.
TAGS = Delivery.__struct_fields__


class MailPolicy(EmailPolicy):
    """An email policy that writes each `List-…` header on one line.

    Python's own policy would turn a long URL in such a header into encoded words (RFC 2047).
    """

    def fold_binary(self, name: str, value: Any) -> bytes:
        if name.startswith("List-"):
            return f"{name}: {value}\r\n".encode("ascii")
        return super().fold_binary(name, value)


SMTP = MailPolicy(linesep="\r\n")


class MailChannel(Struct, frozen=True):
    """Sends email from one address through the SES v2 API."""

    client: Any
    from_address: str
    configuration_set: str

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send an email.

        Raise Refused if SES rejects the address, and TryAgain on any other error.
        """
        try:
            raw = build_mime(message, self.from_address).as_bytes()
        except ValueError:
            # The standard library could not parse the recipient's address, or found several
            # addresses in it. Retrying would not help.
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
            raise _retry_error(error) from None
        except BotoCoreError as error:
            raise TryAgain(type(error).__name__) from None


class SmsChannel(Struct, frozen=True):
    """Sends SMS messages from one sender id or number through the pinpoint-sms-voice-v2 API."""

    client: Any
    origin: str

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send an SMS message.

        Raise Refused if the service rejects the phone number, and TryAgain on any other error.
        """
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
            raise _retry_error(error) from None
        except BotoCoreError as error:
            raise TryAgain(type(error).__name__) from None


def build_mime(message: Message, from_address: str) -> EmailMessage:
    """Build an email with a plain-text part and an HTML part.

    Raise ValueError for an invalid address.
    """
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
    """Break up encoded words (RFC 2047), so that they are not decoded.

    An encoded word can stand for a line break, which an attacker could use to add a header to the
    email.
    """
    # The standard library decodes encoded words. For example, it would turn =?utf-8?q?=0d=0a…?=
    # into a line break.
    return text.replace("=?", "= ?")


def _tags(ids: Delivery | None) -> dict[str, str]:
    return {} if ids is None else {name: str(getattr(ids, name)) for name in TAGS}


def _retry_error(error: ClientError) -> TryAgain:
    """Convert an AWS error to a TryAgain exception."""
    code, reason = _code(error), str(error.response.get("Reason", ""))
    # Do not use the error text from AWS, because it may contain the recipient's address.
    metadata: dict[str, Any] = dict(error.response.get("ResponseMetadata", {}))
    asked = str(metadata.get("HTTPHeaders", {}).get("retry-after", ""))
    pause = min(int(asked), MOST_ASKED_SECONDS) if re.fullmatch("[0-9]{1,6}", asked) else None
    words = f"{code} {reason}".strip()
    return TryAgain(words, is_throttled=code in THROTTLED, pause_seconds=pause)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "unknown"))
