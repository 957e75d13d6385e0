"""The configuration of a waitlist, and its public data."""

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
from waitlist_api.merge_patch import apply_merge_patch
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
        raise ValueError("must name each attribute only once")
    return sorted(names)


def _distinct(segments: list[list[str]]) -> list[list[str]]:
    """Return the segments in sorted order. Raise ValueError if a segment is repeated."""
    repeated = [names for names, count in Counter(map(tuple, segments)).items() if count > 1]
    if repeated:
        raise ValueError(
            "has segments that are declared more than once: "
            f"{', '.join('+'.join(names) for names in repeated)}"
        )
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
    """The rules for resting.

    An entry that rests keeps its position in the queue, but other entries are served first.
    """

    max_days: Annotated[
        int, Field(ge=1, le=MAX_REST_DAYS, description="The maximum length of a rest, in days.")
    ] = 180
    times: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_RESTS,
            description="How many times a customer may rest after each signup.",
        ),
    ] = 3


class IdentityBody(Body):
    """The profile field that identifies a guest.

    Customers with accounts are always identified by the `sub` claim of their token.
    """

    field: Annotated[
        IdentityField,
        Field(
            description="The field that a signup must have in its `profile`. A signup must not "
            "have a `customer_id`, because the service derives it from the address. All spellings "
            "of an address have the same `customer_id`."
        ),
    ]
    verify: Annotated[
        Verify,
        Field(
            description="Whether guests must verify their address. With `off`, a second signup "
            "with the same address is refused with `already_on_list`. With `before_offer`, each "
            "signup returns `202`, and a link is sent to the address. Until the customer opens "
            "the link, the entry is not ready."
        ),
    ] = "off"
    verify_minutes: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_VERIFY_MINUTES,
            description="The number of minutes that a guest has to verify the address. After "
            "that, the entry leaves the waitlist.",
        ),
    ] = 1440
    plus_addresses: Annotated[
        PlusAddresses,
        Field(
            description="Whether different spellings can belong to one person. With `same`, "
            "`ada+news@example.com` and `ada@example.com` belong to one person, and dots in Gmail "
            "addresses are ignored. With `different`, each address belongs to a different person."
        ),
    ] = "same"
    region: Annotated[
        Country | None,
        Field(
            description="The default country of telephone numbers, as a two-letter code (ISO "
            "3166). If it is null, each number must start with `+` and a country code.",
            examples=["DE"],
        ),
    ] = None
    blocked_domains: Annotated[
        list[Annotated[str, Field(pattern=f"^{DOMAIN}$", max_length=253)]],
        Field(
            default_factory=list,
            max_length=MAX_BLOCKED_DOMAINS,
            json_schema_extra={"uniqueItems": True},
            description="Domains of mail addresses that may not sign up. Subdomains are blocked "
            "too. Write the domains in ASCII and lower case.",
            examples=[["mailinator.com"]],
        ),
    ]


class PublicIdentity(Model):
    """The address that guests must enter to sign up, in the `profile` of the signup."""

    field: IdentityField
    verify: Verify


def _descending(days: list[int]) -> list[int]:
    return sorted(set(days), reverse=True)


class ConfirmBody(Body):
    """Settings for asking customers regularly whether they are still waiting."""

    every_days: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CONFIRM_DAYS,
            description="How often to ask, in days. The days are counted from the signup, the "
            "last question or the last confirmation, whichever is latest.",
        ),
    ]
    answer_days: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CONFIRM_DAYS,
            description="The number of days that customers have to `confirm`. It must not be "
            "larger than `every_days`.",
        ),
    ] = 14
    reminders_days: Annotated[
        list[Annotated[int, Field(ge=1, le=MAX_CONFIRM_DAYS)]],
        Field(
            default_factory=list,
            max_length=MAX_REMINDERS,
            json_schema_extra={"uniqueItems": True},
            description="How many days before the deadline to send a reminder (the `reminded` "
            "event). Each value must be less than `answer_days`.",
            examples=[[7, 1]],
        ),
        AfterValidator(_descending),
    ]
    then: Annotated[
        Unanswered,
        Field(
            description="What happens to an entry if its customer does not answer. `park` sets "
            "the entry aside until an operator brings it back with `redrive`. `leave` removes the "
            "entry from the waitlist. `to_back` moves it to the end of the queue."
        ),
    ] = "park"

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.answer_days > self.every_days:
            raise ValueError("must not have an answer_days greater than every_days")
        if any(days >= self.answer_days for days in self.reminders_days):
            raise ValueError("must have only reminders_days that are less than answer_days")
        return self

    def rules(self) -> ConfirmRules:
        """Return the settings in the format in which they are stored."""
        return ConfirmRules(**{**self.model_dump(), "reminders_days": tuple(self.reminders_days)})


class WaitlistBody(Body):
    """The whole configuration of a waitlist. Fields that are left out get their default value."""

    name: Annotated[NameText, Field(min_length=1, max_length=200)]
    open: Annotated[bool, Field(description="Whether customers can sign up.")] = True
    paused: Annotated[
        bool,
        Field(
            description="Whether admission is paused. While it is paused, nobody is admitted. "
            "Customers can still sign up and accept the offers that they already have."
        ),
    ] = False
    capacity: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="The maximum number of entries on the waitlist. Offered, claimed and "
            "parked entries count too. Null means no limit.",
        ),
    ] = None
    rejoin: Annotated[
        Rejoin,
        Field(
            description="Which customers may sign up again, at the end of the queue. "
            "`after_leaving` allows customers who have left. `always` also allows customers who "
            "were admitted, and who then no longer count for `max_inside`. `never` allows nobody. "
            "All other customers are refused with `already_admitted` or `already_left`. If the "
            "policy's `customer_exit` is `frees_at_end`, an admitted customer can sign up again "
            "only after their pass has expired."
        ),
    ] = "after_leaving"
    lease_seconds: Annotated[
        int,
        Field(ge=1, le=MAX_LEASE_SECONDS, description="The default length of a lease, in seconds."),
    ] = 300
    max_attempts: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_ATTEMPTS,
            description="The number of expired claims and offers after which an entry is set "
            "aside (parked).",
        ),
    ] = 5
    max_claims: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="The maximum number of entries that are claimed at the same time. If it "
            "is 1, entries are processed strictly one after the other. Offers to customers do not "
            "count. Null means no limit. A lower value does not end existing claims.",
        ),
    ] = None
    hide_counts: Annotated[
        bool,
        Field(
            description="Whether to hide `total` and the board from customers. Customers can "
            "still see their own position and estimated wait."
        ),
    ] = False
    max_guest_bytes: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_BODY_BYTES,
            description="The maximum size in bytes of a signup's `profile` and `attributes` "
            "together, as compact JSON in UTF-8. An empty object counts as 0 bytes. A larger "
            "signup is refused with `invalid_request`. Imports and edits by operators have no "
            "such limit.",
        ),
    ] = MAX_GUEST_BYTES
    retention_days: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_RETENTION_DAYS,
            description="How many days to keep the data of a customer who has left or was "
            "admitted. Null means forever. A change affects only customers who leave or are "
            "admitted after the change.",
        ),
    ] = None
    segments: Annotated[
        list[SegmentNames],
        Field(
            default_factory=list,
            max_length=MAX_SEGMENTS,
            json_schema_extra={"uniqueItems": True},
            description="The combinations of attributes by which claims can filter. An entry "
            "belongs to one segment for each combination of its values of these attributes, and "
            f"to at most {MAX_COMBINATIONS} segments. A change is applied to the waiting entries "
            "in the background. `segments_state` says whether it is complete.",
            examples=[[["gender", "language"], ["language"]]],
        ),
        AfterValidator(_distinct),
    ]
    admission: Annotated[
        AdmissionBody | None,
        Field(
            description="The policy by which the waitlist admits customers automatically. Null "
            "means that only operators admit customers. A change of the policy does not affect "
            "open offers and admitted customers."
        ),
    ] = None
    page: Annotated[
        PageBody | None,
        Field(
            description="The settings of the customer page, which are public. Null means that the "
            "page shows only the waitlist's name and a button to join."
        ),
    ] = None

    rest: Annotated[
        RestRulesBody | None,
        Field(
            description="Whether and how customers may rest. Null means that customers may not "
            "rest."
        ),
    ] = None
    identity: Annotated[
        IdentityBody | None,
        Field(
            description="The address that identifies a guest. Null means that clients send a "
            "`customer_id` instead. Choose this setting before the first signup, because existing "
            "entries keep their ids."
        ),
    ] = None
    opens_at: Annotated[
        UtcText | None,
        Field(
            description="When the waitlist opens, according to the clock of the Redis server. "
            "Earlier signups are refused with `not_open_yet`. Null means that there is no opening "
            "time.",
            examples=["2026-03-01T09:00:00Z"],
        ),
    ] = None
    closes_at: Annotated[
        UtcText | None,
        Field(
            description="When the waitlist closes, according to the clock of the Redis server. "
            "Later signups are refused with `waitlist_closed`. The time must be later than "
            "`opens_at`. Null means that there is no closing time. If `open` is false, the "
            "waitlist is closed in any case.",
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
            description="What to do with new guests while the provider of the bot check does not "
            "respond. `refuse` refuses them with `bot_check_unavailable`. `accept` accepts them "
            "without a check. If the provider rejects a token, the guest is refused in both "
            "cases."
        ),
    ] = "refuse"
    confirm: Annotated[
        ConfirmBody | None,
        Field(
            description="Whether and how the waitlist asks customers regularly whether they are "
            "still waiting. Null means that customers are not asked, and that earlier questions "
            "have no effect."
        ),
    ] = None

    messages: Annotated[
        MessagesBody | None,
        Field(
            description="The mail and SMS messages that the waitlist sends. Null means that the "
            "waitlist sends no messages."
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the settings in the form in which they are stored."""
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
        """Refuse to verify telephone numbers if SMS messages are allowed to no country."""
        identity, messages = self.identity, self.messages
        if identity is None or identity.field != "phone" or identity.verify == "off":
            return self
        sends = messages is not None and "verify" in messages.kinds
        if messages is not None and sends and not (messages.sms_countries or identity.region):
            raise ValueError(
                "must have messages.sms_countries, the countries to whose numbers links are sent, "
                "such as DE. Or set identity.region."
            )
        return self


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

    def merged(self, settings: dict[str, Any]) -> WaitlistBody:
        """Return all settings after the change. Raise InvalidFields if the result is not valid."""
        _refuse_unknown(apply_merge_patch(settings, self.given, with_nulls=True))
        try:
            return WaitlistBody.model_validate_json(
                json.dumps(apply_merge_patch(settings, self.given))
            )
        except ValidationError as error:
            raise _invalid(error.errors()) from error


def _refuse_unknown(settings: dict[str, Any]) -> None:
    """Raise InvalidFields for unknown settings, even if their value is `null`."""
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
# The type has a name so that the OpenAPI document has a component for it.
LineState = TypeAliasType(
    "LineState",
    Annotated[
        str,
        Field(json_schema_extra=extensible("The state of a waitlist.", LINE_MEANINGS)),
    ],
)


class PublicBotCheck(Model):
    """The bot-check widget, which creates the `bot_token` for a signup."""

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


class WaitlistAnswer(WithEstimate):
    """The public data of a waitlist. The estimate is the wait of a customer who joins now."""

    waitlist_id: TheWaitlistId
    name: str
    open: bool
    line: LineState
    as_of: Annotated[
        Time,
        Field(
            description="The time of this response, according to the clock that decides whether "
            "the waitlist is open. Use this time for a countdown to `opens_at`, because the clock "
            "of a device may be wrong."
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
            description="The next time at which the schedule offers slots. Outside the policy's "
            "`offer_hours`, it is the time when these hours begin again. Null if there is no such "
            "time."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="The number of waiting entries, except entries with an unverified "
            "address. Null if the waitlist hides this number."
        ),
    ]
    page: Annotated[
        PageBody | None,
        Field(
            description="The settings of the customer page. If they are null, the page shows only "
            "the waitlist's name."
        ),
    ]
    rest: Annotated[
        RestRulesBody | None,
        Field(description="The rules for resting. Null if customers may not rest."),
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
            description="Whether the waitlist sends messages. Left out if it sends none.",
        ),
    ] = False
    bot_check: Annotated[
        PublicBotCheck | None,
        Field(
            exclude_if=lambda check: check is None,
            description="The bot check that new guests must pass. They send a `bot_token` in "
            "their signup. Left out if there is no bot check.",
        ),
    ] = None


class BoardAnswer(Model):
    """A snapshot of all positions in the queue. The board is the same for all customers."""

    as_of: Annotated[Time, Field(description="The time of the snapshot.")]
    total: Annotated[
        Count,
        Field(
            description="The number of waiting entries at the time of the snapshot, except "
            "entries with an unverified address."
        ),
    ]
    line: LineState
    cuts: Annotated[
        list[Annotated[list[Rank], Field(min_length=2, max_length=2)]],
        Field(
            description="Pairs of a rank and its position, lowest rank first. The list contains "
            "the first 200 entries, then entries whose positions are at most 1% apart, and the "
            "last entry. If your entry's rank is in the list, the entry had exactly this "
            "position. Otherwise its position was between the positions of the two neighbouring "
            "pairs. If your entry's rank is lower than all ranks in the list, the entry was not "
            "waiting.",
            examples=[[[1795253400000008, 1], [1795253400000016, 2]]],
        ),
    ]


class RebuildAnswer(Model):
    done: Annotated[Count, Field(description="How many entries have been restored so far.")]
    total: Annotated[
        Count,
        Field(
            description="How many entries have to be restored, as counted shortly before Redis "
            "lost the data. If this number is too low, `total` grows together with `done`."
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
        str, Field(description="The effect on this waitlist, and what to do about it.")
    ]
    settings: Annotated[
        list[str],
        Field(
            description="The settings that the warning is about. `page.enter_url` means the field "
            "`enter_url` of `page`."
        ),
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
        list[list[str]],
        Field(
            description="The declared segments. The list and the attribute names of each segment "
            "are sorted."
        ),
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
            description="The state of the segments. While it is `building`, requests that name a "
            "segment fail with `503 rebuilding`."
        ),
    ]
    rebuild: Annotated[
        RebuildAnswer | None,
        Field(
            description="The progress of a rebuild, which is necessary after Redis has lost the "
            "waitlist's queue. During a rebuild, requests that need the queue fail with `503 "
            "rebuilding`. Null if no rebuild is running."
        ),
    ]
    warnings: Annotated[
        list[WarningAnswer],
        documented(maxItems=len(setting_needs.RULES)),
        Field(
            description="Settings that currently do not have the intended effect on this stack. "
            "The waitlist still works."
        ),
    ]
    version: Count
    created_at: Time
    updated_at: Time


class AskBody(Body):
    """A request to ask customers now whether they are still waiting."""

    dry_run: Annotated[
        bool,
        Field(
            description="Whether to only count the entries that would be asked. Nobody is asked."
        ),
    ] = False
    days: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_CONFIRM_DAYS,
            description="Only ask customers who signed up at least this many days ago. Customers "
            "who were asked or who confirmed within this time are left out.",
        ),
    ] = 0


class AskAnswer(Model):
    asked: Annotated[
        Count,
        Field(
            description="The number of entries on this page that were asked. With `dry_run`, the "
            "number that would be asked."
        ),
    ]
    cursor: TheCursor | None


class WaitlistsAnswer(Model):
    waitlists: Annotated[list[WaitlistConfigAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
