"""What is read of a run under way: alarms that fire when they must and never on a healthy run, and the status line."""

from __future__ import annotations

import json
import math
import os
import pty
import random
from pathlib import Path

import pytest

from stetho import alarms
from stetho.alarms import IDLE_SECONDS, divergence, nonfinite, scaler_stuck, stall
from stetho.live import PLAIN_BARS, SPARK, Lookout, sparkline, status
from stetho.screen import Screen
from stetho.tail import CURRENT, MOST_LEVELS, WIDTH, Series, Tail

NAN, INF = math.nan, math.inf


def noise(seed: int = 0):
    return random.Random(seed).gauss


def raised(values: list[float], *, likelihood: bool = True) -> str | None:
    """The first alarm that is raised as the values come in one by one."""
    series = Series()
    for value in values:
        before = len(series.levels)
        series.add(value)
        if len(series.levels) > before:
            text = divergence(series.first, series.levels, series.width, likelihood=likelihood)
            if text:
                return text
    return None


def falling(steps: int, start: float = 2.3, end: float = 0.3, spread: float = 0.1) -> list[float]:
    gauss = noise(steps)
    return [max(1e-3, end + (start - end) * math.exp(-5 * i / steps) + gauss(0, spread)) for i in range(steps)]


HEALTHY = {
    "falls": falling(3000),
    "very noisy": [max(1e-3, v * math.exp(noise(i)(0, 1))) for i, v in enumerate(falling(3000))],
    "one sample at a time": [random.Random(i).expovariate(1.0) * v for i, v in enumerate(falling(5000))],
    "flat at chance": [2.303 + noise(i)(0, 0.01) for i in range(3000)],
    "a bump while the rate warms up": [2.3 + 6 * math.sin(math.pi * i / 250) for i in range(250)] + falling(2000),
    "spikes that recover": [v * (400 if 1000 <= i < 1030 or i % 700 < 3 else 1) for i, v in enumerate(falling(3000))],
    "one enormous batch": [1e9 if i == 1500 else v for i, v in enumerate(falling(3000))],
    "a new, harder task, learned again": falling(2000) + falling(2000) + falling(2000),
    "classes in order": [0.05 + 3 * math.exp(-(i % 100) / 15) for i in range(4000)],
    "overfits and is not sure any more": falling(2000) + [0.3 + 0.4 * i / 4000 for i in range(4000)],
    "teacher forcing wears off": falling(2000, 5.0, 1.0) + [1 + 1.5 * min(1, i / 3000) for i in range(6000)],
    "already trained": [random.Random(i).expovariate(3.0) for i in range(4000)],
    "starts at nothing": [1e-6] * 50 + [0.5 + noise(i)(0, 0.1) for i in range(1000)],
    "a few steps": [2.3, 2.2, 2.4],
}
# Losses that say nothing about likelihood: their scale may move.
AGENTS = {
    "returns grow": [0.5 + (i / 100) ** 2 * (1 + 0.3 * noise(i)(0, 1)) for i in range(3000)],
    "a critic whose rewards are found late": [1e-5] * 2000 + [2.0 + noise(i)(0, 0.5) for i in range(2000)],
    "a policy loss around zero": [noise(i)(0, 0.01 + i / 1000) for i in range(4000)],
    "negative log densities": [5 - 40 * (1 - math.exp(-i / 500)) + noise(i)(0, 3) for i in range(4000)],
    "a penalty that is turned up": [1.0 + i / 100 for i in range(4000)],
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_loss_raises_nothing(name: str) -> None:
    assert raised(HEALTHY[name]) is None


@pytest.mark.parametrize("name", AGENTS)
def test_a_loss_without_a_scale_of_its_own_raises_nothing(name: str) -> None:
    assert raised(AGENTS[name], likelihood=False) is None


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([2.3 * 1.1**i for i in range(300)], "over 1000 times the 2.53 it began at, for 50 steps"),
        ([2.3, 2.4, 2.5] + [4e4 + noise(i)(0, 1e4) for i in range(100)], "over 1000 times the 2.4"),
        ([-50.0 + 0.1 * i for i in range(20)] + [1e6] * 80, "over 1000 times the -49.9"),
    ],
)
def test_an_explosion_is_raised_whatever_the_loss(values: list[float], says: str) -> None:
    assert says in (raised(values, likelihood=False) or "")


def test_a_likelihood_far_above_its_start_is_raised() -> None:
    text = raised([2.3] * 20 + [40.0 + noise(i)(0, 15) for i in range(600)])
    assert text is not None and "over 2 times the 2.3 it began at, for 300 steps" in text


def test_a_likelihood_that_loses_what_it_had_learned_is_raised() -> None:
    learned = falling(5000, 10.8, 3.0)
    assert raised(learned + [7.4 + noise(i)(0, 0.1) for i in range(400)]) is None
    text = raised(learned + [7.4 + noise(i)(0, 0.1) for i in range(2000)])
    assert text is not None and "after a best level of 3" in text


@pytest.mark.parametrize(
    ("losses", "gradient", "says"),
    [
        ([0.5], 1.0, None),
        ([NAN], 1.0, "loss is nan"),
        ([INF], None, "loss is inf"),
        ([0.5], NAN, "the gradient's norm is nan"),
        ([0.5], None, None),
        ([], INF, "the gradient's norm is inf"),
        ([NAN, 0.5], NAN, "loss is nan"),
        ([NAN, 0.5], 1.0, None),  # the program dropped that batch and cleared its gradients
    ],
)
def test_nan_or_inf_in_a_step(losses: list[float], gradient: float | None, says: str | None) -> None:
    assert nonfinite(losses, gradient) == says


def test_a_gradient_scaler_may_leave_out_steps_but_not_all_of_them() -> None:
    assert scaler_stuck(3) is None
    assert "20 steps in a row" in (scaler_stuck(20) or "")


@pytest.mark.parametrize(
    ("quiet", "longest", "steps", "busy", "fires"),
    [
        (100.0, 0.1, 500, False, False),
        (130.0, 0.1, 500, False, True),
        (130.0, 0.1, 3, False, False),  # too few steps to know its pace
        (130.0, 20.0, 500, False, False),  # it has had such gaps before
        (1500.0, 0.1, 500, True, False),  # it computes: evaluation, most likely
        (1900.0, 0.1, 500, True, True),
    ],
)
def test_a_stall_is_long_for_this_run(quiet: float, longest: float, steps: int, busy: bool, fires: bool) -> None:
    assert (stall(quiet, longest, steps, busy=busy) is not None) == fires


def test_the_users_own_limit_counts_alone() -> None:
    assert stall(31.0, 100.0, 2, busy=True, after=30.0) == "no step for 31 s, the limit is 30 s"
    assert stall(29.0, 0.1, 2, busy=False, after=30.0) is None


def test_a_series_stays_small() -> None:
    series = Series()
    for i in range(WIDTH * MOST_LEVELS * 3):
        series.add(float(i))
    assert len(series.levels) < MOST_LEVELS and series.width > WIDTH
    assert series.levels == sorted(series.levels)


def block(index: int, losses: list[float | str], **more: object) -> dict[str, object]:
    size = len(losses)
    losses_of = [[[7, value]] for value in losses]
    times = {"dt": [0.1] * size, "dw": [0.02] * size}
    return {"e": "steps", "o": 0, "i": index, "n": size, "loss": losses_of, "g": [1.5] * size, **times, **more}


def line(event: dict[str, object]) -> str:
    return json.dumps(event, separators=(",", ":")) + "\n"


SITE = {"e": "site", "id": 7, "frames": [["/home/me/train.py", 41, "main"]]}


def test_the_tail_reads_blocks_as_they_come_also_in_parts(tmp_path: Path) -> None:
    file, tail = tmp_path / "r0-11.jsonl", Tail(tmp_path)
    assert tail.read() == [] and tail.main is None
    whole = line({"e": "attached", "pid": 11}) + line(SITE) + line(block(0, [3.0, 2.0, 1.0]))
    with file.open("w") as out:
        seen = 0
        for part in (whole[:30], whole[30:-4], whole[-4:]):
            out.write(part)
            out.flush()
            seen += len(tail.read())
    assert seen == 3 and tail.attached and tail.steps == 3 and tail.loss == 1.0
    assert tail.main is not None and tail.main.waited == pytest.approx(0.04)


def test_the_tail_goes_on_in_further_files_and_counts_no_step_twice(tmp_path: Path) -> None:
    (tmp_path / "r0-11.jsonl").write_text(line(SITE) + line(block(0, [3.0, 2.0])))
    (tmp_path / "r0-11.1.jsonl").write_text(line(block(1, [2.0, 1.0])) + line(block(3, [0.5], n=1, every=2)))
    tail = Tail(tmp_path)
    assert [s.index for s in tail.read()] == [0, 1, 2, 3]
    assert tail.main is not None and tail.main.process.sites[7].line == 41


def test_the_tail_reads_steps_of_earlier_observers_and_takes_the_lowest_rank(tmp_path: Path) -> None:
    steps = [
        {"e": "step", "o": 0, "i": i, "loss": [[0, 4.0 - i]], "lr": [0.1], "g": 2.0, "t": 0.5 * i} for i in range(4)
    ]
    for rank in (1, 0):
        (tmp_path / f"r{rank}-{20 + rank}.jsonl").write_text("".join(map(line, steps)))
    tail = Tail(tmp_path)
    tail.read()
    assert tail.main is not None and (tail.main.process.rank, tail.steps, tail.main.longest) == (0, 4, 0.5)


def test_a_command_that_trains_one_model_after_the_other_is_shown_at_the_newer(tmp_path: Path) -> None:
    (tmp_path / "r0-9.jsonl").write_text(line(block(0, [1.0] * 500)))
    tail = Tail(tmp_path)
    tail.read()
    with (tmp_path / "r0-10.jsonl").open("a") as out:
        for i in range(CURRENT):
            assert tail.main is not None and tail.main.steps == 500
            out.write(line(block(i, [2.0])))
            out.flush()
            tail.read()
    assert tail.main.steps == CURRENT


def test_a_column_of_one_value_holds_for_the_whole_block(tmp_path: Path) -> None:
    (tmp_path / "r0-1.jsonl").write_text(
        line({**block(0, [1.0] * 4), "loss": [[[7, 1.0]]]}) + "{broken\n" + line(block(4, ["nan"]))
    )
    tail = Tail(tmp_path)
    assert [s.losses for s in tail.read()][:4] == [((7, 1.0),)] * 4 and math.isnan(tail.loss or 0)


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


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch):
    """A terminal of 24 rows that nobody reads from, and a way to see what was written to it."""
    master, slave = pty.openpty()
    monkeypatch.setattr("stetho.screen.size", lambda descriptor: (24, 80))
    monkeypatch.setattr("stetho.screen.usable", lambda descriptor: True)
    os.set_blocking(master, False)

    def written() -> bytes:
        found = b""
        try:
            while True:
                found += os.read(master, 65536)
        except BlockingIOError:
            return found.replace(b"\r\n", b"\n")

    yield Screen(slave, colour=False), written
    os.close(master)
    os.close(slave)


def test_the_status_is_drawn_on_the_last_line_and_taken_away(terminal) -> None:
    screen, written = terminal
    screen.copy(b"epoch 1\n")
    screen.show(" stetho  step 3")
    drawn = written()
    assert drawn.startswith(b"epoch 1\n") and b"\x1b7\x1b[1;23r\x1b[24;1H" in drawn and b"step 3" in drawn
    assert drawn.endswith(b"\x1b8")
    screen.show(" stetho  step 3")
    assert written() == b""
    screen.release()
    assert written() == b"\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8"


@pytest.mark.parametrize("part", [b"caf\xc3", b"\x1b", b"\x1b[38;5", b"\x1b]0;title", b"\xf0\x9f\x94", b"\x1b7 saved"])
def test_nothing_is_drawn_into_the_middle_of_something(terminal, part: bytes) -> None:
    screen, written = terminal
    screen.copy(part)
    screen.show("status")
    screen.say("stetho: an alarm")
    assert written() == part


def test_nothing_is_drawn_over_a_program_that_has_the_whole_screen(terminal) -> None:
    screen, written = terminal
    screen.copy(b"\x1b[?1049h")
    screen.show("status")
    assert written() == b"\x1b[?1049h"
    screen.copy(b"\x1b[?1049l")
    screen.show("status")
    assert b"status" in written()


def test_an_alarm_gets_a_line_of_its_own_as_soon_as_it_can(terminal) -> None:
    screen, written = terminal
    screen.copy(b"\r 30%|###\x1b[")
    screen.say("stetho: step 131: loss is nan")
    screen.copy(b"0m")
    screen.copy(b"\r 31%|###")
    assert written() == b"\r 30%|###\x1b[0m\nstetho: step 131: loss is nan\n\r 31%|###"
