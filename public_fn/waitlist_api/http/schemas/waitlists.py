"""A waitlist's configuration and public data."""

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType

from waitlist_api.errors import InvalidFields
from waitlist_api.http.field_errors import field_error
from waitlist_api.http.schemas.admission import AdmissionBody, DeclineRulesBody, PresenceBody
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    Rank,
    TheCursor,
    TheWaitlistId,
    Time,
    documented,
    extensible,
)
from waitlist_api.http.schemas.messages import MessagesBody
from waitlist_api.http.schemas.notice import NoticeBody
from waitlist_api.http.schemas.page import PageBody
from waitlist_api.http.schemas.settings import in_public, in_response, request_body
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.merge_patch import apply_merge_patch
from waitlist_api.settings.confirm import MAX_DAYS, ConfirmRules
from waitlist_api.settings.identity import IdentityField, IdentityRules, Verify
from waitlist_api.settings.rest import RestRules
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists import setting_needs
from waitlist_shared import contracts as c
from waitlist_shared.limits import (
    MAX_PAGE,
)

RestRulesBody: Any = request_body("RestRulesBody", RestRules)
IdentityBody: Any = request_body("IdentityBody", IdentityRules)
ConfirmBody: Any = request_body("ConfirmBody", ConfirmRules)
# The waitlist's model contains the models of these groups of settings, so create these models
# first.
PARTS = (AdmissionBody, PageBody, RestRulesBody, IdentityBody, ConfirmBody, MessagesBody)
WaitlistBody: Any = request_body("WaitlistBody", WaitlistSettings)


class PublicIdentity(Model):
    """The kind of address that guests must enter in the `profile` of their signup, and whether they
    must verify the address.
    """

    field: IdentityField
    verify: Verify


class WaitlistPatch(Model):
    """Changes to a waitlist's settings, as a JSON Merge Patch (RFC 7396).

    Settings that are left out stay unchanged. `null` resets a setting to its default. Objects are
    merged, and arrays are replaced.
    """

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"examples": [{"open": False, "capacity": 500}]}
    )

    @property
    def given(self) -> dict[str, Any]:
        """The settings to change, by name."""
        return self.model_extra or {}

    def merged(self, settings: dict[str, Any]) -> Any:
        """Return all settings after the change. Raise InvalidFields if the result is not valid."""
        _refuse_unknown(apply_merge_patch(settings, self.given, with_nulls=True))
        try:
            return WaitlistBody.model_validate_json(
                json.dumps(apply_merge_patch(settings, self.given))
            )
        except ValidationError as error:
            raise _invalid(error.errors()) from error


def _refuse_unknown(settings: dict[str, Any]) -> None:
    """Raise InvalidFields if the patch contains an unknown setting, even if its value is `null`."""
    try:
        WaitlistBody.model_validate_json(json.dumps(settings))
    except ValidationError as error:
        if unknown := [found for found in error.errors() if found["type"] == "extra_forbidden"]:
            raise _invalid(unknown) from error


def _invalid(errors: Iterable[ErrorDetails]) -> InvalidFields:
    return InvalidFields(
        *(field_error({**error, "loc": ("body", *error["loc"])}) for error in errors)
    )


LINE_MEANINGS: dict[c.Line, str] = {
    "open": "customers can sign up",
    "paused": "customers can sign up, but nobody is admitted until an operator resumes the "
    "waitlist",
    "full": "the waitlist has reached its capacity, and signups are refused with `waitlist_full`",
    "not_open_yet": "signups are refused with `not_open_yet` until `opens_at`",
    "closed": "signups are refused with `waitlist_closed`",
}
# The type has a name so that it becomes a component of the OpenAPI document.
LineState = TypeAliasType(
    "LineState",
    Annotated[
        str,
        Field(json_schema_extra=extensible("The state of a waitlist.", LINE_MEANINGS)),
    ],
)


class PublicBotCheck(Model):
    """The bot-check widget that the waitlist uses.

    A signup must contain the `bot_token` that the widget creates.
    """

    provider: Annotated[
        str,
        Field(
            json_schema_extra=extensible(
                "The provider of the widget.",
                {"turnstile": "Cloudflare Turnstile", "hcaptcha": "hCaptcha"},
            )
        ),
    ]
    site_key: str
    action: Annotated[str, Field(description="The `action` to pass to a Turnstile widget.")]
    script_url: Annotated[
        str, Field(description="The URL of the provider's script. Use the URL unchanged.")
    ]


class _PublicData(WithEstimate):
    """A waitlist's public data, and the estimated wait of a customer who joins now."""

    waitlist_id: TheWaitlistId
    line: LineState
    as_of: Annotated[
        Time,
        Field(
            description="The service's current time. Use it for a countdown to `opens_at`, because "
            "the clock of the customer's device may be wrong."
        ),
    ]
    opens_at: Annotated[
        Time | None,
        Field(description="When the waitlist opens. Null if there is no opening time."),
    ]
    closes_at: Annotated[
        Time | None,
        Field(description="When the waitlist closes. Null if there is no closing time."),
    ]
    admits_at: Annotated[
        Time | None,
        Field(
            description="When the admission policy next offers slots. With a schedule, this is the "
            "next scheduled time, or the start of the next `offer_hours` if the scheduled time is "
            "outside them. Without a schedule, this is the start of the next `offer_hours`, or "
            "null during the offer hours. Also null if no such time is left, or if the policy has "
            "neither a schedule nor `offer_hours`."
        ),
    ]
    admits_until: Annotated[
        Time | None,
        Field(
            description="When admissions end. After this time, the waitlist makes no offers, and "
            "all its offers have ended. Null if no end has been set."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="The number of waiting entries, excluding entries with an unverified "
            "address. Null if the waitlist hides this number."
        ),
    ]
    notice: Annotated[
        NoticeBody | None,
        Field(
            description="The notice that operators are currently showing to all customers. Null if "
            "there is none."
        ),
    ] = None
    page: Annotated[
        PageBody | None,
        Field(
            description="The customer page's settings. If null, the page shows only the waitlist's "
            "name."
        ),
    ]
    decline: Annotated[
        DeclineRulesBody | None,
        Field(
            description="What happens to an entry when its customer declines an offer. Null if the "
            "entry moves to the end of the queue."
        ),
    ]
    presence: Annotated[
        PresenceBody | None,
        Field(
            description="How many seconds a customer can go without polling before being passed "
            "over. Null if nobody is passed over."
        ),
    ]
    identity: Annotated[
        PublicIdentity | None,
        Field(
            description="The address that identifies a guest. Null if guests are identified by "
            "their `customer_id`, or if customers have accounts."
        ),
    ]
    messages: Annotated[
        bool,
        Field(
            exclude_if=lambda messages: not messages,
            description="True if the waitlist sends messages. Left out if it sends none.",
        ),
    ] = False
    told_by: Annotated[
        list[IdentityField],
        Field(
            default_factory=list,
            exclude_if=lambda told_by: not told_by,
            description="The profile fields that can contain the address for messages about the "
            "customer's turn. If both fields are listed and a profile contains both, the first "
            "field is used. Left out if the waitlist sends no such messages.",
            max_length=2,
        ),
    ]
    bot_check: Annotated[
        PublicBotCheck | None,
        Field(
            exclude_if=lambda check: check is None,
            description="The bot check that new guests must pass. They send a `bot_token` in "
            "their signup. Left out if there is no bot check.",
        ),
    ] = None


WaitlistAnswer: Any = create_model(
    "WaitlistAnswer",
    __base__=_PublicData,
    __doc__=_PublicData.__doc__,
    **in_public(WaitlistSettings),
)


class BoardAnswer(Model):
    """The board, a snapshot of all positions in the queue. It is the same for all customers."""

    as_of: Annotated[Time, Field(description="The time of the snapshot.")]
    total: Annotated[
        Count,
        Field(
            description="The number of waiting entries at the time of the snapshot, excluding "
            "entries with an unverified address."
        ),
    ]
    line: LineState
    cuts: Annotated[
        list[Annotated[list[Rank], Field(min_length=2, max_length=2)]],
        Field(
            description="Pairs of a rank and its position, lowest rank first. The list contains "
            "the first 200 entries, then entries whose positions are at most 1% apart, and the "
            "last entry. To find your entry's position, look for its rank. If the list contains "
            "the rank, the entry had exactly the position paired with it. If the rank is between "
            "two ranks in the list, the position was between theirs. If the rank is lower than all "
            "ranks in the list, the entry was not waiting.",
            examples=[[[1795253400000008, 1], [1795253400000016, 2]]],
        ),
    ]


class RebuildAnswer(Model):
    done: Annotated[Count, Field(description="How many entries have been restored so far.")]
    total: Annotated[
        Count,
        Field(
            description="The number of entries to restore, as counted shortly before Redis lost "
            "the data. It grows if the service finds more entries."
        ),
    ]


class WarningAnswer(Model):
    """A warning about a missing setting or stack parameter that another setting needs."""

    code: Annotated[
        str,
        documented(
            **extensible(
                "What is missing.", {rule.code: rule.message for rule in setting_needs.RULES}
            )
        ),
    ]
    message: Annotated[
        str,
        Field(
            description="What the missing setting or parameter means for this waitlist, and "
            "what to do about it."
        ),
    ]
    settings: Annotated[
        list[str],
        Field(
            description="The settings that the warning is about. `page.enter_url` means the "
            "`enter_url` field of `page`."
        ),
    ]


WaitlistConfigAnswer: Any = create_model(
    "WaitlistConfigAnswer",
    __base__=Model,
    **{
        "waitlist_id": TheWaitlistId,
        **in_response(WaitlistSettings),
        "max_guest_bytes": Count,
        "segments": Annotated[
            list[list[str]],
            Field(
                description="The declared segments. Each segment is a sorted list of attribute "
                "names, and the list of segments is also sorted."
            ),
        ],
        "opens_at": Time | None,
        "closes_at": Time | None,
        "page_url": Annotated[
            str | None,
            Field(
                description="The URL of the customer page, for links and posters. It can differ "
                "from the API's URL. Null if customers have accounts, because they cannot join on "
                "this page."
            ),
        ],
        "segments_state": Annotated[
            Literal["ready", "building"],
            Field(
                description="`building` while the service is preparing new segments. During this "
                "time, requests that name a segment fail with `503 rebuilding`. Otherwise `ready`."
            ),
        ],
        "rebuild": Annotated[
            RebuildAnswer | None,
            Field(
                description="The progress of a rebuild. If Redis loses the waitlist's queue, the "
                "service rebuilds it, and requests that need the queue fail with `503 rebuilding` "
                "until it is complete. Null if no rebuild is running."
            ),
        ],
        "warnings": Annotated[
            list[WarningAnswer],
            documented(maxItems=len(setting_needs.RULES)),
            Field(
                description="Settings that currently do not have the intended effect on this "
                "stack. The waitlist still works."
            ),
        ],
        "notice": Annotated[
            NoticeBody | None,
            Field(description="The notice that customers currently see. Null if there is none."),
        ],
        "version": Count,
        "created_at": Time,
        "updated_at": Time,
    },
)


class AskBody(Body):
    """A request to ask the customers on the waitlist whether they are still waiting."""

    dry_run: Annotated[
        bool,
        Field(
            description="If true, the service only counts the entries whose customers would be "
            "asked. Nobody is asked."
        ),
    ] = False
    days: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_DAYS,
            description="Skip customers who signed up, were asked, or confirmed that they are "
            "waiting less than this many days ago.",
        ),
    ] = 0


class AskAnswer(Model):
    asked: Annotated[
        Count,
        Field(
            description="How many customers on this page were asked. With `dry_run`, how many "
            "would be asked."
        ),
    ]
    cursor: TheCursor | None


class WaitlistsAnswer(Model):
    waitlists: Annotated[list[WaitlistConfigAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
