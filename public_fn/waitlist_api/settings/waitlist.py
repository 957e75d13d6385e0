"""Define all settings that operators choose for a waitlist."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from msgspec.structs import replace

from waitlist_api.settings.admission import AdmissionPolicy, OfferHours, Scheduled
from waitlist_api.settings.call_numbers import CallNumberRules
from waitlist_api.settings.confirm import ConfirmRules
from waitlist_api.settings.declared import DISTINCT, Setting, Settings
from waitlist_api.settings.decline import DeclineRules
from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.messages import MessageRules
from waitlist_api.settings.page import PageSettings
from waitlist_api.settings.rest import RestRules
from waitlist_api.settings.texts import AttributeName, NameText, TimeZone, UtcText, millis_or_none
from waitlist_shared.limits import (
    DEFAULT_LEASE_SECONDS,
    DEFAULT_MAX_ATTEMPTS,
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_COMBINATIONS,
    MAX_LEASE_SECONDS,
    MAX_SEGMENT_ATTRIBUTES,
    MAX_SEGMENTS,
)

Rejoin = Literal["never", "after_leaving", "always"]
# Whether new guests can sign up while the bot check provider is not available.
WhenDown = Literal["refuse", "accept"]
# The maximum size of a request body. An operator cannot set a higher limit for a signup's data,
# because the data is part of the request body.
MAX_BODY_BYTES = 16 * 1024


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
    tuple[AttributeName, ...],
    Setting(min_length=1, max_length=MAX_SEGMENT_ATTRIBUTES, schema=DISTINCT, check=_canonical),
]


class WaitlistSettings(Settings, frozen=True, kw_only=True):
    """A waitlist's whole configuration. Fields that are left out get their default values."""

    name: Annotated[
        NameText,
        Setting("The name that customers see.", label="Name", max_length=200, is_public=True),
    ]
    open: Annotated[bool, Setting("Whether customers can sign up.", is_public=True)] = True
    opens_at: Annotated[
        UtcText | None,
        Setting(
            "When the waitlist opens, according to the Redis server's clock. Earlier signups are "
            "refused with `not_open_yet`.",
            null="that there is no opening time",
            label="Opens",
            examples=["2026-03-01T09:00:00Z"],
        ),
    ] = None
    closes_at: Annotated[
        UtcText | None,
        Setting(
            "When the waitlist closes, according to the Redis server's clock. Later signups are "
            "refused with `waitlist_closed`. The closing time must be later than `opens_at`. If "
            "`open` is false, the waitlist is closed at all times.",
            null="that there is no closing time",
            label="Closes",
            examples=["2099-12-31T18:00:00Z"],
        ),
    ] = None
    timezone: Annotated[
        TimeZone,
        Setting(
            "The waitlist's time zone, as an IANA name. Days begin and end in this time zone, for "
            "example when today's admissions are counted. The console shows times in this time "
            "zone. Cron expressions, offer hours and messages use it too, unless they name their "
            "own time zone.",
            label="Time zone",
            examples=["Europe/Berlin"],
        ),
    ] = "UTC"
    paused: Annotated[
        bool,
        Setting(
            "Whether admission is paused. While it is paused, nobody can be claimed or offered a "
            "slot. Customers can still sign up and accept open offers."
        ),
    ] = False
    capacity: Annotated[
        int | None,
        Setting(
            "The maximum number of entries on the waitlist. This includes offered, claimed and "
            "parked entries.",
            null="no limit",
            label="Capacity",
            ge=1,
            le=MAX_CAPACITY,
        ),
    ] = None
    rejoin: Annotated[
        Rejoin,
        Setting(
            "Which customers may sign up again, at the end of the queue. `after_leaving` allows "
            "customers who have left. `always` also allows customers who were admitted, and who "
            "then no longer count towards `max_inside`. `never` allows nobody. All other customers "
            "are refused with `already_admitted` or `already_left`. If the policy's "
            "`customer_exit` is `frees_at_end`, an admitted customer can sign up again only after "
            "their pass has expired.",
            label="Who may sign up again",
            choices={
                "never": "No one",
                "after_leaving": "Customers who left",
                "always": "Customers who left or were admitted",
            },
        ),
    ] = "after_leaving"
    hide_counts: Annotated[
        bool,
        Setting(
            "Whether to hide from customers how many people are waiting. This hides `total` and "
            "the board. Customers can still see their own position and estimated wait.",
            label="Counts",
            choices={
                "no": "Customers see how many people are waiting",
                "yes": "Only operators see how many people are waiting",
            },
        ),
    ] = False
    bot_check_down: Annotated[
        WhenDown,
        Setting(
            "What to do with new guests while the bot check provider does not respond. With "
            "`refuse`, they are refused with the `bot_check_unavailable` error. With `accept`, "
            "they can sign up without a check. If the provider responds and rejects a guest's "
            "token, the guest is refused in both cases.",
            label="If the bot check does not answer",
            choices={
                "refuse": "New guests are refused, and can try again",
                "accept": "New guests join unchecked",
            },
        ),
    ] = "refuse"
    rest: Annotated[
        RestRules | None,
        Setting(
            "How long customers may let others pass, and how many times. A customer who is letting "
            "others pass keeps their position, but other customers are served first.",
            null="that customers may not let others pass",
            is_public=True,
        ),
    ] = None
    confirm: Annotated[
        ConfirmRules | None,
        Setting(
            "Whether and how the waitlist regularly asks customers if they are still waiting.",
            null="that customers are not asked, and that earlier questions have no effect",
        ),
    ] = None
    call_numbers: Annotated[
        CallNumberRules | None,
        Setting(
            "The short numbers by which customers can be called. Customers who signed up before "
            "the setting was turned on get no number.",
            null="that customers get no numbers",
        ),
    ] = None
    segments: Annotated[
        tuple[SegmentNames, ...],
        Setting(
            "The combinations of attributes by which claims can filter. An entry belongs to one "
            "segment for each combination of its values for these attributes, and to at most "
            f"{MAX_COMBINATIONS} segments. A change is applied to the waiting entries in the "
            "background. `segments_state` says whether it is complete.",
            label="Segments",
            max_length=MAX_SEGMENTS,
            schema=DISTINCT,
            check=_distinct,
            examples=[[["gender", "language"], ["language"]]],
        ),
    ] = ()
    lease_seconds: Annotated[
        int,
        Setting(
            "The default length of a lease, in seconds.",
            label="Claim lease, in seconds",
            ge=1,
            le=MAX_LEASE_SECONDS,
        ),
    ] = DEFAULT_LEASE_SECONDS
    max_attempts: Annotated[
        int,
        Setting(
            "The number of expired claims and offers after which an entry is set aside (parked).",
            label="Attempts",
            ge=1,
            le=MAX_ATTEMPTS,
        ),
    ] = DEFAULT_MAX_ATTEMPTS
    max_claims: Annotated[
        int | None,
        Setting(
            "The maximum number of entries that can be claimed at the same time. If it is 1, "
            "entries are processed strictly one at a time. Open offers do not count towards this "
            "limit. Lowering the value does not end existing claims.",
            null="no limit",
            label="Claims at once",
            ge=1,
            le=MAX_CAPACITY,
        ),
    ] = None
    max_guest_bytes: Annotated[
        int,
        Setting(
            "The maximum size of a signup's data, in bytes. The data consists of the `profile` and "
            "the `attributes`, measured as compact JSON in UTF-8, and an empty object counts as 0 "
            "bytes. A larger signup is refused with `invalid_request`. Imports and edits by "
            "operators have no such limit.",
            label="Signup data, in bytes",
            ge=0,
            le=MAX_BODY_BYTES,
        ),
    ] = 2048
    retention_days: Annotated[
        int | None,
        Setting(
            "How many days to keep customers' data after they have left or been admitted. A change "
            "affects only customers who leave or are admitted afterwards.",
            null="forever",
            label="Retention in days",
            ge=1,
            le=3650,
        ),
    ] = None
    identity: Annotated[
        IdentityRules | None,
        Setting(
            "The address that identifies a guest. Choose this setting before the first signup. "
            "The service computes entry ids from the address, and changing the setting does not "
            "change the ids of existing entries.",
            null="that clients send a `customer_id` instead",
        ),
    ] = None
    messages: Annotated[
        MessageRules | None,
        Setting(
            "The email and SMS messages that the waitlist sends.",
            null="that the waitlist sends no messages",
        ),
    ] = None
    admission: Annotated[
        AdmissionPolicy | None,
        Setting(
            "The policy by which the waitlist admits customers automatically. Changing the policy "
            "does not affect open offers or admitted customers.",
            null="that only operators admit customers",
        ),
    ] = None
    page: Annotated[
        PageSettings | None,
        Setting(
            "The settings of the customer page, which are public.",
            null="that the page shows only the waitlist's name and a button to join",
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.opens_at and self.closes_at and self.closes_at <= self.opens_at:
            yield "closes_at", "must be later than opens_at"
        # Telephone numbers can be verified only if the waitlist may send SMS messages to at least
        # one country.
        identity, messages = self.identity, self.messages
        if identity is None or identity.field != "phone" or not identity.verifies:
            return
        sends = messages is not None and "verify" in messages.kinds
        if messages is not None and sends and not (messages.sms_countries or identity.region):
            yield (
                "",
                "must have messages.sms_countries, the countries to which links are sent, such as "
                "DE. Or set identity.region.",
            )

    @property
    def opens_millis(self) -> int | None:
        return millis_or_none(self.opens_at)

    @property
    def closes_millis(self) -> int | None:
        return millis_or_none(self.closes_at)

    def with_asking_since(self, before: "WaitlistSettings | None", now_millis: int) -> Self:
        """Return the settings with `confirm.since_millis` set to when `confirm` was turned on.

        This time stays the same while `confirm` remains turned on.
        """
        if self.confirm is None:
            return self
        since = now_millis
        if before is not None and before.confirm is not None:
            since = before.confirm.since_millis
        return replace(self, confirm=replace(self.confirm, since_millis=since))


def pass_seconds_of(settings: WaitlistSettings) -> int:
    """Return how long a pass is valid, in seconds, or 0 if the waitlist has no admission policy."""
    return settings.admission.pass_seconds if settings.admission else 0


def frees_at_end(settings: WaitlistSettings) -> bool:
    """Return whether customers count as inside until their passes end, even after they exit."""
    return settings.admission is not None and settings.admission.customer_exit == "frees_at_end"


def admission_of(settings: WaitlistSettings) -> AdmissionPolicy | None:
    """Return the admission policy, completed with the waitlist's time zone.

    The waitlist's time zone is used wherever the policy names no time zone.
    """
    policy = settings.admission
    return None if policy is None else policy.in_zone(settings.timezone)


def offer_hours_of(settings: WaitlistSettings) -> OfferHours | None:
    """Return the hours in which the admission policy makes offers, or None if it always makes
    offers.
    """
    policy = admission_of(settings)
    return policy.offer_hours if policy else None


def until_millis_of(settings: WaitlistSettings) -> int | None:
    """Return when admissions end, or None if they have no end."""
    return settings.admission.until_millis if settings.admission else None


def is_over(settings: WaitlistSettings, now_millis: int) -> bool:
    """Return whether admissions have ended, so that the waitlist makes no offers."""
    until_millis = until_millis_of(settings)
    return until_millis is not None and until_millis <= now_millis


def decline_rules_of(settings: WaitlistSettings) -> DeclineRules:
    """Return what happens to an entry when its customer declines an offer.

    By default, the entry moves to the end of the queue.
    """
    rules = settings.admission.decline if settings.admission else None
    return rules or DeclineRules(to="back")


def schedule_of(settings: WaitlistSettings) -> tuple[Scheduled, ...]:
    """Return the admission policy's schedule, which is empty if there is no policy."""
    policy = admission_of(settings)
    return policy.schedule if policy else ()
