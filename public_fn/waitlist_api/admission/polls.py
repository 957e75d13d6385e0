"""Answer customers who poll their position.

A poll may also run the admission policy, and records that the customer has seen their offer.
"""

import logging
from collections.abc import Sequence

from msgspec import Struct

from waitlist_api.admission.admit import Admissions
from waitlist_api.admission.seen_offers import SeenOffers
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.segment_positions import SegmentPlace, SegmentPositions
from waitlist_shared.errors import WaitlistError

logger = logging.getLogger(__name__)


class Polls(Struct, frozen=True):
    """Answers polls, and offers any slots that the admission policy allows at that moment."""

    positions: Positions
    segment_positions: SegmentPositions
    admissions: Admissions
    seen_offers: SeenOffers

    def poll(
        self, waitlist_id: str, entry_id: str, names: Sequence[str] | None, stay: int | None
    ) -> tuple[EntryView, list[SegmentPlace] | None]:
        """Return the status and position of an entry.

        If `names` lists the attributes that define segments, also return the entry's positions
        within those segments.
        """
        places: list[SegmentPlace] | None = None
        if names is None:
            view = self.positions.read(waitlist_id, entry_id, is_poll=True)
        else:
            view, places = self.segment_positions.read(waitlist_id, entry_id, list(names))
        if view.is_due:
            self._run(waitlist_id)
        if stay is not None and stay != view.ticket:
            view = self.positions.read_proven_stay(waitlist_id, entry_id, stay)
        if view.status == "offered":
            self.seen_offers.note(waitlist_id, view)
        return view, places

    def _run(self, waitlist_id: str) -> None:
        """Offer the slots that the admission policy allows now.

        If this fails, the customer still gets their position.
        """
        try:
            self.admissions.run(waitlist_id)
        except WaitlistError as error:
            logger.warning("a run of the policy failed: %s", error.code)
