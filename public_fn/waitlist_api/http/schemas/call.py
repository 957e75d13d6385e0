"""Request and response bodies of the operations that call a claimed customer to a place."""

from typing import Annotated

from pydantic import AfterValidator, Field

from waitlist_api.http.schemas.common import Body, Model, ShownText, Time, documented
from waitlist_api.records.call import called_at
from waitlist_api.records.facets import Call
from waitlist_api.settings.texts import NOT_BLANK, check_not_blank
from waitlist_shared.limits import MAX_CALL_LENGTH

CallTo = Annotated[
    ShownText,
    AfterValidator(check_not_blank),
    Field(
        min_length=1,
        max_length=MAX_CALL_LENGTH,
        json_schema_extra={"pattern": NOT_BLANK},
        description="The place that the customer should come to, such as `Room 2`. The customer's "
        'page shows it in the text "Come to Room 2". On waitlists with `call_numbers`, everybody '
        "can read this text on the screen. Do not put personal data in it.",
        examples=["Room 2"],
    ),
]


class CallBody(Body):
    """A place that the customer should come to."""

    to: CallTo


class CallAnswer(Model):
    to: Annotated[str, documented(examples=["Room 2"])]
    called_at: Annotated[
        Time,
        Field(description="When the customer was last called."),
    ]


class WithCallNumber(Model):
    """The short number by which the customer can be called."""

    call_number: Annotated[
        str | None,
        Field(
            description="The number by which the customer can be called. Customers have numbers "
            "only if the waitlist has `call_numbers`. The customer keeps the number until they "
            "leave or are admitted, and gets a new one when they next sign up. Null if the "
            "customer has no number.",
            examples=["A042"],
        ),
    ] = None


def call_answer(called: Call | None) -> CallAnswer | None:
    """Return the call as it appears in responses."""
    return None if called is None else CallAnswer(to=called.to, called_at=called_at(called))
