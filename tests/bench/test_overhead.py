"""The overhead benchmark: its arithmetic on made-up numbers, and a short run that shows that it works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from cost import events, measurements, page, ratios, selective  # noqa: E402


def bench(*arguments: str) -> str:
    command = [sys.executable, str(BENCH / "overhead.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rare_dear_steps_count_in_the_ratio_of_all_steps_only() -> None:
    pairs = [(1.0, 1.0, 1.0, 1.0)] * 9 + [(1.0, 3.0, 1.0, 3.0)]
    found = ratios.ratio(pairs)
    assert found.all.value == pytest.approx(1.2)
    assert found.typical.value == 1.0
    assert found.all.low <= found.all.value <= found.all.high
    assert found.extra.value == pytest.approx(0.2)


def test_facts_are_counted_by_the_step_they_belong_to(tmp_path: Path) -> None:
    lines = [
        {"e": "attached", "pid": 1},
        {"e": "steps", "o": 0, "i": 0, "n": 150},
        *({"e": "sample", "o": 0, "i": i} for i in (0, 1, 100, 125)),
        {"e": "input", "n": 64, "step": 3},
        {"e": "steps", "o": 0, "i": 150, "n": 150},
    ]
    (tmp_path / "r0-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    counts = events.count(tmp_path, warm=110)
    assert counts.steps == 300
    assert counts.first == {"steps": 100, "sample": 2, "input": 1}
    assert counts.later == {"steps": 100.0, "sample": 1.0, "input": 0.0}
    assert counts.sampled == 1
    assert events.fault(tmp_path) is None


def test_an_observer_that_switched_itself_off_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "r0-1.jsonl").write_text('{"e":"fault","hook":"after_step","error":"KeyError: 1"}\n')
    assert events.fault(tmp_path) == "after_step: KeyError: 1"


def test_a_tool_that_does_not_run_is_shown_with_the_reason() -> None:
    measured = measurements.Compared("mlp", "stetho", ratios.ratio([(1.0, 1.1, 1.0, 1.1)]))
    missing = measurements.Compared("mlp", "cockpit", None, why="ModuleNotFoundError: No module named 'cockpit'")
    text = page.page(measurements.Results(interleaved=[measured], peers=[missing]))
    assert "| Cockpit, economy | does not run |" in text
    assert "Cockpit, economy on mlp: ModuleNotFoundError: No module named 'cockpit'" in text


def test_a_tool_that_is_not_installed_gives_a_reason(tmp_path: Path) -> None:
    bounds = measurements.Bounds((1, 1), 1, 0.0)
    found = measurements.compare("mlp", "underflow", bounds, str(tmp_path / "python"))
    assert found.ratio is None
    assert found.why


def test_a_quick_run_fills_every_table(tmp_path: Path) -> None:
    kept = tmp_path / "results.json"
    text = bench("--quick", "--json", str(kept))
    results = json.loads(kept.read_text())
    for section in ("interleaved", "noise", "peers", "parameters", "layers"):
        assert results[section], section
        for compared in results[section]:
            assert compared["why"] == "", compared
            spread = compared["ratio"]["all"]
            assert 0 < spread["low"] <= spread["value"] <= spread["high"]
    (observed,) = results["interleaved"]
    assert observed["counts"]["first"]["steps"] == 100
    assert observed["counts"]["steps"] >= 100 + observed["steps"]
    assert observed["counts"]["first"]["sample"] > 0
    assert results["start"]["plain"] > 0
    assert [w["steps"] for w in results["whole"]] == [20]
    for heading in ("Step time", "Beside other tools", "Whole commands", "Growth", "How often", "Method"):
        assert f"\n## {heading}" in text


def test_the_profile_names_the_observers_hooks() -> None:
    text = bench("--profile", "mlp", "--warm", "20", "--steps", "20")
    assert "step, observed" in text
    assert "all hooks" in text
    assert "events written in these steps" in text
    assert "steps.py" in text or "watch.py" in text


def test_traincheck_is_given_learned_invariants_and_its_programs_own_time_is_used(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    said = "echo seconds of processor time, first and second half of 10 steps: 9.0"
    collect = (
        "#!/bin/sh\nmkdir trace\ncase \"$*\" in *' -i '*) t=1.0;; *) t=7.0;; esac\n"
        + said
        + " $t > trace/program_output.txt"
    )
    scripts = {
        "python": f"#!/bin/sh\n{said} 0.5\n",
        "traincheck-collect": collect + "\n",
        "traincheck-infer": "#!/bin/sh\necho '{}' > invariants.json\n",
    }
    for name, text in scripts.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    found = selective.compare("mlp", 10, 2, tools / "python")
    assert found.why == ""
    assert found.ratio is not None
    assert found.ratio.all.value == pytest.approx(2.0)
    assert [p.read_text() for p in (tmp_path / "invariants").iterdir()] == ["{}\n"]
