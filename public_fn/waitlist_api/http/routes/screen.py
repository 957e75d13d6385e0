"""The public route for the call numbers that a screen in the waiting room shows."""

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.admission.screen import Screen, Screens
from waitlist_api.clock import NowMillis, iso
from waitlist_api.http.operation import Answer, anyone
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.screen import CalledNumberAnswer, ScreenAnswer
from waitlist_api.records.call import called_at
from waitlist_api.waitlists.configure import Waitlists

SCREEN_CACHE = "public, max-age=3"


class Routes(Struct, frozen=True):
    waitlists: Waitlists
    screens: Screens
    now_millis: NowMillis

    @anyone(
        "Get the numbers that are called now",
        Answer(200, "The numbers", headers="public_cache"),
        problems=("rebuilding",),
    )
    def get_screen(self, waitlist_id: WaitlistId) -> Response[ScreenAnswer]:
        """A screen in the waiting room can show these call numbers. The response contains no names
        and no ids, and is the same for everybody.
        """
        waitlist = self.waitlists.current(waitlist_id)
        as_of = iso(self.now_millis())
        has_numbers = waitlist.settings.call_numbers is not None
        screen = self.screens.read(waitlist) if has_numbers else Screen([], [])
        called = [
            CalledNumberAnswer(number=each.number, to=each.call.to, called_at=called_at(each.call))
            for each in screen.called
        ]
        answer = ScreenAnswer(
            as_of=as_of, numbers=has_numbers, called=called, next=screen.following
        )
        return Response(200, "application/json", answer, {"Cache-Control": SCREEN_CACHE})
