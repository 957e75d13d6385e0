"""The benchmark runs and prints its measurements; the tests do not check speed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def test_a_quick_run_prints_a_ratio_for_every_operation(tmp_path: Path) -> None:
    rows, printed = _quick_run("line", tmp_path / "results.json")

    assert {row["name"].split()[0] for row in rows} == {
        "signup",
        "position,",
        "position",
        "leave",
        "bump",
        "batch",
        "memory,",
    }
    assert all(row["ratio"] > 0 for row in rows)
    assert all(f"{row['ratio']:.3f}" in printed for row in rows)
    assert "The functions wrote " in printed


def test_a_quick_run_of_the_claims_prints_ratios_and_what_was_wasted(tmp_path: Path) -> None:
    rows, printed = _quick_run("claims", tmp_path / "results.json")

    wasted = [row for row in rows if row["name"].startswith("wasted: ")]
    measured = [row for row in rows if row not in wasted]
    assert len(measured) == 5
    assert all(row["ratio"] > 0 for row in measured)
    assert all(f"{row['ratio']:.3f}" in printed for row in measured)
    assert {row["name"].removeprefix("wasted: ") for row in wasted} == {
        row["name"] for row in measured
    }
    assert all(row["ratio"] == 0 for row in wasted)


def test_a_quick_run_of_the_segments_prints_ratios_weights_and_what_was_wasted(
    tmp_path: Path,
) -> None:
    rows, printed = _quick_run("segments", tmp_path / "results.json")

    wasted = [row for row in rows if row["name"].startswith("wasted: ")]
    measured = [row for row in rows if row not in wasted]
    assert [(row["name"], row["target"]) for row in measured] == [
        ("memory, index of 6 segments", None),
        ("memory, tags of 6 segments", None),
        ("memory, all keys, 6 segments", None),
        ("position within a segment", None),
        ("depths of 32 segments", None),
        ("signup with 6 segments", None),
        ("filtered claim", "≥ 0.6"),
        ("filtered claim, 16 claimers", "≥ 0.6"),
        ("unfiltered claim", None),
        ("unfiltered claim, 16 claimers", None),
    ]
    assert all(row["ratio"] > 0 for row in measured)
    assert all(f"{row['ratio']:.3f}" in printed for row in measured)
    assert {row["name"].removeprefix("wasted: ") for row in wasted} == {
        row["name"] for row in measured if "claim" in row["name"]
    }
    assert all(row["ratio"] == 0 for row in wasted)


def test_a_quick_run_of_the_rebuild_prints_its_speed_its_reads_and_its_memory(
    tmp_path: Path,
) -> None:
    rows, printed = _quick_run("rebuild", tmp_path / "results.json")

    assert [(row["name"], row["target"]) for row in rows] == [
        ("rebuild of 500", None),
        ("rebuild of 2,000", "≥ 0.3"),
        ("read units per entry", None),
        ("peak memory, 2,000", "≤ 1.2"),
    ]
    assert all(row["ratio"] > 0 for row in rows)
    assert all(f"{row['ratio']:.3f}" in printed for row in rows)


def test_a_quick_run_of_the_imports_prints_their_speed_beside_signups_and_the_promise(
    tmp_path: Path,
) -> None:
    rows, printed = _quick_run("imports", tmp_path / "results.json")

    assert [(row["name"], row["beside"], row["target"]) for row in rows] == [
        ("import of 10", "single signups", "≥ 4"),
        ("import of 500", "100,000 in 5 minutes", "≥ 1"),
    ]
    assert all(row["ratio"] > 0 for row in rows)
    assert all(f"{row['ratio']:.3f}" in printed for row in rows)


def test_a_quick_run_of_the_public_function_prints_its_processor_time(tmp_path: Path) -> None:
    rows, printed = _quick_run("public", tmp_path / "results.json")

    assert [(row["name"], row["beside"], row["target"]) for row in rows] == [
        ("public signup", "1 ms", "≤ 1"),
        ("public signup", "its AWS calls by stock boto3", None),
        ("public position", "0.3 ms", "≤ 1"),
        ("public position", "its AWS calls by stock boto3", None),
        ("public import and compose", "200 ms", "≤ 1"),
        ("public import and compose", "boto3 and two clients", None),
        ("private import", "import redis", "≤ 1.3"),
    ]
    assert all(row["ratio"] > 0 for row in rows)
    assert all(f"{row['ratio']:.3f}" in printed for row in rows)
