"""Waitlists: configuration, counts, and the public view."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType

from waitlist_api.errors import DOMAIN, InvalidFields, field_error
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.admission import AdmissionBody
from waitlist_api.http.schemas.attributes import AttributeName
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Country,
    Model,
    NameText,
    Rank,
    TheCursor,
    TheWaitlistId,
    Time,
    UtcText,
    documented,
    extensible,
)
from waitlist_api.http.schemas.messages import MessagesBody
from waitlist_api.http.schemas.page import PageBody
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.merge_patch import merged
from waitlist_api.records.waitlists import MAX_GUEST_BYTES, Rejoin
from waitlist_api.settings.admission import AdmissionPolicy
from waitlist_api.settings.bot_check import WhenDown
from waitlist_api.settings.confirm import ConfirmRules, Unanswered
from waitlist_api.settings.identity import IdentityField, IdentityRules, PlusAddresses, Verify
from waitlist_api.settings.messages import MessageRules
from waitlist_api.settings.page import PageSettings
from waitlist_api.settings.rest import RestRules
from waitlist_api.waitlists import setting_needs
from waitlist_shared import contracts as c
from waitlist_shared.limits import (
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_COMBINATIONS,
    MAX_LEASE_SECONDS,
    MAX_PAGE,
    MAX_SEGMENT_ATTRIBUTES,
    MAX_SEGMENTS,
)

MAX_RETENTION_DAYS = 3650
MAX_REST_DAYS, MAX_RESTS = 3650, 1000
MAX_BLOCKED_DOMAINS = 200
MAX_CONFIRM_DAYS, MAX_REMINDERS = 3650, 8
MAX_VERIFY_MINUTES = 30 * 24 * 60


def _canonical(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("a segment may name each attribute only once")
    return sorted(names)


def _distinct(segments: list[list[str]]) -> list[list[str]]:
    """Return segments sorted, because their order has no meaning; refuse a repeated segment."""
    twice = [names for names, count in Counter(map(tuple, segments)).items() if count > 1]
    if twice:
        raise ValueError(f"declared more than once: {', '.join('+'.join(one) for one in twice)}")
    return sorted(segments)


SegmentNames = Annotated[
    list[AttributeName],
    Field(
        min_length=1,
        max_length=MAX_SEGMENT_ATTRIBUTES,
        json_schema_extra={"uniqueItems": True},
    ),
    AfterValidator(_canonical),
]


class RestRulesBody(Body):
    """How customers may rest: their entries keep their places, and are passed over."""

    max_days: Annotated[
        int, Field(ge=1, le=MAX_REST_DAYS, description="A rest ends within so many days.")
    ] = 180
    times: Annotated[
        int, Field(ge=1, le=MAX_RESTS, description="How often a customer may rest in one stay.")
    ] = 3


class IdentityBody(Body):
    """By which field of the profile a waitlist tells guests apart.

    Customers with accounts are the `sub` of their token, whatever this says.
    """

    field: Annotated[
        IdentityField,
        Field(
            description="A signup has this field in its `profile`, and no `customer_id`, which the "
            "service makes: a keyed digest of the address, the same for all its spellings."
        ),
    ]
    verify: Annotated[
        Verify,
        Field(
            description="`off`: addresses are not checked. A second signup of one is refused: "
            "`already_on_list`. `before_offer`: each signup answers `202`, and the entry is not "
            "ready, by the reason `unverified`, until its person has opened a link that is sent to "
            "the address."
        ),
    ] = "off"
    verify_minutes: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_VERIFY_MINUTES,
            description="For how long an entry waits to be verified before it leaves, and a link "
            "is good.",
        ),
    ] = 1440
    plus_addresses: Annotated[
        PlusAddresses,
        Field(
            description="`same`: `ada+news@example.com` and `ada@example.com` are one person, and "
            "so are spellings with dots at Gmail. `different`: each is a person."
        ),
    ] = "same"
    region: Annotated[
        Country | None,
        Field(
            description="The country of telephone numbers without `+`, by its two letters (ISO "
            "3166); null: each number names its country.",
            examples=["DE"],
        ),
    ] = None
    blocked_domains: Annotated[
        list[Annotated[str, Field(pattern=f"^{DOMAIN}$", max_length=253)]],
        Field(
            default_factory=list,
            max_length=MAX_BLOCKED_DOMAINS,
            json_schema_extra={"uniqueItems": True},
            description="Signups with mail addresses of these domains, and of those below them, "
            "are refused. In ASCII and lower case.",
            examples=[["mailinator.com"]],
        ),
    ]


class PublicIdentity(Model):
    """What a signup needs: this field in its `profile`, and no `customer_id`."""

    field: IdentityField
    verify: Verify


def _descending(days: list[int]) -> list[int]:
    return sorted(set(days), reverse=True)


class ConfirmBody(Body):
    """Customers are asked from time to time whether they still wait."""

    every_days: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CONFIRM_DAYS,
            description="A customer is asked so many days after the signup, or after they were "
            "last asked or last confirmed.",
        ),
    ]
    answer_days: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CONFIRM_DAYS,
            description="How long they have to `confirm`; at most `every_days`.",
        ),
    ] = 14
    reminders_days: Annotated[
        list[Annotated[int, Field(ge=1, le=MAX_CONFIRM_DAYS)]],
        Field(
            default_factory=list,
            max_length=MAX_REMINDERS,
            json_schema_extra={"uniqueItems": True},
            description="How many days before the deadline an event `reminded` is sent; each less "
            "than `answer_days`.",
            examples=[[7, 1]],
        ),
        AfterValidator(_descending),
    ]
    then: Annotated[
        Unanswered,
        Field(
            description="What happens to the entry of a customer who has not answered: it is "
            "parked until an operator redrives it, leaves the list, or goes to the end of the "
            "queue."
        ),
    ] = "park"

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.answer_days > self.every_days:
            raise ValueError("answer_days must be at most every_days")
        if any(days >= self.answer_days for days in self.reminders_days):
            raise ValueError("each of reminders_days must be less than answer_days")
        return self

    def rules(self) -> ConfirmRules:
        """Return the rules as they are recorded."""
        return ConfirmRules(**{**self.model_dump(), "reminders_days": tuple(self.reminders_days)})


class WaitlistBody(Body):
    """The whole configuration; a field that is left out gets its default."""

    name: Annotated[NameText, Field(min_length=1, max_length=200)]
    open: Annotated[bool, Field(description="Whether customers can sign up.")] = True
    paused: Annotated[
        bool,
        Field(
            description="Whether admission stands still: claims and `admit` are refused, and the "
            "policy offers no slots. Offers that are out can be accepted, and signups go on."
        ),
    ] = False
    capacity: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="How many entries may be on the list: those that wait, are offered or "
            "claimed, or parked; null: no limit.",
        ),
    ] = None
    rejoin: Annotated[
        Rejoin,
        Field(
            description="Which customers may sign up again, at the end of the queue: customers who "
            "left (`after_leaving`), also customers who were admitted (`always`), or no customer "
            "(`never`). Others are refused: `already_admitted` or `already_left`. A customer who "
            "was inside gives up the place by signing up again, as by `exit`; where the policy's "
            "`customer_exit` is `frees_at_end`, that is `already_admitted` until the pass ends."
        ),
    ] = "after_leaving"
    lease_seconds: Annotated[
        int, Field(ge=1, le=MAX_LEASE_SECONDS, description="The default lease of a claim.")
    ] = 300
    max_attempts: Annotated[
        int,
        Field(
            ge=1, le=MAX_ATTEMPTS, description="After how many expired holds an entry is parked."
        ),
    ] = 5
    max_claims: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="How many entries claims may hold at once; null: any number. With 1 the "
            "queue is worked strictly one after the other. Offers to customers do not count. A "
            "lower value ends no claim.",
        ),
    ] = None
    hide_counts: Annotated[
        bool,
        Field(
            description="Whether `total` and the board are hidden from customers. Their own "
            "positions and estimated waits are not: who joins last learns by them about how many "
            "wait."
        ),
    ] = False
    max_guest_bytes: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_BODY_BYTES,
            description="How many bytes `profile` and `attributes` of a signup may have together, "
            "as JSON without blanks in UTF-8; an empty object has none. More is refused: "
            "`invalid_request`. It applies to guests and to customers with accounts, not to "
            "imports and edits by operators.",
        ),
    ] = MAX_GUEST_BYTES
    retention_days: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_RETENTION_DAYS,
            description="How long record and history are kept after a customer has left or was "
            "admitted; null: for ever. A change applies to stays that end from now on.",
        ),
    ] = None
    segments: Annotated[
        list[SegmentNames],
        Field(
            default_factory=list,
            max_length=MAX_SEGMENTS,
            json_schema_extra={"uniqueItems": True},
            description="The combinations of attributes by which claims can filter. An entry is in "
            "one segment for each combination of its values of these attributes, at most "
            f"{MAX_COMBINATIONS}. A change is applied to the waiting entries in the background: "
            "see `segments_state`.",
            examples=[[["gender", "language"], ["language"]]],
        ),
        AfterValidator(_distinct),
    ]
    admission: Annotated[
        AdmissionBody | None,
        Field(
            description="The policy by which the waitlist admits by itself; null: only operators "
            "admit. A change keeps the offers that are out and the customers inside."
        ),
    ] = None
    page: Annotated[
        PageBody | None,
        Field(
            description="What the customer's page shows; null: the name and a button to join. "
            "Public."
        ),
    ] = None

    rest: Annotated[
        RestRulesBody | None,
        Field(description="Whether customers may let others pass for a time; null: no."),
    ] = None
    identity: Annotated[
        IdentityBody | None,
        Field(
            description="By which address a guest is one person; null: callers state a "
            "`customer_id`. A "
            "change applies to signups from then on: entries keep their ids, so choose before the "
            "first."
        ),
    ] = None
    opens_at: Annotated[
        UtcText | None,
        Field(
            description="Signups are taken from this time on, by Redis' clock; before it they are "
            "refused: `not_open_yet`. null: since ever.",
            examples=["2026-03-01T09:00:00Z"],
        ),
    ] = None
    closes_at: Annotated[
        UtcText | None,
        Field(
            description="Signups are taken until this time, by Redis' clock; from it on they are "
            "refused: `waitlist_closed`. null: for ever. It must be later than `opens_at`. With "
            "`open` false the waitlist is closed at any time.",
            examples=["2099-12-31T18:00:00Z"],
        ),
    ] = None

    @field_validator("closes_at")
    @classmethod
    def _check_times(cls, closes_at: str | None, info: ValidationInfo) -> str | None:
        opens_at = info.data.get("opens_at")
        if closes_at is not None and opens_at is not None and closes_at <= opens_at:
            raise ValueError("must be later than opens_at")
        return closes_at

    bot_check_down: Annotated[
        WhenDown,
        Field(
            description="What happens to new guests while the provider of the stack's bot check "
            "(parameter `BotCheck`) does not answer: `refuse` them, `bot_check_unavailable`, or "
            "`accept` them unchecked, with or without a token. A token that it refuses is refused "
            "either way."
        ),
    ] = "refuse"
    confirm: Annotated[
        ConfirmBody | None,
        Field(
            description="Whether customers are asked from time to time if they still wait; null: "
            "no, and a question that is open ends nothing."
        ),
    ] = None

    messages: Annotated[
        MessagesBody | None,
        Field(description="What people are told by mail and SMS; null: nothing."),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the fields as they are recorded."""
        admission = AdmissionPolicy.from_fields(self.admission.policy) if self.admission else None
        segments = tuple(map(tuple, self.segments))
        page = PageSettings.from_body(self.page.settings()) if self.page else None
        rest = RestRules(**self.rest.model_dump()) if self.rest else None
        identity = IdentityRules.from_fields(self.identity.model_dump()) if self.identity else None
        confirm = self.confirm.rules() if self.confirm else None
        parts = {"segments": segments, "admission": admission, "page": page, "rest": rest}
        messages = MessageRules.from_fields(self.messages.rules()) if self.messages else None
        more = {"identity": identity, "confirm": confirm, "messages": messages}
        return {**self.model_dump(), **parts, **more}

    @model_validator(mode="after")
    def _can_verify_numbers(self) -> Self:
        """Refuse to verify telephone numbers by SMS that go to no country."""
        identity, messages = self.identity, self.messages
        if identity is None or identity.field != "phone" or identity.verify == "off":
            return self
        sends = messages is not None and "verify" in messages.kinds
        if messages is not None and sends and not (messages.sms_countries or identity.region):
            raise ValueError(
                "messages.sms_countries is missing: name the countries to whose numbers the links "
                "go, such as DE, or set identity.region"
            )
        return self


class WaitlistPatch(Model):
    """Some settings, by JSON Merge Patch (RFC 7396): the others stay.

    `null` gives a setting its default back, objects merge, lists replace.
    """

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"examples": [{"open": False, "capacity": 500}]}
    )

    @property
    def given(self) -> dict[str, Any]:
        """The settings to change, by name."""
        return self.model_extra or {}

    def merged(self, settings: dict[str, Any]) -> WaitlistBody:
        """Return all settings with these changes; raise InvalidFields."""
        _refuse_unknown(merged(settings, self.given, with_nulls=True))
        try:
            return WaitlistBody.model_validate_json(json.dumps(merged(settings, self.given)))
        except ValidationError as error:
            raise _invalid(error.errors()) from error


def _refuse_unknown(settings: dict[str, Any]) -> None:
    """Raise InvalidFields for names of no setting: a `null` for one would change nothing."""
    try:
        WaitlistBody.model_validate_json(json.dumps(settings))
    except ValidationError as error:
        if unknown := [one for one in error.errors() if one["type"] == "extra_forbidden"]:
            raise _invalid(unknown) from error


def _invalid(errors: Iterable[ErrorDetails]) -> InvalidFields:
    return InvalidFields(*(field_error({**one, "loc": ("body", *one["loc"])}) for one in errors))


LINE_MEANINGS: dict[c.Line, str] = {
    "open": "customers can sign up",
    "paused": "customers can sign up, and no one is admitted until an operator resumes the list",
    "full": "as many people are on the list as it takes; a signup is refused: `waitlist_full`",
    "not_open_yet": "signups are refused until `opens_at`: `not_open_yet`",
    "closed": "signups are refused: `waitlist_closed`",
}
# A named type, so that the OpenAPI document has a component for it.
LineState = TypeAliasType(
    "LineState",
    Annotated[
        str,
        Field(json_schema_extra=extensible("The state of a waitlist.", LINE_MEANINGS)),
    ],
)


class PublicBotCheck(Model):
    """The widget that makes the `bot_token` of a signup."""

    provider: Annotated[
        str,
        Field(
            json_schema_extra=extensible(
                "Whose widget it is.",
                {"turnstile": "Cloudflare Turnstile", "hcaptcha": "hCaptcha"},
            )
        ),
    ]
    site_key: str
    action: Annotated[str, Field(description="The `action` to make a Turnstile widget with.")]
    script_url: Annotated[str, Field(description="The provider's script, to be loaded as it is.")]


class WaitlistAnswer(WithEstimate):
    """A waitlist; the estimate is that of a customer who joins now."""

    waitlist_id: TheWaitlistId
    name: str
    open: bool
    line: LineState
    as_of: Annotated[
        Time,
        Field(
            description="The time of this answer by Redis' clock, which decides on signups: a "
            "countdown to `opens_at` counts from it, whatever the clock of a device says."
        ),
    ]
    opens_at: Annotated[
        Time | None, Field(description="When signups begin; null without such a time.")
    ]
    closes_at: Annotated[
        Time | None, Field(description="When signups end; null without such a time.")
    ]
    admits_at: Annotated[
        Time | None,
        Field(
            description="When the schedule next admits people, or outside the policy's "
            "`offer_hours` the next ones begin; null if neither says when."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="How many entries wait, without those that have still to verify their "
            "address; null if hidden."
        ),
    ]
    page: Annotated[
        PageBody | None, Field(description="What the customer's page shows; null: the name alone.")
    ]
    rest: Annotated[
        RestRulesBody | None, Field(description="How customers may rest; null: not at all.")
    ]
    identity: Annotated[
        PublicIdentity | None,
        Field(
            description="By which field a guest is one person; null: by the `customer_id`, or "
            "customers have accounts."
        ),
    ]
    messages: Annotated[
        bool,
        Field(
            exclude_if=lambda messages: not messages,
            description="Whether the waitlist sends messages, and the stack can. Left out if it "
            "sends none.",
        ),
    ] = False
    bot_check: Annotated[
        PublicBotCheck | None,
        Field(
            exclude_if=lambda check: check is None,
            description="How a guest's new signup shows that a person makes it: by `bot_token`. "
            "Left out where that is not asked for.",
        ),
    ] = None


class BoardAnswer(Model):
    """Positions of the queue at one moment, the same for everyone."""

    as_of: Annotated[Time, Field(description="The moment at which all positions were true.")]
    total: Annotated[
        Count,
        Field(
            description="How many entries waited, without those that had still to verify their "
            "address."
        ),
    ]
    line: LineState
    cuts: Annotated[
        list[Annotated[list[Rank], Field(min_length=2, max_length=2)]],
        Field(
            description="Ranks with their positions, lowest first: the first 200 entries, after "
            "them entries whose positions are at most 1% apart, and the last entry. An entry with "
            "the rank of a cut had its position. Another one stood between the positions of the "
            "cuts around its rank; if its rank is below the first cut, it was not waiting.",
            examples=[[[1795253400000008, 1], [1795253400000016, 2]]],
        ),
    ]


class RebuildAnswer(Model):
    done: Annotated[Count, Field(description="How many entries are restored.")]
    total: Annotated[
        Count,
        Field(
            description="How many entries there are, by the counts of the last heartbeat before "
            "the loss. Never less than `done`: it grows with `done` if there are more entries, or "
            "if none were counted. When both are equal, the rebuild checks what changed since it "
            "began."
        ),
    ]


class WarningAnswer(Model):
    """A setting that needs another setting, or a parameter of the stack, and lacks it."""

    code: Annotated[
        str,
        documented(
            **extensible(
                "What is missing.", {rule.code: rule.message for rule in setting_needs.RULES}
            )
        ),
    ]
    message: Annotated[
        str, Field(description="What happens on this waitlist, then what to do about it.")
    ]
    settings: Annotated[
        list[str],
        Field(description="The settings that it is about; `page.enter_url` is a part of `page`."),
    ]


class WaitlistConfigAnswer(Model):
    waitlist_id: TheWaitlistId
    name: str
    open: bool
    paused: bool
    capacity: int | None
    rejoin: Rejoin
    lease_seconds: int
    max_attempts: int
    max_claims: int | None
    hide_counts: bool
    max_guest_bytes: Count
    retention_days: int | None
    segments: Annotated[
        list[list[str]], Field(description="As declared, with names and segments sorted.")
    ]
    admission: AdmissionBody | None
    page: PageBody | None
    rest: RestRulesBody | None
    identity: IdentityBody | None
    opens_at: Time | None
    closes_at: Time | None
    confirm: ConfirmBody | None
    bot_check_down: WhenDown
    messages: MessagesBody | None
    segments_state: Annotated[
        Literal["ready", "building"],
        Field(
            description="While segments are `building`, requests that name a segment are refused: "
            "`503 rebuilding`."
        ),
    ]
    rebuild: Annotated[
        RebuildAnswer | None,
        Field(
            description="The progress of a rebuild after Redis lost the order; null if no rebuild "
            "is running. Until it ends, requests that need the order are refused: `503 rebuilding`."
        ),
    ]
    warnings: Annotated[
        list[WarningAnswer],
        documented(maxItems=len(setting_needs.RULES)),
        Field(
            description="Settings that do not do what they seem to do, on this stack at this "
            "moment. The waitlist works without them."
        ),
    ]
    version: Count
    created_at: Time
    updated_at: Time


class AskBody(Body):
    """Ask customers now whether they still wait."""

    dry_run: Annotated[
        bool, Field(description="Count the entries of this page that would be asked; ask none.")
    ] = False
    days: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_CONFIRM_DAYS,
            description="Ask those alone who signed up so many days ago, and were not asked and "
            "have not confirmed since.",
        ),
    ] = 0


class AskAnswer(Model):
    asked: Annotated[
        Count,
        Field(description="How many entries of this page are asked; with `dry_run`, would be."),
    ]
    cursor: TheCursor | None


class WaitlistsAnswer(Model):
    waitlists: Annotated[list[WaitlistConfigAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
