"""The benchmark runs and prints its measurements; the tests do not check speed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


def _quick_run(part: str, results: Path) -> tuple[list[dict[str, Any]], str]:
    picture = results.with_suffix(".svg")
    options = ["--quick", "--json", str(results), "--svg", str(picture)]
    run = subprocess.run(
        [sys.executable, "-m", "tools.bench", part, *options],
        cwd=ROOT,
        env={
            "PYTHONPATH": ":".join(
                str(ROOT / p) for p in ("", "public_fn", "private_fn", "shared", "cli")
            )
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert picture.read_text().startswith("<svg ")
    return json.loads(results.read_text()), run.stdout


@pytest.mark.parametrize(
    "part",
    ["line", "claims", "admission", "segments", "rebuild", "imports", "public", "board", "phones"],
)
def test_a_quick_run_prints_every_ratio(part: str, tmp_path: Path) -> None:
    """The rows of calls in vain have the ratio 0."""
    rows, printed = _quick_run(part, tmp_path / "results.json")
    assert rows
    for row in rows:
        is_waste = row["name"].startswith("wasted: ")
        assert (row["ratio"] == 0) is is_waste, row
        assert is_waste or f"{row['ratio']:.3f}" in printed, row


def test_a_quick_run_of_the_waits_compares_each_simulated_list_with_both_baselines(
    tmp_path: Path,
) -> None:
    rows, _ = _quick_run("wait", tmp_path / "results.json")

    assert [row["target"] for row in rows] == ["≥ 0.8", None, None] * 8
    assert all(row["verdict"] == "met" for row in rows[::3])
    assert {row["beside"] for row in rows} == {
        "low to high",
        "position / last hour's rate",
        "wait of the last one served",
    }
