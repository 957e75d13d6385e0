"""The messages between the public and the private function. Each operation has a request and a
result.

During a deployment, one function can be newer than the other. That is why a new field must have a
default, and an existing field must keep its name.
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


class Batch(Request, frozen=True, kw_only=True):
    """Carries out up to 500 requests in one round trip.

    Each request succeeds or fails independently.
    """

    requests: Annotated[list[Single], Meta(max_length=MAX_BATCH)]


@answers(Batch)
class BatchResult(Result, frozen=True, kw_only=True):
    """The results and failures of a batch, in the same order as the requests."""

    results: list[dict[str, object]]


AnyRequest = Single if TYPE_CHECKING else Single | Batch
