"""The private function's messages: one request and one result per operation.

An operation is a pair of classes in one of these modules; `answers` registers it. A field added
later gets a default, so that an older caller's message still decodes; unknown fields are ignored,
so that a newer caller's does too.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from waitlist_shared.contracts.admission import *
from waitlist_shared.contracts.claims import *
from waitlist_shared.contracts.common import *
from waitlist_shared.contracts.imports import *
from waitlist_shared.contracts.maintenance import *
from waitlist_shared.contracts.queue import *
from waitlist_shared.contracts.segments import *
from waitlist_shared.limits import MAX_BATCH

if TYPE_CHECKING:
    Single = Request
else:
    Single = reduce(or_, REQUESTS.values())


class Batch(Request, frozen=True, kw_only=True, tag="batch"):
    """Up to 500 requests in one round trip.

    Each succeeds or fails by itself, also one that does not follow the contract: its failure stands
    at its place in the results, and the others run.
    """

    requests: Annotated[list[Single], Meta(max_length=MAX_BATCH)]


@answers(Batch)
class BatchResult(Result, frozen=True, kw_only=True):
    """Results and failures in the order of the requests, each as its own message."""

    results: list[dict[str, object]]


AnyRequest = Single if TYPE_CHECKING else Single | Batch
