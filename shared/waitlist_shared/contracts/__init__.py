"""The private function's messages: one request and one result per operation.

A field added later gets a default, so that an older caller's message still decodes; unknown
fields are ignored, so that a newer caller's does too.
"""

from typing import Annotated

from msgspec import Meta

from waitlist_shared.contracts.basis import (
    VERSION,
    ClaimToken,
    EntryId,
    Epoch,
    Failure,
    JoinId,
    LeaseSeconds,
    Number,
    OnceKey,
    OnEntry,
    OnStay,
    OnTaggedStay,
    OnWaitlist,
    Places,
    Priority,
    Request,
    Result,
    Seen,
    SegmentId,
    SegmentIds,
    Standing,
    State,
    Ticket,
    WaitlistId,
)
from waitlist_shared.contracts.care import (
    Beat,
    BeatResult,
    Fill,
    FillResult,
    FillStay,
    Look,
    LookResult,
)
from waitlist_shared.contracts.claims import (
    Claim,
    Claimed,
    ClaimResult,
    Complete,
    CompleteResult,
    Decision,
    Expire,
    ExpireResult,
    Extend,
    ExtendResult,
    HoldResult,
    OnHold,
    Park,
    ParkResult,
    Redrive,
    RedriveResult,
    Release,
    ReleaseResult,
    Settle,
    SettleResult,
    Shelf,
    ShelfEntry,
    ShelfResult,
    Unsettled,
    Verb,
)
from waitlist_shared.contracts.imports import Crowd, Enlist, Reserve, ReserveResult
from waitlist_shared.contracts.line import (
    Bump,
    BumpResult,
    Counters,
    Drop,
    DropResult,
    EndOfStay,
    Init,
    InitResult,
    Leave,
    LeaveResult,
    Page,
    PageEntry,
    PageResult,
    Ping,
    PingResult,
    Position,
    PositionResult,
    Purge,
    PurgeResult,
    Restore,
    RestoreResult,
    SegmentPlace,
    Settings,
    Signup,
    SignupResult,
    Stats,
    StatsResult,
)
from waitlist_shared.contracts.segments import (
    Mark,
    MarkResult,
    SegmentDepth,
    Segments,
    SegmentsResult,
    Tag,
    TagResult,
    Untagged,
    UntaggedResult,
)
from waitlist_shared.limits import MAX_BATCH

Single = (
    Ping
    | Init
    | Signup
    | Leave
    | Drop
    | Bump
    | Position
    | Page
    | Stats
    | Restore
    | Purge
    | Claim
    | Complete
    | Release
    | Extend
    | Park
    | Redrive
    | Expire
    | Settle
    | Shelf
    | Mark
    | Tag
    | Untagged
    | Segments
    | Beat
    | Fill
    | Look
    | Reserve
    | Enlist
)


class Batch(Request, frozen=True, kw_only=True, tag="batch"):
    """Up to 500 requests in one round trip.

    Each succeeds or fails by itself, also one that does not follow the contract: its failure stands
    at its place in the results, and the others run.
    """

    requests: Annotated[list[Single], Meta(max_length=MAX_BATCH)]


class BatchResult(Result, frozen=True, kw_only=True):
    """Results and failures in the order of the requests, each as its own message."""

    results: list[dict[str, object]]


AnyRequest = Single | Batch

__all__ = [
    "VERSION",
    "AnyRequest",
    "Batch",
    "BatchResult",
    "Beat",
    "BeatResult",
    "Bump",
    "BumpResult",
    "Claim",
    "ClaimResult",
    "ClaimToken",
    "Claimed",
    "Complete",
    "CompleteResult",
    "Counters",
    "Crowd",
    "Decision",
    "Drop",
    "DropResult",
    "EndOfStay",
    "Enlist",
    "EntryId",
    "Epoch",
    "Expire",
    "ExpireResult",
    "Extend",
    "ExtendResult",
    "Failure",
    "Fill",
    "FillResult",
    "FillStay",
    "HoldResult",
    "Init",
    "InitResult",
    "JoinId",
    "LeaseSeconds",
    "Leave",
    "LeaveResult",
    "Look",
    "LookResult",
    "Mark",
    "MarkResult",
    "Number",
    "OnEntry",
    "OnHold",
    "OnStay",
    "OnTaggedStay",
    "OnWaitlist",
    "OnceKey",
    "Page",
    "PageEntry",
    "PageResult",
    "Park",
    "ParkResult",
    "Ping",
    "PingResult",
    "Places",
    "Position",
    "PositionResult",
    "Priority",
    "Purge",
    "PurgeResult",
    "Redrive",
    "RedriveResult",
    "Release",
    "ReleaseResult",
    "Request",
    "Reserve",
    "ReserveResult",
    "Restore",
    "RestoreResult",
    "Result",
    "Seen",
    "SegmentDepth",
    "SegmentId",
    "SegmentIds",
    "SegmentPlace",
    "Segments",
    "SegmentsResult",
    "Settings",
    "Settle",
    "SettleResult",
    "Shelf",
    "ShelfEntry",
    "ShelfResult",
    "Signup",
    "SignupResult",
    "Single",
    "Standing",
    "State",
    "Stats",
    "StatsResult",
    "Tag",
    "TagResult",
    "Ticket",
    "Unsettled",
    "Untagged",
    "UntaggedResult",
    "Verb",
    "WaitlistId",
]
