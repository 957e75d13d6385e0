"""Response bodies for a waitlist's public screen, which shows call numbers."""

from typing import Annotated

from pydantic import Field

from waitlist_api.admission.screen import MOST_CALLED, MOST_NEXT
from waitlist_api.http.schemas.common import Model, Time, documented

CallNumber = Annotated[str, documented(examples=["A042"])]


class CalledNumberAnswer(Model):
    """A call number that an operator is currently calling, and where the customer should go."""

    number: CallNumber
    to: Annotated[
        str,
        Field(
            description="Where the customer should go. The operator entered this text, and "
            "everybody can read it.",
            examples=["Room 2"],
        ),
    ]
    called_at: Annotated[
        Time,
        Field(description="When the number was last called."),
    ]


class ScreenAnswer(Model):
    """The call numbers that a public screen shows. The response contains no names or ids."""

    as_of: Annotated[Time, Field(description="The time of this response.")]
    numbers: Annotated[
        bool,
        Field(
            description="Whether the waitlist assigns call numbers. If it does not, both lists are "
            "empty."
        ),
    ]
    called: Annotated[
        list[CalledNumberAnswer],
        Field(
            description="The numbers that are currently being called, latest call first. A number "
            "disappears when its claim ends.",
            max_length=MOST_CALLED,
        ),
    ]
    next: Annotated[
        list[CallNumber],
        Field(
            description="The call numbers of the ready customers who will be served next, in "
            "serving order. Empty if the waitlist hides its counts.",
            max_length=MOST_NEXT,
        ),
    ]
