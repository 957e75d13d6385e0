"""Tests a launch with 150 people on the whole local service, and tests some parts of the simulation
on their own.
"""

import asyncio

from tests.reliability.load.client import Client, Load
from tests.reliability.load.history import History
from tests.reliability.load.launch import refusals, sign_up
from tests.reliability.load.plan import LaunchPlan
from tests.reliability.load.run import run
from tests.reliability.load.wire import Wire
from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import Headers, HttpRequest, HttpResponse, json_response
from waitlist_cli.client.retries import PATIENT

# Everyone in this launch signs up at once. API Gateway's rate limit lets 80 requests through, and
# the public function handles 8 at a time.
SMALL = LaunchPlan(
    people=150,
    within_seconds=1,
    signup_rate=40,
    public_concurrency=8,
    private_concurrency=2,
    connections=200,
)


def test_people_who_are_refused_retry_and_all_get_in() -> None:
    """People whose signup is refused retry until everybody is in.

    No response contradicts the stored data (promises P1, P2, P3 and P6).
    """
    launch = run(SMALL, lambda *_: None)
    assert [str(problem) for problem in launch.problems] == []
    refused = refusals(launch.history.attempts)
    assert refused["429 from the API"] > 0
    assert refused["503"] > 0
    assert launch.final_state.stats["signed_up"] == len(launch.final_state.line) == 150
    assert len(launch.came) == 150


class NoPauses(Load):
    """Records the pauses that a client asks for, without waiting."""

    def __init__(self) -> None:
        super().__init__(operations=1)
        self.pauses: list[float] = []

    async def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return True


def test_a_client_repeats_the_same_request_after_the_requested_pause() -> None:
    """A client pauses for as long as the response says and then sends the same request again.

    It gives up after the last attempt. If the person comes back later, the client reuses the same
    idempotency key.
    """
    refused: list[tuple[int, Headers]] = [(503, (("retry-after", "7"),)), (429, ())]
    refused += [(429, (("retry-after", "1"),))] * (PATIENT.tries - len(refused))
    asked: list[HttpRequest] = []

    def app(request: HttpRequest) -> HttpResponse:
        asked.append(request)
        if len(asked) > len(refused):
            return json_response(201, {"entry_id": "id-1", "entry_token": "token"})
        status, headers = refused[len(asked) - 1]
        return json_response(status, {"message": "later"}, headers)

    history = History()
    with serving(app) as server:
        pauses = asyncio.run(_sign_up_and_record_pauses(url_of(server), history))
    assert len({(one.header("idempotency-key"), one.body) for one in asked}) == 1
    assert len(asked) == PATIENT.tries + 1
    assert 7 <= pauses[0] <= 8
    assert 1 <= pauses[1] <= 3
    assert 120 <= pauses[-1] <= 360
    (operation,) = history.operations
    assert (operation.outcome, operation.attempts) == ("done", len(asked))
    assert [one.status for one in history.attempts] == [*(each for each, _ in refused), 201]


async def _sign_up_and_record_pauses(url: str, history: History) -> list[float]:
    wire, load = Wire(url, connections=1, timeout_seconds=PATIENT.timeout_seconds), NoPauses()
    await sign_up(Client(wire, history, load, "1", back_after=LaunchPlan().back_after), "ada")
    wire.close()
    return load.pauses


def test_most_people_arrive_in_the_first_seconds_and_the_last_in_time() -> None:
    arrivals = list(LaunchPlan(people=1000, within_seconds=60).arrivals())
    assert len(arrivals) == 1000
    assert arrivals == sorted(arrivals)
    assert 0 <= arrivals[0] < 0.1
    assert 7 < arrivals[599] < 10
    assert 50 < arrivals[-1] <= 60
