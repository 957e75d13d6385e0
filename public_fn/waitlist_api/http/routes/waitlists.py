"""Public routes that show a waitlist and its board, which is a snapshot of all positions."""

import json

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.bots.check import BotCheck
from waitlist_api.bots.providers import ACTION
from waitlist_api.clock import NowMillis, iso
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.settings import shown
from waitlist_api.http.schemas.wait import estimate_fields
from waitlist_api.http.schemas.waitlists import (
    BoardAnswer,
    PublicBotCheck,
    WaitlistAnswer,
)
from waitlist_api.records.line import public_line
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.public_state import (
    estimate_next_wait,
    next_admission_time,
    next_change,
)
from waitlist_api.waitlists.setting_needs import Stack
from waitlist_shared.ranks import millis_of

WAITLIST = "/v1/waitlists/<waitlist_id>"
BOARD = f"{WAITLIST}/board"
WAITLIST_CACHE_SECONDS = 5
# A board is fresh for five seconds. For thirty more seconds, a cache may serve the old board while
# it fetches a new board.
BOARD_CACHE = "public, max-age=5, stale-while-revalidate=30"


def public_waitlist_routes(
    waitlists: Waitlists,
    bot_check: BotCheck | None,
    stack: Stack,
    now_millis: NowMillis,
) -> APIGatewayHttpRouter:
    """Return the public routes, which need no credentials."""
    router = APIGatewayHttpRouter()

    @router.get(WAITLIST, operation_id="getWaitlist")
    def get_waitlist(waitlist_id: WaitlistId) -> Response[WaitlistAnswer]:
        settings = waitlists.current(waitlist_id).settings
        stats = waitlists.stats(waitlist_id)
        identity = None if stack.has_accounts else settings.identity
        as_of_millis = millis_of(stats.clock_stamp)
        answer = WaitlistAnswer(
            waitlist_id=waitlist_id,
            name=settings.name,
            open=settings.open,
            line=public_line(settings, stats),
            as_of=iso(as_of_millis),
            opens_at=settings.opens_at,
            closes_at=settings.closes_at,
            admits_at=next_admission_time(settings, now_millis()),
            **estimate_fields(estimate_next_wait(settings, stats, now_millis())),
            # Positions do not count entries with an unverified address, so `total` does not count
            # them either.
            total=None if settings.hide_counts else stats.waiting - stats.unverified,
            page=shown(settings.page and settings.page.without_sources()),
            rest=shown(settings.rest),
            identity=shown(identity),
            messages=stack.sends_anything(settings),
            bot_check=_widget_of(bot_check) if bot_check else None,
        )
        # When the waitlist opens or closes, a cached response must not show the old state.
        change = next_change(settings, as_of_millis)
        left = WAITLIST_CACHE_SECONDS if change is None else (change - as_of_millis) // 1000
        cache = f"public, max-age={min(left, WAITLIST_CACHE_SECONDS)}"
        return Response(200, "application/json", answer, {"Cache-Control": cache})

    @router.get(BOARD, operation_id="getBoard")
    def get_board(waitlist_id: WaitlistId) -> Response[BoardAnswer]:
        board = waitlists.board(waitlist_id)
        answer = BoardAnswer(
            as_of=iso(board.as_of_millis),
            total=board.total,
            line=board.line,
            cuts=json.loads(board.cuts),
        )
        return Response(200, "application/json", answer, {"Cache-Control": BOARD_CACHE})

    return router


def _widget_of(bot_check: BotCheck) -> PublicBotCheck:
    provider = bot_check.provider
    return PublicBotCheck(
        provider=provider.name,
        site_key=bot_check.site_key,
        action=ACTION,
        script_url=provider.script_url,
    )
