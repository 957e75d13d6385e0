"""Measure what an admission policy costs.

Polls are compared between waitlists with and without a policy. Offers made by a policy are compared
with claims of the same number of entries.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from redis import Redis

from tools.bench.cases import Bench, Case
from tools.bench.queue_client import BenchError, Handler, Line
from tools.bench.rounds import Round
from tools.bench.sizes import Sizes
from tools.bench.targets import Target
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_ADMIT, MAX_OFFER_SECONDS, MAX_PASS_SECONDS, MAX_RATE

# The rate is so high that each call makes as many offers as it may (MAX_ADMIT). The offers and
# passes do not expire during the benchmark.
FASTEST = {
    "admission": True,
    "rate_count": MAX_RATE,
    "rate_millis": 1000,
    "offer_seconds": MAX_OFFER_SECONDS,
    "pass_seconds": MAX_PASS_SECONDS,
}


@dataclass(frozen=True)
class Taker:
    """A way to take entries from a waitlist.

    If it needs a second message, `following` creates that message from the response to the first
    one.
    """

    line: Line
    message: str
    following: Callable[[list[dict[str, str]]], str] | None = None


class AdmissionBench:
    """Compares waitlists with and without an admission policy."""

    def __init__(self, handler: Handler, bare: Redis, sizes: Sizes) -> None:
        self._handler, self._bare, self._sizes = handler, bare, sizes

    def cases(self) -> Iterator[Callable[[], Case]]:
        """Yield a function for each case.

        The function fills the queues, so call it right before its measurement.
        """
        yield Bench(self._handler, self._bare, self._sizes).position_with_policy
        yield self._by_policy
        yield self._automatic
        yield lambda: self._behind_resting("claim", lambda line: line.claim(1))
        yield lambda: self._behind_resting("offer", lambda line: line.admit(1))
        yield self._beside_offers
        yield self._by_filters

    def _by_policy(self) -> Case:
        count = MAX_ADMIT
        offers = Taker(admits := self._line("by-policy", FASTEST), admits.admit(None))
        claims = Taker(claimed := self._line("claimed"), claimed.claim(count))
        return self._case(f"offer {count}, by policy", f"claim {count}", offers, claims, count)

    def _automatic(self) -> Case:
        count = MAX_ADMIT
        automatic = FASTEST | {"acceptance": "automatic"}
        admitted = Taker(admits := self._line("automatic", automatic), admits.admit(None))
        claimed = self._line("completed")
        completed = Taker(claimed, claimed.claim(count), claimed.complete_all)
        return self._case(
            f"admit {count}, by policy", f"claim, complete {count}", admitted, completed, count
        )

    def _behind_resting(self, verb: str, message: Callable[[Line], str]) -> Case:
        """Many customers at the head of one queue have paused, so claims have to skip them."""
        resting = self._sizes.waiting_for_claims
        behind, none = Line(self._handler, f"{verb}-behind"), Line(self._handler, f"{verb}-none")
        members = behind.newcomers(resting)
        behind.fill(self._bare, members)
        behind.rest(members)
        ours, baseline = Taker(behind, message(behind)), Taker(none, message(none))
        name = f"{verb} 1 behind {resting:,} resting"
        case = self._case(name, "behind none", ours, baseline, 1)
        return replace(case, target=Target("≤", 1.2), as_cost=True)

    def _beside_offers(self) -> Case:
        """Measure claims with `max_claims` on a waitlist that has many open offers.

        Offers do not count towards `max_claims`, but Redis stores offers and claims in one set, so
        the script has to tell them apart.
        """
        offers = self._sizes.waiting
        settings = {"max_claims": offers // 2, "offer_seconds": MAX_OFFER_SECONDS}
        beside, none = self._line("beside-offers", settings), self._line("no-offers", settings)
        for _ in range(offers // MAX_ADMIT):
            self._handler.ask(beside.admit(MAX_ADMIT))
        ours = Taker(beside, beside.claim(1), beside.complete_all)
        baseline = Taker(none, none.claim(1), none.complete_all)
        name = f"claim, complete beside {offers:,} offers, max_claims"
        return replace(self._case(name, "beside none", ours, baseline, 1), as_cost=True)

    def _by_filters(self) -> Case:
        """Measure a claim with eight filters, of which only the last one matches any entries."""
        filtered, plain = self._line("by-filters", segments_version=1), self._line("by-none")
        empty = [letter * 16 for letter in "abcdefg"]
        ours = Taker(filtered, filtered.claim_by([*empty, c.EVERYONE]))
        name = f"claim by {len(empty) + 1} filters, the last has some"
        case = self._case(name, "claim from the head", ours, Taker(plain, plain.claim(1)), 1)
        return replace(case, as_cost=True)

    def _line(
        self,
        name: str,
        settings: Mapping[str, object] | None = None,
        *,
        segments_version: int = 0,
    ) -> Line:
        line = Line(self._handler, name, segments_version, settings)
        line.fill(self._bare, line.newcomers(self._sizes.waiting_for_claims))
        return line

    def _case(self, name: str, beside: str, ours: Taker, baseline: Taker, count: int) -> Case:
        """Compare two ways to take entries, with `count` entries per turn."""
        turns = self._sizes.turns if count == 1 else max(1, self._sizes.turns // 10)

        def prepare() -> Round:
            for taker in (ours, baseline):
                taker.line.join(taker.line.newcomers(turns * count))
            taken: list[str] = []
            beside: list[str] = []
            return Round(
                ours=lambda: self._take(ours, turns, taken),
                baseline=lambda: self._take(baseline, turns, beside),
                verify=lambda: check_taken((taken, beside), turns * count),
            )

        rounds = self._sizes.claim_rounds if count == 1 else self._sizes.big_claim_rounds
        return Case(name, beside, None, prepare, turns * count, rounds)

    def _take(self, taker: Taker, turns: int, answers: list[str]) -> None:
        for _ in range(turns):
            answers.append(self._handler.ask(taker.message))
            if taker.following is not None:
                self._handler.ask(taker.following(json.loads(answers[-1])["entries"]))


def check_taken(sides: Sequence[Sequence[str]], expected: int) -> None:
    for answers in sides:
        entries = [
            entry["entry_id"] for answer in answers for entry in json.loads(answer)["entries"]
        ]
        if not len(entries) == len(set(entries)) == expected:
            raise BenchError(f"{len(set(entries))} entries taken, expected {expected}")
