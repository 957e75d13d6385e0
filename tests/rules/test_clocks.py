"""Tests do not depend on the machine's speed: they inject clocks, and neither sleep nor measure."""

import ast

from tests.rules.sources import ROOT

TESTS = ROOT / "tests"
READS = {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep"}
# Folders whose tests run real processes, and clients that pause as the service asks them to.
OF_PROCESSES = ("browser", "e2e", "reliability/load", "reliability/chaos")
# Other files that read a clock, and why no test depends on what it shows.
REASONS = {
    "reliability/messages.py": "prints how long it took",
    "reliability/model/progress.py": "prints how long it took",
    "reliability/model/workers.py": "prints how long it took",
    "service/dynamodb/server.py": "waits until a process answers",
    "service/privacy/deployment.py": "a library compares the time of a token with the real time",
    "support/passes.py": "a library compares the time of a pass with the real time",
    "support/redis_servers.py": "waits until a process answers",
    "support/terminal.py": "waits until a process answers",
    "support/world.py": "Redis' own clock, where a test wants it",
    "unit/cli/service.py": "the commands wait in real time for what the service does",
}


def reads_a_clock(text: str) -> bool:
    """Return whether a module calls a function of `time`, or `asyncio.sleep`."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("time", "asyncio")
        and node.attr in READS | {"process_time"}
        for node in ast.walk(ast.parse(text))
    )


def test_only_what_waits_for_processes_or_prints_reads_a_real_clock() -> None:
    found = set()
    for path in TESTS.rglob("*.py"):
        name = path.relative_to(TESTS).as_posix()
        is_ours = "node_modules" not in path.parts and not name.startswith(OF_PROCESSES)
        if is_ours and reads_a_clock(path.read_text(encoding="utf-8")):
            found.add(name)
    assert found == set(REASONS)


def test_a_module_that_measures_or_sleeps_is_found() -> None:
    assert reads_a_clock("import time\nstart = time.monotonic()")
    assert reads_a_clock("import asyncio\nasync def f():\n    await asyncio.sleep(1)")
    assert not reads_a_clock("clock.sleep(1)")
