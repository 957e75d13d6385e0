"""The `messages` setting of a waitlist: of what its people are told."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from waitlist_api.http.schemas.common import Body

MAX_NEAR = 100
KindName = Literal["near", "ending"]


def _distinct(kinds: list[str]) -> list[str]:
    if len(set(kinds)) < len(kinds):
        raise ValueError("may have each kind only once")
    return kinds


class MessagesBody(Body):
    """Of what the people of a waitlist are told: each kind is an event of the bus."""

    kinds: Annotated[
        list[KindName],
        AfterValidator(_distinct),
        Field(
            max_length=2,
            json_schema_extra={"uniqueItems": True},
            description="`near`: a person's turn is near, once a stay. `ending`: an offer ends "
            "soon, once an offer. Others send no event.",
            examples=[["near", "ending"]],
        ),
    ]
    near: Annotated[
        int,
        Field(ge=1, le=MAX_NEAR, description="The first `near` entries that are ready are near."),
    ] = 3

    def rules(self) -> dict[str, Any]:
        """Return the fields as the settings have them."""
        return self.model_dump()
