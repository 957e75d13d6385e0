"""The benchmark runs and prints what it measured; how fast things are is not tested."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_quick_run_prints_a_ratio_for_every_operation(tmp_path: Path) -> None:
    results, picture = tmp_path / "results.json", tmp_path / "results.svg"
    options = ["--quick", "--json", str(results), "--svg", str(picture)]

    run = subprocess.run(
        [sys.executable, "-m", "bench", *options],
        cwd=ROOT,
        env={"PYTHONPATH": ":".join(str(ROOT / p) for p in ("", "private_fn", "shared"))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    rows = json.loads(results.read_text())
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
    assert all(f"{row['ratio']:.3f}" in run.stdout for row in rows)
    assert picture.read_text().startswith("<svg ")
