"""Request and response bodies for messages to several people."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from waitlist_api.http.schemas.attributes import Filter
from waitlist_api.http.schemas.common import Body, Count, Model, PathEntryId
from waitlist_api.http.schemas.invitations import texts_in
from waitlist_api.http.schemas.messages import OwnTextBody, unfilled_placeholders
from waitlist_api.settings.messages import LANGUAGES
from waitlist_api.settings.texts import Language
from waitlist_shared.limits import MAX_ADMIT

Status = Literal["waiting", "offered", "parked", "inside"]


def _with_text(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


def _check_texts(text: dict[Language, Any]) -> dict[Language, Any]:
    for language, own in texts_in(text).items():
        if not (own.text or "").strip():
            raise ValueError(f"{language} must have a text")
        for problem in unfilled_placeholders(own, "message"):
            raise ValueError(f"{language} {problem}")
    return text


def _alone(entries: list[str] | None, info: ValidationInfo) -> list[str] | None:
    if entries is None:
        return None
    if info.data.get("filter") or info.data.get("status"):
        raise ValueError("must not be sent together with filter or status")
    return list(dict.fromkeys(entries))


class MessageBody(Body):
    """The text of a message, and who gets it.

    To send the message to everybody on the waitlist, leave out `entries`, `filter` and `status`. It
    then goes to everybody who is waiting, claimed or parked, or who has an offer.
    """

    text: Annotated[
        dict[
            Language,
            Annotated[
                OwnTextBody,
                BeforeValidator(
                    _with_text,
                    json_schema_input_type=Annotated[str, Field(max_length=1000)] | OwnTextBody,
                ),
            ],
        ],
        Field(
            min_length=1,
            max_length=len(LANGUAGES),
            description="The message text in each language. A text is a string or an object. An "
            "object can also contain the `subject` of the email and the label of its link "
            "(`button`). The service replaces `{name}` with the waitlist's name. If there is no "
            "text in a customer's language, the customer gets the text in the default language of "
            "the waitlist's messages. If that text is missing too, the customer gets the first "
            "text.",
            examples=[{"en": {"subject": "We close early", "text": "We close at 5 pm today."}}],
        ),
        AfterValidator(_check_texts),
    ]
    filter: Annotated[
        Filter | None,
        Field(
            description="Only people with all these attribute values get the message. You can use "
            "any attributes, not only those of a declared segment.",
            examples=[{"language": "Spanish"}],
        ),
    ] = None
    status: Annotated[
        Status | None,
        Field(
            description="Only people with this status get the message. `offered` also covers "
            "people whose entry is claimed. `inside` covers people who have been admitted and "
            "still count towards `max_inside`."
        ),
    ] = None
    entries: Annotated[
        list[Annotated[str, Field(pattern=PathEntryId)]] | None,
        Field(
            min_length=1,
            max_length=MAX_ADMIT,
            description="The message goes only to the entries with these ids. `entries` cannot be "
            "combined with `filter` or `status`. Unknown ids, and ids of customers who have left, "
            "are ignored.",
        ),
        AfterValidator(_alone),
    ] = None
    dry_run: Annotated[
        bool,
        Field(
            description="If true, the service only counts who would get the message, and sends "
            "nothing."
        ),
    ] = False


class ReachedAnswer(Model):
    """How many people get the message, by channel."""

    mail: Count
    sms: Count


class NotReachedAnswer(Model):
    """How many people get no message, by reason."""

    no_address: Annotated[
        Count, Field(description="People who have no address that the stack can send messages to.")
    ]
    turned_off: Annotated[Count, Field(description="They have turned messages off.")]
    unreachable: Annotated[Count, Field(description="People whose earlier messages bounced.")]
    unverified: Annotated[Count, Field(description="They have not verified their address.")]
    number_not_allowed: Annotated[
        Count,
        Field(
            description="People whose phone number cannot get SMS messages from the waitlist, "
            "because of the number's country or type."
        ),
    ]


class MessageAnswer(Model):
    """A message to several people, and how many people it reaches."""

    message_id: Annotated[
        str | None,
        Field(
            description="The id of the message. Each recipient's history contains a `messaged` "
            "event whose `stamp` is this id. Null if nothing was sent because of `dry_run`."
        ),
    ]
    dry_run: bool
    state: Annotated[
        Literal["running", "done"],
        Field(
            description="`running` if there are more people than one request can handle. A "
            "message is then sent to the others within a few minutes. A dry run has then counted "
            "only the first people."
        ),
    ]
    people: Annotated[Count, Field(description="The sum of `reached`.")]
    reached: ReachedAnswer
    not_reached: NotReachedAnswer
