"""Tests must not depend on the machine's speed. They set their own clocks, do not sleep, and do not
measure real time.
"""

import ast

from tests.rules.sources import ROOT

TESTS = ROOT / "tests"
READS = {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep"}
# Folders whose tests may read a real clock, because they run real processes or clients that wait
# between their requests.
OF_PROCESSES = ("browser", "e2e", "reliability/load", "reliability/chaos")
# Other files that may read a real clock, each with the reason why this is harmless.
REASONS = {
    "reliability/messages.py": "it prints a duration",
    "reliability/model/progress.py": "it prints a duration",
    "reliability/model/workers.py": "it prints a duration",
    "service/dynamodb/server.py": "it waits until a process answers",
    "service/privacy/deployment.py": "a library compares a token's time with the real time",
    "support/passes.py": "a library compares a pass's time with the real time",
    "support/redis_servers.py": "it waits until a process answers",
    "support/terminal.py": "it waits until a process answers",
    "support/world.py": "some tests want Redis' clock",
    "unit/cli/service.py": "the commands wait for the service in real time",
}


def reads_a_clock(text: str) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("time", "asyncio")
        and node.attr in READS | {"process_time"}
        for node in ast.walk(ast.parse(text))
    )


def test_only_listed_files_read_a_real_clock() -> None:
    found = set()
    for path in TESTS.rglob("*.py"):
        name = path.relative_to(TESTS).as_posix()
        is_ours = "node_modules" not in path.parts and not name.startswith(OF_PROCESSES)
        if is_ours and reads_a_clock(path.read_text(encoding="utf-8")):
            found.add(name)
    assert found == set(REASONS)


def test_the_rule_finds_modules_that_measure_time_or_sleep() -> None:
    assert reads_a_clock("import time\nstart = time.monotonic()")
    assert reads_a_clock("import asyncio\nasync def f():\n    await asyncio.sleep(1)")
    assert not reads_a_clock("clock.sleep(1)")
