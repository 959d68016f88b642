"""A run as it goes: each alarm raised once, and the status line."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from recorded import SITE, block, line
from stetho import alarms
from stetho.alarms import IDLE_SECONDS
from stetho.live import PLAIN_BARS, SPARK, Lookout, sparkline, status
from stetho.tail import Tail

NAN, INF = math.nan, math.inf


def lookout(folder: Path, **wishes: float) -> Lookout:
    return Lookout(Tail(folder), now=0.0, users_path=os.path.basename, **wishes)  # type: ignore[arg-type]


def test_each_alarm_is_raised_once_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "r0-1.jsonl"
    file.write_text(line(SITE) + line(block(0, [1.0] * 131)) + line(block(131, ["nan", "nan"])))
    watch = lookout(tmp_path)
    assert [str(a) for a in watch.look(1.0)] == ["step 131: loss is nan (train.py:41)"]
    with file.open("a") as out:
        out.write(line(block(133, ["nan"] * 50)))
    assert watch.look(2.0) == []


def test_infinite_gradients_under_a_scaler_are_normal_until_they_stay(tmp_path: Path) -> None:
    file, watch = tmp_path / "r0-1.jsonl", lookout(tmp_path)
    file.write_text(
        line({"e": "scaler", "scale": 65536.0, "step": 0}) + line({**block(0, [1.0] * 3), "g": ["inf", "nan", 1.0]})
    )
    assert watch.look(1.0) == []
    with file.open("a") as out:
        for i in range(alarms.SCALER_PATIENCE):
            out.write(line({"e": "skipped", "o": 0, "i": 3, "scale": 2.0 ** (15 - i)}))
    assert [a.kind for a in watch.look(2.0)] == ["nan"]


def test_adversaries_may_rise(tmp_path: Path) -> None:
    rising = [float(2**i) for i in range(15)] + [1e6] * 200
    both = [block(0, rising), {**block(0, [1.0] * 215), "o": 1, "loss": [[[8, 1.0]]]}]
    (tmp_path / "r0-1.jsonl").write_text("".join(map(line, both)))
    assert lookout(tmp_path).look(1.0) == []
    (tmp_path / "r0-1.jsonl").write_text(line(both[0]))
    assert [a.kind for a in lookout(tmp_path).look(1.0)] == ["divergence"]


@pytest.mark.parametrize(
    ("call", "terms", "fires"),
    [
        ({"fn": "cross_entropy", "red": "mean"}, {}, True),
        ({"fn": "cross_entropy", "red": "mean"}, {"terms": [[[8, 0.5]]]}, False),  # times a return, say
        ({"fn": "cross_entropy", "red": "none"}, {}, False),
        ({"fn": "mse_loss", "red": "mean"}, {}, False),
    ],
)
def test_only_a_plain_likelihood_is_held_to_its_start(tmp_path: Path, call: dict, terms: dict, fires: bool) -> None:
    known = {"e": "loss-call", "grad": True, "site": 7, "step": 0, **call}
    (tmp_path / "r0-1.jsonl").write_text(line(known) + line(block(0, [2.3] * 20 + [40.0] * 600, **terms)))
    assert bool(lookout(tmp_path).look(1.0)) == fires


@pytest.mark.parametrize(("cores", "fires"), [(0.0, True), (0.9, False)])
def test_a_stall_is_told_from_an_evaluation_by_the_processor(tmp_path: Path, cores: float, fires: bool) -> None:
    (tmp_path / "r0-1.jsonl").write_text(line(block(0, [1.0] * 20)))
    now = [0.0]
    watch = lookout(tmp_path)
    watch.spent = lambda: cores * now[0]
    found = []
    while now[0] < 3 * IDLE_SECONDS:
        found += watch.look(now[0])
        now[0] += 1.0
    assert [a.kind for a in found] == (["stall"] if fires else [])


def test_a_run_that_has_done_all_its_steps_does_not_stall(tmp_path: Path) -> None:
    (tmp_path / "r0-1.jsonl").write_text(line({"e": "planned", "steps": 20, "loops": []}) + line(block(0, [1.0] * 20)))
    watch = lookout(tmp_path, stall_after=5.0)
    assert [a for now in range(100) for a in watch.look(float(now))] == []


def test_a_suspended_run_does_not_stall(tmp_path: Path) -> None:
    (tmp_path / "r0-1.jsonl").write_text(line(block(0, [1.0] * 20)))
    watch = lookout(tmp_path, stall_after=5.0)
    assert watch.look(1.0) == []
    watch.resume(1000.0)
    assert watch.look(1001.0) == []
    assert [a.kind for a in watch.look(1006.0)] == ["stall"]


def test_the_status_line_says_where_the_run_stands_and_fits(tmp_path: Path) -> None:
    tail = Tail(tmp_path)
    assert status(tail, [], 80) == "stetho  no torch yet"
    (tmp_path / "r0-1.jsonl").write_text(
        line({"e": "planned", "steps": 900, "loops": []}) + line(block(0, [2.0, 1.5, 1.0]))
    )
    watch = lookout(tmp_path)
    watch.look(0.0)
    assert status(watch.tail, [], 80) == "stetho  step 3/900  loss 1 █▅▁  grad 1.5  10 steps/s"
    for width in range(1, 80):
        assert len(status(watch.tail, [], width)) <= width
    assert status(watch.tail, [alarms.Alarm("nan", 2, "")], 45).endswith("NAN at step 2")


def test_a_sparkline_has_one_bar_for_each_stretch() -> None:
    assert sparkline([1.0, 2.0, 3.0], PLAIN_BARS) == "_=#"
    assert sparkline([1.0, NAN, INF, 3.0], PLAIN_BARS) == "_xx#"
    assert sparkline([1.0, 1.0]) == "▁▁" and sparkline([1.0]) == "" and sparkline([NAN, NAN]) == "xx"
    assert sparkline([1e308, -1e308], PLAIN_BARS) == "__"
    assert len(sparkline([float(i) for i in range(1000)])) == SPARK
