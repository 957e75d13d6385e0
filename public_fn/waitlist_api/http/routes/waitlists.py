"""Public routes that show a waitlist and its board, which is a snapshot of all positions."""

import json

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.bots.check import BotCheck
from waitlist_api.bots.providers import ACTION
from waitlist_api.clock import NowMillis, iso
from waitlist_api.http.operation import Answer, anyone
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.settings import shown, shown_publicly
from waitlist_api.http.schemas.wait import estimate_fields
from waitlist_api.http.schemas.waitlists import (
    BoardAnswer,
    PublicBotCheck,
    WaitlistAnswer,
)
from waitlist_api.records.line import public_line
from waitlist_api.settings.stack import Stack
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.public_state import (
    estimate_next_wait,
    next_admission_time,
    next_change,
)
from waitlist_shared.ranks import millis_of

WAITLIST_CACHE_SECONDS = 5
# A board is current for five seconds. After that, a cache may serve it for another thirty seconds
# while fetching a new one.
BOARD_CACHE = "public, max-age=5, stale-while-revalidate=30"


class Routes(Struct, frozen=True):
    waitlists: Waitlists
    bot_check: BotCheck | None
    stack: Stack
    now_millis: NowMillis

    @anyone(
        "Get a waitlist's public data",
        Answer(200, "The waitlist", headers="public_cache"),
        problems=("rebuilding",),
    )
    def get_waitlist(self, waitlist_id: WaitlistId) -> Response[WaitlistAnswer]:
        record = self.waitlists.current(waitlist_id)
        stats = self.waitlists.stats(waitlist_id)
        settings, notice = record.settings, record.notice_at(self.now_millis())
        identity = None if self.stack.has_accounts else settings.identity
        as_of_millis = millis_of(stats.clock_stamp)
        answer = WaitlistAnswer(
            waitlist_id=waitlist_id,
            **shown_publicly(settings),
            line=public_line(settings, stats),
            as_of=iso(as_of_millis),
            opens_at=settings.opens_at,
            closes_at=settings.closes_at,
            admits_at=next_admission_time(settings, self.now_millis()),
            admits_until=settings.admission.until if settings.admission else None,
            **estimate_fields(estimate_next_wait(settings, stats, self.now_millis())),
            # Positions do not count entries with an unverified address, so `total` does not count
            # them either.
            total=None if settings.hide_counts else stats.waiting - stats.unverified,
            notice=shown(notice),
            page=shown(settings.page and settings.page.without_sources()),
            decline=shown(settings.admission and settings.admission.decline),
            presence=shown(settings.admission and settings.admission.presence),
            identity=shown(identity),
            messages=self.stack.sends_anything(settings),
            told_by=self.stack.fields_told_of_turn(settings),
            bot_check=_widget_of(self.bot_check) if self.bot_check else None,
        )
        # The response changes when the waitlist opens, when it closes, and when its notice ends.
        # Caches must not keep the response past the next of these times.
        left_millis = [WAITLIST_CACHE_SECONDS * 1000]
        if (change := next_change(settings, as_of_millis)) is not None:
            left_millis.append(change - as_of_millis)
        if notice is not None and notice.until_millis is not None:
            left_millis.append(notice.until_millis - self.now_millis())
        cache = f"public, max-age={max(0, min(left_millis)) // 1000}"
        return Response(200, "application/json", answer, {"Cache-Control": cache})

    @anyone(
        "Get the board, a snapshot of all positions",
        Answer(200, "The board", headers="board_cache"),
        problems=("counts_hidden", "rebuilding"),
    )
    def get_board(self, waitlist_id: WaitlistId) -> Response[BoardAnswer]:
        """The board is a snapshot of the queue, in which a client can find an entry's position by
        its `rank`.

        The board is the same for all customers, so a cache can serve it. A new board is made at
        most every five seconds. An operator may move an entry, so a client should also get the
        entry itself every few minutes. It should do so more often if the entry is near the head of
        the queue, or if the board ends before the entry's `rank`.
        """
        board = self.waitlists.board(waitlist_id)
        answer = BoardAnswer(
            as_of=iso(board.as_of_millis),
            total=board.total,
            line=board.line,
            cuts=json.loads(board.cuts),
        )
        return Response(200, "application/json", answer, {"Cache-Control": BOARD_CACHE})


def _widget_of(bot_check: BotCheck) -> PublicBotCheck:
    provider = bot_check.provider
    return PublicBotCheck(
        provider=provider.name,
        site_key=bot_check.site_key,
        action=ACTION,
        script_url=provider.script_url,
    )
