"""Set or end a waitlist's notice.

Only the waitlist's record changes, not its settings or entries.
"""

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.errors import FieldError, InvalidFields, WaitlistNotFound
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.settings.notice import NO_NOTICE, Notice

IN_PAST = FieldError(
    "body.until",
    "must be in the future. To end the notice now, send null as the text",
)


class WaitlistNotices(Struct, frozen=True):
    """Sets and ends waitlists' notices. A waitlist has at most one notice."""

    records: WaitlistRecords
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def put(self, waitlist_id: str, notice: Notice) -> Notice:
        """Replace a waitlist's notice, and return the notice that customers see now.

        If the new notice has no text, the current notice ends. Raise InvalidFields if the new
        notice ends in the past, and WaitlistNotFound if the waitlist does not exist.
        """
        if notice.is_empty:
            notice = NO_NOTICE
        elif not notice.is_shown_at(self.now_millis()):
            raise InvalidFields(IN_PAST)
        if not self.records.write_notice(waitlist_id, None if notice.is_empty else notice):
            raise WaitlistNotFound
        self.waitlist_cache.forget(waitlist_id)
        return notice
