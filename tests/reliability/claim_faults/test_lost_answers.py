"""Redis decides, and the answer is lost: the caller repeats, or another request comes first."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.reliability.claim_faults.beginnings import back_in_line, held, parked
from tests.reliability.claim_faults.scene import LEASE_SECONDS, MAX_ATTEMPTS, Scene
from tests.support import faults
from tests.support.admissions import Admissions
from tests.support.faults import Call, Crash, Fault
from tests.support.gateway import OPERATOR_ARN, Answer
from tests.support.redis_servers import Server
from tests.support.streamed_table import StreamedTable
from waitlist_api.entries.position import Positions

REASON = "their train is late"
Act = Callable[[Admissions], Answer]


@pytest.fixture
def scene(valkey: Server) -> Scene:
    """A desk whose table has a stream, as the bus reads it."""
    return Scene(StreamedTable(), valkey.client)


def release(desk: Admissions, token: str | None = None) -> Answer:
    return desk.release("a", token, reason=REASON)


def park(desk: Admissions, token: str | None = None) -> Answer:
    return desk.park("a", token, reason=REASON)


def redrive(desk: Admissions, _token: str | None = None) -> Answer:
    return desk.redrive("a", reason=REASON)


def worn_out(scene: Scene) -> None:
    """Redis has parked a after the last attempt; the record says offered."""
    held(scene)
    for _ in range(MAX_ATTEMPTS - 1):
        scene.world.advance(LEASE_SECONDS)
        assert scene.desk.claimed() == ["a"]
    scene.world.advance(LEASE_SECONDS)
    assert scene.desk.claimed() == ["b"]
    assert scene.desk.release("b").status == 200
    assert scene.records()["a"]["status"] == "offered"


def cut_off(scene: Scene, act: Act) -> str:
    """Have Redis decide and the environment die before anything is recorded."""
    before = scene.records()["a"]
    token = scene.desk.tokens.get("a", "")
    scene.go_back_to(scene.moment())
    scene.wire.arm(0, faults.crash_after)
    with pytest.raises(Crash):
        act(scene.desk)
    scene.wire.disarm()
    assert scene.records()["a"] == before
    return token


def lose_redis(scene: Scene) -> None:
    scene.redis.flushall()
    scene.world.services.caretaker.look_after_all()


def history(scene: Scene) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = scene.desk.person("a").json["history"]
    return events


def sent(scene: Scene) -> Counter[str]:
    """Return how often the bus was sent each event of a."""
    images = [
        one["dynamodb"]["NewImage"]
        for one in scene.table.records  # type: ignore[attr-defined]
        if one["eventName"] == "INSERT"
    ]
    return Counter(
        image["event"]["S"]
        for image in images
        if "event" in image and image["entry_id"]["S"] == scene.desk.id_of("a")
    )


ENDS = {
    "released": (held, release, "waiting"),
    "parked": (held, park, "parked"),
    "redriven": (parked, redrive, "waiting"),
    "admitted": (held, lambda desk, token=None: desk.complete("a", token), "admitted"),
}
each_end = pytest.mark.parametrize(
    ("event", "prepare", "act", "status"), [(event, *end) for event, end in ENDS.items()], ids=ENDS
)


@each_end
def test_a_repeat_is_recorded_before_it_is_answered(
    scene: Scene, event: str, prepare: Callable[[Scene], None], act: Any, status: str
) -> None:
    """P3: Redis is lost as soon as the repeat is answered."""
    prepare(scene)
    cut_off(scene, act)
    decided_at = scene.clock.millis
    scene.world.advance(5)
    assert act(scene.desk).json["status"] == status
    record = scene.records()["a"]
    assert record["status"] == status
    lose_redis(scene)
    assert scene.desk.status("a") == status
    last = history(scene)[-1]
    assert (last["event"], last["by"]) == (event, OPERATOR_ARN)
    assert last["reason"] == ("" if event == "admitted" else REASON)
    assert abs(_millis(last["at"]) - decided_at) < 1_000
    scene.settle_down()
    assert sent(scene)[event] == 1
    assert [one for one in scene.desk.events("a") if one == event] == [event]


@pytest.mark.parametrize("event", ["released", "redriven"])
@pytest.mark.parametrize("overtaking", ["claim", "claim and complete", "bump", "leave"])
def test_a_repeat_that_another_request_overtakes_is_answered_and_recorded(
    scene: Scene, event: str, overtaking: str
) -> None:
    """P2, P3: the event has the operator and the reason, and comes once."""
    prepare, act, _ = ENDS[event]
    prepare(scene)
    token = cut_off(scene, act)
    overtake(scene.desk, overtaking)
    scene.world.advance(5)
    answer = act(scene.desk, token)
    assert answer.status == 200, answer.text
    assert (answer.json["position"] is None) == (answer.json["total"] is None)
    before = [one["event"] for one in history(scene)]
    (one,) = [one for one in history(scene) if one["event"] == event]
    assert (one["by"], one["reason"]) == (OPERATOR_ARN, REASON)
    scene.settle_down()
    assert sent(scene)[event] == 1
    assert scene.desk.events("a")[: len(before)] == before
    assert list(scene.contradictions()) == []


@pytest.mark.parametrize("event", ["released", "redriven", "parked"])
@pytest.mark.parametrize("overtaking", ["nothing", "claim", "bump", "leave"])
def test_without_a_repeat_maintenance_records_the_event_once(
    scene: Scene, event: str, overtaking: str
) -> None:
    """P3: at the time of the decision, by maintenance."""
    prepare, act, _ = ENDS[event]
    if event == "parked" and overtaking in ("claim", "bump"):
        pytest.skip("a parked entry is neither claimed nor moved")
    prepare(scene)
    cut_off(scene, act)
    decided_at = scene.clock.millis
    scene.world.advance(1)
    overtake(scene.desk, overtaking)
    scene.world.advance(61)
    scene.world.maintain()
    (one,) = [one for one in history(scene) if one["event"] == event and one["reason"] == ""]
    assert one["by"] == "maintenance"
    assert abs(_millis(one["at"]) - decided_at) < 1_000
    scene.settle_down()
    assert list(scene.contradictions()) == []


def sent_again_after(action: Callable[[], object]) -> Fault:
    """The SDK sends a request again whose answer was lost, and something comes between."""

    def fault(call: Call) -> Any:
        call.make()
        action()
        return call.make()

    return fault


def overtake(desk: Admissions, by: str) -> None:
    if by.startswith("claim"):
        assert desk.claimed() == ["a"]
    if by.endswith("complete"):
        assert desk.complete("a").status == 200
    if by == "bump":
        assert desk.bump("a", to="back").status == 200
    if by == "leave":
        assert desk.leave("a").status == 204


def test_a_retry_of_the_same_call_is_no_refusal_when_a_claim_comes_between(scene: Scene) -> None:
    """P2: the function's own client repeats a release whose answer was lost."""
    held(scene)
    scene.go_back_to(scene.moment())
    elsewhere = scene.desk_elsewhere()
    scene.wire.arm(0, sent_again_after(lambda: overtake(elsewhere, "claim")))
    answer = release(scene.desk)
    scene.wire.disarm()
    assert answer.status == 200, answer.text
    assert scene.desk.events("a") == ["joined", "offered", "released", "offered"]


def test_a_retry_of_the_same_redrive_is_no_refusal(scene: Scene) -> None:
    """P2: Redis parked the entry after the last attempt, and the record does not know."""
    worn_out(scene)
    scene.go_back_to(scene.moment())
    scene.wire.arm(0, sent_again_after(lambda: None))
    answer = redrive(scene.desk)
    scene.wire.disarm()
    assert answer.status == 200, answer.text
    assert scene.records()["a"]["status"] == "waiting"
    lose_redis(scene)
    assert scene.desk.status("a") == "waiting"
    assert [one["event"] for one in history(scene)][-2:] == ["parked", "redriven"]


def test_a_parking_by_attempts_is_recorded_though_a_redrive_comes_first(scene: Scene) -> None:
    worn_out(scene)
    parked_at = scene.clock.millis
    scene.world.advance(10)
    assert redrive(scene.desk).status == 200
    one = history(scene)[-2]
    assert (one["event"], one["by"], one["reason"]) == ("parked", "maintenance", "max_attempts")
    assert abs(_millis(one["at"]) - parked_at) < 1_000
    scene.settle_down()
    assert sent(scene)["parked"] == 1
    assert list(scene.contradictions()) == []


def test_an_expiry_has_its_own_time_though_a_bump_and_a_claim_come_first(scene: Scene) -> None:
    back_in_line(scene)
    ended_at = scene.clock.millis
    scene.world.advance(10)
    assert scene.desk.bump("a", to="front").status == 200
    scene.world.advance(10)
    assert scene.desk.claimed() == ["a"]
    events = history(scene)
    assert [one["event"] for one in events] == ["joined", "offered", "expired", "bumped", "offered"]
    assert abs(_millis(events[2]["at"]) - ended_at) < 1_000
    scene.settle_down()
    assert sent(scene)["expired"] == 2
    assert list(scene.contradictions()) == []


def test_a_bump_keeps_the_attempts_that_redis_alone_has_counted(scene: Scene) -> None:
    """P3: Redis is lost after the bump, before maintenance has looked."""
    back_in_line(scene)
    assert scene.desk.bump("a", to="front").status == 200
    lose_redis(scene)
    assert scene.desk.events("a") == ["joined", "offered", "expired", "bumped"]
    assert scene.desk.claim().json["claims"][0]["attempts"] == 1


def test_a_release_that_a_bump_and_a_leave_overtake_is_recorded(scene: Scene) -> None:
    held(scene)
    scene.go_back_to(scene.moment())
    elsewhere = scene.desk_elsewhere()

    def bump_and_leave() -> None:
        overtake(elsewhere, "bump")
        overtake(elsewhere, "leave")

    scene.wire.arm(1, faults.before(bump_and_leave))
    answer = release(scene.desk)
    scene.wire.disarm()
    assert answer.status == 200, answer.text
    expected = ["joined", "offered", "released", "bumped", "left"]
    assert [one["event"] for one in history(scene)] == expected
    assert history(scene)[2]["reason"] == REASON
    scene.settle_down()
    assert scene.desk.events("a") == expected
    assert sent(scene)["released"] == 1


def test_a_refusal_changes_neither_store(scene: Scene) -> None:
    """P5: a release and a park whose hold has been released, and a redrive of one who waits."""
    held(scene)
    token = scene.desk.tokens["a"]
    assert release(scene.desk).status == 200
    assert scene.desk.claimed() == ["a"]
    scene.world.advance(61)
    scene.world.maintain()
    before = scene.moment().snapshot
    for answer in (release(scene.desk, token), park(scene.desk, token), redrive(scene.desk)):
        assert answer.status == 409, answer.text
    assert scene.moment().snapshot == before


def test_a_repeated_admission_is_answered_so_though_the_customer_joins_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P2: the customer joins again between the two reads of the repeat."""
    held(scene)
    assert scene.desk.configure(rejoin="always").status == 200
    assert scene.desk.complete("a").status == 200
    scene.world.advance(61)
    scene.world.maintain()
    read = Positions.of

    def after_joining_again(positions: Positions, *key: str, **options: Any) -> Any:
        monkeypatch.setattr(Positions, "of", read)
        assert scene.desk.sign_up("a").json["status"] == "waiting"
        return read(positions, *key, **options)

    monkeypatch.setattr(Positions, "of", after_joining_again)
    assert scene.desk.complete("a").json["status"] == "admitted"


def _millis(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp() * 1000
