"""Delivers messages: mail through Amazon SES, SMS through AWS End User Messaging.

AWS errors may contain the recipient's address, so this module never passes on their text.
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
# A longer `Retry-After` is shortened to this limit, because the message may expire while it waits.
MOST_ASKED_SECONDS = 300
# Error reasons of AWS End User Messaging that reject the phone number itself. All other reasons can
# be fixed by the operator.
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
# The SES event tags by which a bounce identifies its message. SES allows only letters, digits,
# hyphens and underscores in tag values.
TAGS = Delivery.__struct_fields__


class MailPolicy(EmailPolicy):
    """An SMTP policy that does not fold `List-…` headers.

    The standard library would otherwise turn a URL that is longer than one line into encoded words.
    """

    def fold_binary(self, name: str, value: Any) -> bytes:
        if name.startswith("List-"):
            return f"{name}: {value}\r\n".encode("ascii")
        return super().fold_binary(name, value)


SMTP = MailPolicy(linesep="\r\n")


class MailChannel(Struct, frozen=True):
    """Sends mail from one address through the SES v2 API."""

    client: Any
    from_address: str
    configuration_set: str

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send a mail. Raises Refused if SES rejects the address.

        Raises TryAgain on any other error, even if SES may already have sent the mail.
        """
        try:
            raw = build_mime(message, self.from_address).as_bytes()
        except ValueError:
            # The standard library cannot parse the address, or reads it as more than one address.
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
    """Sends SMS from one origination identity through the pinpoint-sms-voice-v2 API."""

    client: Any
    origin: str

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send an SMS. Raises Refused if the service rejects the phone number.

        Raises TryAgain on any other error, even if the SMS may already have been sent.
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
    """Build a mail with a plain text and an HTML part.

    Raises ValueError if an address is invalid.
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
    """Break up encoded words (RFC 2047) in a text that goes into a header.

    The standard library decodes encoded words, so an attacker could use `=?utf-8?q?=0d=0a…?=` to
    inject a header.
    """
    return text.replace("=?", "= ?")


def _tags(ids: Delivery | None) -> dict[str, str]:
    return {} if ids is None else {name: str(getattr(ids, name)) for name in TAGS}


def _retry_error(error: ClientError) -> TryAgain:
    """Return a TryAgain exception for an AWS error, with the pause that AWS requests, if any."""
    code, reason = _code(error), str(error.response.get("Reason", ""))
    metadata: dict[str, Any] = dict(error.response.get("ResponseMetadata", {}))
    asked = str(metadata.get("HTTPHeaders", {}).get("retry-after", ""))
    pause = min(int(asked), MOST_ASKED_SECONDS) if re.fullmatch("[0-9]{1,6}", asked) else None
    words = f"{code} {reason}".strip()
    return TryAgain(words, is_throttled=code in THROTTLED, pause_seconds=pause)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "unknown"))
