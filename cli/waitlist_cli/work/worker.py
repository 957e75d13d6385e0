"""Implements `waitlist work`, which claims people and runs a program for each person."""

import random
import shutil
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from waitlist_cli.client.retries import PATIENT, RetryPolicy
from waitlist_cli.errors import (
    INTERRUPTED,
    CliError,
    Defective,
    Refused,
    Unavailable,
    WrongUsage,
)
from waitlist_cli.operations.claim import LEASE, claim_people
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import escaped_json
from waitlist_cli.work.hold import Hold, HoldLost, OnFailure
from waitlist_cli.work.program import Program
from waitlist_cli.work.signals import Shutdown

TICK_SECONDS = 0.2
# After a failure, a worker pauses for at most this many seconds. Without pauses, a worker whose
# program keeps failing would claim the same person over and over.
MOST_BACKOFF_SECONDS = 30.0
CLAIMING = RetryPolicy(tries=1)
# After a failure, the person is not claimed again for a while. This delay doubles with each
# failure, up to this many seconds.
MOST_RETRY_SECONDS = 3600
# The maximum number of people whose failures the command remembers.
MOST_REMEMBERED = 10_000
REASON_LENGTH = 500


def _new_key() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Plan:
    waitlist_id: str
    program: tuple[str, ...]
    on_failure: OnFailure = OnFailure.release
    # The request body of each claim.
    claim: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 1
    poll_seconds: float = 2.0
    most: int | None = None
    until_empty: bool = False
    retry_seconds: int = 0


@dataclass
class WorkCounts:
    """The results of all threads."""

    # How many more people the workers may claim, or None if there is no limit.
    left: int | None
    completed: int = 0
    failed: int = 0
    # How many times the program has failed for each person. The latest failure comes last.
    failures: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reserve(self) -> bool:
        """Count one more person towards the limit. Return False if the limit is already reached."""
        with self.lock:
            if self.left == 0:
                return False
            if self.left is not None:
                self.left -= 1
            return True

    def give_back(self) -> None:
        """Undo `reserve`, because no entry was claimed."""
        with self.lock:
            if self.left is not None:
                self.left += 1

    def count_failure(self, entry_id: str) -> int:
        """Count one more failure for a person, and return how many failures the person now has."""
        with self.lock:
            times = self.failures.pop(entry_id, 0) + 1
            self.failures[entry_id] = times
            if len(self.failures) > MOST_REMEMBERED:
                del self.failures[next(iter(self.failures))]
            return times

    def end(self, *, completed: bool) -> None:
        with self.lock:
            self.completed += completed
            self.failed += not completed


@dataclass
class Worker:
    """Claims one person after another and runs the program, until a signal asks it to finish."""

    context: Context
    plan: Plan
    lease_seconds: int
    shutdown: Shutdown
    counts: WorkCounts
    _failures: int = 0
    _pause_seconds: float = 0.0
    _is_limited: bool = False
    _key: str = field(default_factory=_new_key)

    def run(self) -> None:
        while self.counts.reserve():
            if self.shutdown.to_finish.wait(self._pause_seconds) or not self._serve_next():
                self.counts.give_back()
                return

    def _serve_next(self) -> bool:
        """Claim the next person and run the program.

        Return False if nobody is left and the worker should end.
        """
        try:
            hold = self._claim()
        except (Unavailable, Defective) as error:
            self.counts.give_back()
            self._back_off(error)
            return True
        if hold is not None:
            self._serve(hold)
            return True
        if self.plan.until_empty and not self._is_limited:
            return False
        self.counts.give_back()
        self._pause_seconds = self.plan.poll_seconds * random.uniform(0.8, 1.2)
        return True

    def _claim(self) -> Hold | None:
        asked_at = time.monotonic()
        try:
            answer = claim_people(
                self.context.api,
                self.plan.waitlist_id,
                self._key,
                self.plan.claim,
                CLAIMING,
            )
        except Refused as error:
            if error.code == "waitlist_paused":
                # People may still be waiting, so the worker must not end.
                self._is_limited = True
                return None
            raise
        # The response has arrived, so the next claim needs a new idempotency key. If the response
        # had been lost, the next request would repeat the key and receive the same claim.
        self._key = _new_key()
        claims = answer["claims"]
        # The response contains `limit` if the waitlist allows no more claims at the moment. People
        # may still be waiting, so the worker must not end.
        self._is_limited = bool(answer.get("limit"))
        if not claims:
            return None
        return Hold(self.context, self.plan.waitlist_id, claims[0], self.lease_seconds, asked_at)

    def _serve(self, hold: Hold) -> None:
        began = time.monotonic()
        outcome, code, delay = "", None, 0
        program = self._start(hold)
        try:
            code = self._wait_for(program, hold)
            if code == 0:
                hold.complete()
                outcome = "completed"
            else:
                # If a second Ctrl-C ended the program, do not count a failure for the person.
                delay = self._delay_for(hold) if code is not None else 0
                outcome = hold.give_back(self.plan.on_failure, _reason(self.plan, code), delay)
        except HoldLost as lost:
            outcome = f"lost: {lost}"
        except CliError as error:
            outcome = f"not recorded as completed: {error.message}"
        finally:
            # After an unexpected error, the program may still be running, so end it here.
            program.end()
        self._after(completed=outcome == "completed")
        self._report(hold, outcome, code, time.monotonic() - began, delay)

    def _delay_for(self, hold: Hold) -> int:
        """Count a failure, and return how many seconds must pass before the person can be claimed
        again.

        The number varies at random by up to 20%.
        """
        if not self.plan.retry_seconds or self.plan.on_failure is OnFailure.park:
            return 0
        times = self.counts.count_failure(hold.entry_id) + int(hold.claim.get("attempts", 0))
        seconds = self.plan.retry_seconds * 2.0 ** (min(times, 20) - 1)
        return max(1, round(min(seconds, MOST_RETRY_SECONDS) * random.uniform(0.8, 1.2)))

    def _start(self, hold: Hold) -> Program:
        text = escaped_json(hold.claim)
        try:
            return Program(self.plan.program, text, output_is_ours=self.context.output.as_json)
        except WrongUsage:
            with suppress(HoldLost):
                hold.give_back(OnFailure.release, "the command could not be run")
            raise

    def _wait_for(self, program: Program, hold: Hold) -> int | None:
        """Return the program's exit code. Return None if a second Ctrl-C ended the program."""
        while (code := program.wait(TICK_SECONDS)) is None:
            if self.shutdown.to_stop.is_set():
                program.end()
                return None
            hold.keep()
        return code

    def _after(self, *, completed: bool) -> None:
        self.counts.end(completed=completed)
        self._failures = 0 if completed else self._failures + 1
        backoff = min(2.0 ** (self._failures - 1), MOST_BACKOFF_SECONDS)
        self._pause_seconds = backoff if self._failures else 0.0

    def _back_off(self, error: CliError) -> None:
        """Pause before the next claim, because the service is unavailable or has failed."""
        self._failures += 1
        headers = {"retry-after": error.retry_after}
        self._pause_seconds = PATIENT.pause_after(min(self._failures - 1, 8), headers)
        self.context.output.note(
            f"{error.message} Trying again in {self._pause_seconds:.0f} s.", "yellow"
        )

    def _report(
        self, hold: Hold, outcome: str, code: int | None, seconds: float, delay: int
    ) -> None:
        report: dict[str, Any] = {
            "entry_id": hold.entry_id,
            "customer_id": hold.claim["customer_id"],
            "outcome": outcome,
            "exit_code": code,
            "seconds": round(seconds, 3),
            "delay_seconds": delay if outcome == "released" else 0,
        }
        if self.context.output.as_json:
            self.context.output.json_line(report)
        else:
            who = report["customer_id"] or hold.entry_id
            style = "green" if outcome == "completed" else "red"
            ended = "" if code in (0, None) else f", exit code {code}"
            if report["delay_seconds"]:
                ended += f", passed over for {delay} s"
            word, _, detail = outcome.partition(": ")
            text = f"{who}: {word} after {seconds:.1f} s{ended}"
            self.context.output.note(f"{text}: {detail}" if detail else text, style)


def run_workers(context: Context, plan: Plan) -> int:
    """Start the planned number of workers, wait for them, and return the exit code."""
    if shutil.which(plan.program[0]) is None:
        raise WrongUsage(
            f"{plan.program[0]} cannot be run. Give its path, such as ./welcome.sh, and make it "
            "executable."
        )
    waitlist = context.call("GET", plan.waitlist_id)
    lease_seconds = plan.claim.get(LEASE.name) or waitlist["lease_seconds"]
    counts = WorkCounts(plan.most)
    shutdown = Shutdown(
        lambda: context.output.note(
            "Waiting for running commands. Press Ctrl-C again to stop them.", "yellow"
        )
    )

    def pause(seconds: float) -> None:
        shutdown.to_stop.wait(seconds)

    context.api.sleep = pause
    with shutdown.installed(), ThreadPoolExecutor(plan.concurrency) as pool:
        workers = [
            Worker(context, plan, lease_seconds, shutdown, counts) for _ in range(plan.concurrency)
        ]
        _wait_for_all([pool.submit(worker.run) for worker in workers], shutdown)
    context.output.note(f"{counts.completed:,} completed, {counts.failed:,} failed.")
    if shutdown.to_stop.is_set():
        return INTERRUPTED
    return 1 if counts.failed else 0


def _wait_for_all(running: list[Future[None]], shutdown: Shutdown) -> None:
    """Wait for all workers. If a worker fails, ask the others to finish, wait for them, and then
    raise the error.
    """
    left = set(running)
    while left:
        # Python runs signal handlers only between two calls to `wait`, so each call has a timeout.
        # Otherwise, a signal would have no effect until a worker ends.
        done, left = wait(left, timeout=TICK_SECONDS)
        if any(future.exception() for future in done):
            shutdown.to_finish.set()
    for future in running:
        future.result()


def _reason(plan: Plan, code: int | None) -> str:
    how = "was ended" if code is None else f"ended with {code}"
    return f"{plan.program[0]} {how}"[:REASON_LENGTH]
