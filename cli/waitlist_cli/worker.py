"""`waitlist work`: one person after the other, a command for each."""

import json
import random
import shutil
import threading
import time
import uuid
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waitlist_cli.context import Context
from waitlist_cli.errors import (
    INTERRUPTED,
    CliError,
    Defective,
    Refused,
    Unavailable,
    WrongUsage,
)
from waitlist_cli.hold import Hold, HoldLost, OnFailure
from waitlist_cli.program import Program
from waitlist_cli.retries import PATIENT, RetryPolicy
from waitlist_cli.signals import Shutdown

TICK_SECONDS = 0.2
# A person who is released stands at the head again: whoever fails at once must not spin.
MOST_BACKOFF_SECONDS = 30.0
CLAIMING = RetryPolicy(tries=1)
REASON_LENGTH = 500


@dataclass(frozen=True)
class Plan:
    waitlist_id: str
    program: tuple[str, ...]
    on_failure: OnFailure = OnFailure.release
    filter: dict[str, str] | None = None
    newest: bool = False
    lease_seconds: int | None = None
    concurrency: int = 1
    poll_seconds: float = 2.0
    most: int | None = None
    until_empty: bool = False


class WorkCounts:
    """What has come of the work, from all threads."""

    def __init__(self, most: int | None) -> None:
        self._left = most
        self._lock = threading.Lock()
        self.completed = 0
        self.failed = 0

    def begin(self) -> bool:
        """Take one of the people who may still be served; False if there were enough."""
        with self._lock:
            if self._left == 0:
                return False
            if self._left is not None:
                self._left -= 1
            return True

    def nobody(self) -> None:
        """Give back what was taken: nobody came."""
        with self._lock:
            if self._left is not None:
                self._left += 1

    def end(self, *, completed: bool) -> None:
        with self._lock:
            self.completed += completed
            self.failed += not completed


class Worker:
    """Claims one person at a time until it is report to finish."""

    def __init__(
        self,
        context: Context,
        plan: Plan,
        lease_seconds: int,
        shutdown: Shutdown,
        counts: WorkCounts,
    ) -> None:
        self._context = context
        self._plan = plan
        self._lease_seconds = lease_seconds
        self._shutdown = shutdown
        self._counts = counts
        self._failures = 0
        self._pause_seconds = 0.0
        self._new_key()

    def run(self) -> None:
        while self._counts.begin():
            if self._shutdown.to_finish.wait(self._pause_seconds) or not self._serve_next():
                self._counts.nobody()
                return

    def _serve_next(self) -> bool:
        """Serve whoever comes; False if nobody comes and none is to be waited for."""
        try:
            hold = self._claim()
        except (Unavailable, Defective) as error:
            self._counts.nobody()
            self._back_off(error)
            return True
        if hold is not None:
            self._serve(hold)
            return True
        if self._plan.until_empty:
            return False
        self._counts.nobody()
        self._pause_seconds = self._plan.poll_seconds * random.uniform(0.8, 1.2)
        return True

    def _claim(self) -> Hold | None:
        body = {
            "filter": self._plan.filter,
            "order": "newest" if self._plan.newest else "oldest",
            "lease_seconds": self._plan.lease_seconds,
        }
        path, asked_at = f"/{self._plan.waitlist_id}/claims", time.monotonic()
        try:
            answer = self._context.api.operator("POST", path, body, key=self._key, policy=CLAIMING)
        except Refused as error:
            if error.code == "waitlist_paused":
                return None
            raise
        # Kept until an answer has come: a lost one is asked for again, and nobody is held for it.
        self._new_key()
        claims = answer["claims"]
        if not claims:
            return None
        return Hold(self._context, self._plan.waitlist_id, claims[0], self._lease_seconds, asked_at)

    def _serve(self, hold: Hold) -> None:
        began = time.monotonic()
        outcome, code = "", None
        program = self._start(hold)
        try:
            code = self._wait_for(program, hold)
            if code == 0:
                hold.complete()
                outcome = "completed"
            else:
                outcome = hold.give_back(self._plan.on_failure, _reason(self._plan, code))
        except HoldLost as lost:
            outcome = f"lost: {lost}"
        except CliError as error:
            outcome = f"not recorded as completed: {error.message}"
        finally:
            # Whatever ended the waiting: nobody looks after it any more.
            program.end()
        self._after(completed=outcome == "completed")
        self._report(hold, outcome, code, time.monotonic() - began)

    def _start(self, hold: Hold) -> Program:
        text = json.dumps(hold.claim, ensure_ascii=False)
        try:
            return Program(self._plan.program, text, output_is_ours=self._context.output.as_json)
        except WrongUsage:
            with suppress(HoldLost):
                hold.give_back(OnFailure.release, "the command could not be run")
            raise

    def _wait_for(self, program: Program, hold: Hold) -> int | None:
        """Return the program's exit code; None if it was ended."""
        while (code := program.wait(TICK_SECONDS)) is None:
            if self._shutdown.to_stop.is_set():
                program.end()
                return None
            hold.keep()
        return code

    def _after(self, *, completed: bool) -> None:
        self._counts.end(completed=completed)
        self._failures = 0 if completed else self._failures + 1
        backoff = min(2.0 ** (self._failures - 1), MOST_BACKOFF_SECONDS)
        self._pause_seconds = backoff if self._failures else 0.0

    def _back_off(self, error: CliError) -> None:
        """Have patience with a service that is away, or fails."""
        self._failures += 1
        headers = {"retry-after": error.retry_after}
        self._pause_seconds = PATIENT.pause_after(min(self._failures - 1, 8), headers)
        self._context.output.note(
            f"{error.message} Asking again in {self._pause_seconds:.0f} s.", "yellow"
        )

    def _report(self, hold: Hold, outcome: str, code: int | None, seconds: float) -> None:
        report: dict[str, Any] = {
            "entry_id": hold.entry_id,
            "customer_id": hold.claim["customer_id"],
            "outcome": outcome,
            "exit_code": code,
            "seconds": round(seconds, 3),
        }
        if self._context.output.as_json:
            self._context.output.json_line(report)
        else:
            who = report["customer_id"] or hold.entry_id
            style = "green" if outcome == "completed" else "red"
            ended = "" if code in (0, None) else f", exit code {code}"
            self._context.output.note(f"{who}: {outcome} after {seconds:.1f} s{ended}", style)

    def _new_key(self) -> None:
        self._key = str(uuid.uuid4())


def run_workers(context: Context, plan: Plan) -> int:
    """Work with as many workers as planned, and return the exit code."""
    if shutil.which(plan.program[0]) is None:
        raise WrongUsage(
            f"{plan.program[0]} is no program that can be run: give its path, such as "
            "./welcome.sh, and make it executable."
        )
    waitlist = context.call("GET", plan.waitlist_id)
    lease_seconds = plan.lease_seconds or waitlist["lease_seconds"]
    counts = WorkCounts(plan.most)
    shutdown = Shutdown(
        lambda: context.output.note("Finishing what runs. Ctrl-C again ends it.", "yellow")
    )

    def pause(seconds: float) -> None:
        shutdown.to_stop.wait(seconds)

    context.api.sleep = pause
    with shutdown.installed(), ThreadPoolExecutor(plan.concurrency) as pool:
        workers = [
            Worker(context, plan, lease_seconds, shutdown, counts) for _ in range(plan.concurrency)
        ]
        _all_done([pool.submit(worker.run) for worker in workers], shutdown)
    context.output.note(f"{counts.completed:,} completed, {counts.failed:,} failed.")
    if shutdown.to_stop.is_set():
        return INTERRUPTED
    return 1 if counts.failed else 0


def _all_done(running: list[Future[None]], shutdown: Shutdown) -> None:
    """Wait for all; where one fails the others finish, and its error is raised."""
    left = set(running)
    while left:
        # Not without end: signals are heard between two waits.
        done, left = wait(left, timeout=TICK_SECONDS)
        if any(one.exception() for one in done):
            shutdown.to_finish.set()
    for one in running:
        one.result()


def _reason(plan: Plan, code: int | None) -> str:
    how = "was ended" if code is None else f"ended with {code}"
    return f"{plan.program[0]} {how}"[:REASON_LENGTH]
