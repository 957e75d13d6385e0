"""Operator route that sets or ends a waitlist's notice."""

from msgspec import Struct

from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.notice import NoticeBody
from waitlist_api.http.schemas.settings import settings_in, shown
from waitlist_api.settings.notice import Notice
from waitlist_api.waitlists.notice import WaitlistNotices


class Routes(Struct, frozen=True):
    notices: WaitlistNotices

    @operator(
        "Set or end the notice that all customers see",
        Answer(200, "The notice that customers see now", model=NoticeBody),
        audit="each_request",
    )
    def put_notice(self, waitlist_id: WaitlistId, body: NoticeBody) -> NoticeBody:
        """The notice replaces the waitlist's earlier notice.

        Customers see it on their page and in the public data of the waitlist. To end the notice
        before it expires, send a `text` of null. Customers get no message about a notice.
        """
        notice = self.notices.put(waitlist_id, settings_in(Notice, body))
        return NoticeBody(**shown(notice))
