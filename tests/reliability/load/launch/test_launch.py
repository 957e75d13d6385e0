"""A launch of 150 people, and the parts of one."""

import asyncio
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.reliability.load.final_state import FinalState, Seen
from tests.reliability.load.history import History
from tests.reliability.load.launch import __main__ as command
from tests.reliability.load.launch.crowd import Crowd, Person
from tests.reliability.load.launch.plan import LaunchPlan
from tests.reliability.load.launch.run import Launch, judged, refusals, run
from tests.reliability.load.launch.wire import Wire
from tests.reliability.load.run import Note
from tests.reliability.load.scenario import Scenario, a_good_final_state, a_good_scenario
from tests.reliability.load.test_oracle import WRONG
from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import Headers, HttpRequest, HttpResponse, json_response
from waitlist_cli.client.retries import PATIENT

# All ask at once: 80 of them before the API's limit, of whom eight find room.
SMALL = ("--people=150", "--within=1", "--rate=40", "--public=8", "--private=2")


def test_people_who_are_refused_come_again_and_all_get_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """P1 P2 P3 P6: all answers agree with the final state."""
    launches: list[Launch] = []

    def kept(plan: LaunchPlan, note: Note) -> Launch:
        launches.append(run(plan, note))
        return launches[-1]

    monkeypatch.setattr(command, "run", kept)
    numbers, picture = tmp_path / "launch.json", tmp_path / "launch.svg"
    code = command.main([*SMALL, "--connections=200", f"--json={numbers}", f"--svg={picture}"])
    said = " ".join(capsys.readouterr().out.split())
    (launch,) = launches
    assert [str(problem) for problem in launch.problems] == []
    assert code == 0
    assert "150 people came within" in said
    assert "; 150 got in within" in said
    assert "Every promise was kept." in said
    refused = refusals(launch.history.attempts)
    assert refused["429 of the API"] > 0
    assert refused["503"] > 0
    assert launch.final_state.stats["signed_up"] == len(launch.final_state.line) == 150
    assert json.loads(numbers.read_text())["in"] == 150
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_a_client_repeats_the_same_request_after_the_pause_that_it_was_asked_for() -> None:
    """It gives up after its tries, and the person comes back with the same key."""
    refusals: list[tuple[int, Headers]] = [(503, (("retry-after", "7"),)), (429, ())]
    refusals += [(429, (("retry-after", "1"),))] * (PATIENT.tries - len(refusals))
    asked: list[HttpRequest] = []

    def app(request: HttpRequest) -> HttpResponse:
        asked.append(request)
        if len(asked) > len(refusals):
            return json_response(201, {"entry_id": "id-1", "entry_token": "token"})
        status, headers = refusals[len(asked) - 1]
        return json_response(status, {"message": "later"}, headers)

    pauses: list[float] = []
    history = History()
    with serving(app) as server:
        asyncio.run(_sign_up(url_of(server), history, pauses))
    assert len({(one.header("idempotency-key"), one.body) for one in asked}) == 1
    assert len(asked) == PATIENT.tries + 1
    assert 7 <= pauses[0] <= 8
    assert 1 <= pauses[1] <= 3
    assert 120 <= pauses[-1] <= 360
    (operation,) = history.operations
    assert (operation.outcome, operation.attempts) == ("done", len(asked))
    assert [one.status for one in history.attempts] == [*(each for each, _ in refusals), 201]


async def _sign_up(url: str, history: History, pauses: list[float]) -> None:
    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    wire = Wire(url, connections=1, timeout_seconds=PATIENT.timeout_seconds)
    await Person(0, LaunchPlan()).sign_up(wire, history, Crowd(), pause)
    wire.close()


def test_most_people_come_in_the_first_seconds_and_the_last_in_time() -> None:
    arrivals = list(LaunchPlan(people=1000, within_seconds=60).arrivals())
    assert len(arrivals) == 1000
    assert arrivals == sorted(arrivals)
    assert 0 <= arrivals[0] < 0.1
    assert 7 < arrivals[599] < 10
    assert 50 < arrivals[-1] <= 60


@pytest.mark.parametrize(
    "what",
    ["P3: a signup is lost", "P2: one is on the list twice", "a refusal without Retry-After"],
)
def test_a_launch_is_judged_as_the_load_test_is(what: str) -> None:
    change, kinds = WRONG[what]
    scenario = a_good_scenario()
    final_state = change(scenario, a_good_final_state())
    found = judged(LaunchPlan(people=0), scenario.history, final_state)
    assert {one.kind for one in found} == set(kinds.split(", "))


def test_customers_who_did_not_get_in_are_named_and_the_exit_code_is_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = Scenario()
    scenario.signed_up("person-00000")
    scenario.signed_up("person-00001", "unknown")
    plan = LaunchPlan(people=3, most_seconds=9)
    final_state = FinalState(
        line=(Seen("person-00000", "waiting", 1, 1, 0),),
        aside=(),
        stats={"waiting": 1, "signed_up": 1, "left": 0, "admitted": 0, "offered": 0, "parked": 0},
        admissions={},
        own_positions={},
    )
    problems = list(judged(plan, scenario.history, final_state))
    assert [str(one) for one in problems] == [
        "outside: person-00001 did not get in within 9 s",
        "outside: person-00002 did not get in within 9 s",
    ]
    launch = Launch(
        plan=plan,
        came={f"person-{number:05d}": 0.0 for number in range(3)},
        loads=(1.0, 2.0),
        history=scenario.history,
        final_state=final_state,
        samples=[],
        throttled=[],
        began=0,
        ended=scenario.now,
        problems=problems,
    )
    monkeypatch.setattr(command, "run", lambda *_: launch)
    assert command.main([]) == 1
    assert capsys.readouterr().out.rstrip().endswith("Broken promises: outside (2).")
