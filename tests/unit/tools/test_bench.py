"""The benchmark runs and prints its results. These tests do not check any speeds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.service import served
from tools.bench import imports
from tools.bench.__main__ import main

Run = Callable[[str], tuple[list[dict[str, Any]], str]]


@pytest.fixture
def quick_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    # The service starts faster in this process than in the processes of `make run`.
    monkeypatch.setattr(imports, "LocalService", lambda _settings: served())

    def run(part: str) -> tuple[list[dict[str, Any]], str]:
        results = tmp_path / "results.json"
        main([part, "--quick", "--json", str(results)])
        return json.loads(results.read_text()), capfd.readouterr().out

    return run


@pytest.mark.parametrize(
    "part",
    [
        "line",
        "claims",
        "admission",
        "rebuild",
        "maintenance",
        "imports",
        "public",
        "secrecy",
        "board",
        "server",
        "presence",
    ],
)
def test_a_quick_run_prints_every_ratio(part: str, quick_run: Run) -> None:
    rows, printed = quick_run(part)
    assert rows
    for row in rows:
        assert row["ratio"] > 0
        assert f"{row['ratio']:.3f}" in printed


def test_the_benchmark_of_waits_compares_each_simulated_list_with_two_baselines(
    quick_run: Run,
) -> None:
    rows, _ = quick_run("wait")

    assert [row["target"] for row in rows] == ["≥ 0.8", None, None] * 10
    assert all(row["verdict"] == "met" for row in rows[::3])
    assert {row["beside"] for row in rows} == {
        "low to high",
        "position / last hour's rate",
        "wait of the last person served",
    }
