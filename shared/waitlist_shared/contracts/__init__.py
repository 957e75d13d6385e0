"""The messages of the private function, with one request and one result for each operation.

An operation is a pair of classes in one of these modules, which `answers` registers.

During a deployment, functions of two versions exchange messages. Therefore one rule holds from the
first release on: a new field gets a default, and a field keeps its name. A receiver ignores fields
that it does not know.
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

    Each request succeeds or fails independently. If a request does not match the contract, its
    place in the results has the failure, and the other requests are carried out.
    """

    requests: Annotated[list[Single], Meta(max_length=MAX_BATCH)]


@answers(Batch)
class BatchResult(Result, frozen=True, kw_only=True):
    """The results and failures of a batch, in the order of its requests."""

    results: list[dict[str, object]]


AnyRequest = Single if TYPE_CHECKING else Single | Batch
