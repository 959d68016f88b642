"""Blocks become steps, segments become one record, ranks are told apart, and no bad line costs more than itself."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from stetho import measure, recording
from stetho.events import REQUIRED
from stetho.evidence import Place
from stetho.facts import LossCurve
from stetho.recording import Step

from .lines import HEAD, INF, NAN, fact, line, read, steps, told, write


def test_a_block_says_everything_of_each_step(tmp_path: Path) -> None:
    block = line(
        "steps", o=2, i=5, n=3,
        loss=[[[0, 1.0], [1, 2.0]], [], [[0, NAN]]],
        terms=[[[1, 0.5], [None, 0.25]], [], [[1, INF]]],
        lr=[[0.1, None], [0.2, None], [0.3, 0.4]],
        g=[1.5, None, "inf"], est=True, kept=[0, 2], bw=[1, 2, 3],
        clip=[[2.0, 1.0], None, ["nan", 1.0]],
        dt=[0.1, 0.2, 0.3], dw=[0.01, 0.02, 0.03], vt=[0.0, 4.0, 0.0], bt=[[100.5, 0.2], None, [101.5, 0.4]],
        order=["zfbs", "s", "ezfbcs"], at=1, t=9.0, wall=100.0, rss=2**30, peak=2**31, gpu=5,
    )  # fmt: skip
    sample = line("sample", o=2, i=6, g=[1.0], ur=0.25)
    record = read(tmp_path, sample, block)
    first, second, third = record.steps
    assert [(s.optimizer, s.index, s.at, s.estimated) for s in record.steps] == [(2, i, 1, True) for i in (5, 6, 7)]
    assert (first.losses, first.terms) == (((0, 1.0), (1, 2.0)), ((1, 0.5), (-1, 0.25)))
    assert (second.losses, second.terms) == ((), ())
    assert math.isnan(third.losses[0][1]) and third.terms == ((1, INF),)
    assert [s.rates for s in record.steps] == [(0.1, None), (0.2, None), (0.3, 0.4)]
    assert [s.gradient for s in record.steps] == [1.5, None, INF]
    assert [s.kept for s in record.steps] == [True, False, True]
    assert [s.backwards for s in record.steps] == [1, 2, 3]
    assert first.clip == (2.0, 1.0) and second.clip is None and math.isnan((third.clip or (0.0, 0.0))[0])
    assert [(s.seconds, s.wait, s.validation) for s in record.steps] == [
        (0.1, 0.01, 0.0), (0.2, 0.02, 4.0), (0.3, 0.03, 0.0),
    ]  # fmt: skip
    assert [(s.backward_began, s.backward_took) for s in record.steps] == [(100.5, 0.2), (None, None), (101.5, 0.4)]
    assert [s.order for s in record.steps] == ["zfbs", "s", "ezfbcs"]
    assert [s.change for s in record.steps] == [None, 0.25, None]
    assert record.of("steps") == [
        {"o": 2, "i": 5, "n": 3, "t": 9.0, "wall": 100.0, "rss": 2**30, "peak": 2**31, "gpu": 5}
    ]


def test_a_column_of_one_entry_holds_for_the_whole_block(tmp_path: Path) -> None:
    block = line(
        "steps", o=0, i=0, n=4, loss=[[[0, 2.0]]], terms=[[[1, 1.0]]], lr=[[0.1]], g=[1.0, 2.0, 3.0, 4.0], bw=[2],
        clip=[[3.0, 1.0]], order=["zfbcs"], dt=[0.1] * 4, t=1.0, wall=1.0,
    )  # fmt: skip
    record = read(tmp_path, block)
    assert [(s.losses, s.terms, s.rates, s.backwards, s.clip, s.order) for s in record.steps] == [
        (((0, 2.0),), ((1, 1.0),), (0.1,), 2, (3.0, 1.0), "zfbcs")
    ] * 4
    assert [s.gradient for s in record.steps] == [1.0, 2.0, 3.0, 4.0]


def test_what_a_block_does_not_say_is_unknown(tmp_path: Path) -> None:
    record = read(tmp_path, line("steps", o=0, i=0, n=2, loss=[[[0, 1.0]], [[0, 2.0]]], lr=[[0.1]], g=[1.0]))
    assert record.steps[1] == Step(0, 1, ((0, 2.0),), (0.1,), None, False, None, None, None)
    empty = record.steps[0]
    unknown = (empty.seconds, empty.wait, empty.validation, empty.order, empty.backwards, empty.backward_began)
    assert unknown == (None,) * 6


def test_a_change_belongs_to_the_step_of_its_own_optimizer(tmp_path: Path) -> None:
    samples = [line("sample", o=0, i=0, ur=0.5), line("sample", o=1, i=0, ur="nan"), line("sample", o=1, i=1, ur=None)]
    record = read(tmp_path, *samples, steps(0, [1.0]), steps(0, [1.0, 1.0], optimizer=1))
    first, second, third = record.steps
    assert first.change == 0.5 and second.change is not None and math.isnan(second.change) and third.change is None


def test_segments_of_one_process_are_one_record(tmp_path: Path) -> None:
    """The tenth segment comes after the second, and a call site is known in all that follow."""
    write(tmp_path, HEAD + steps(0, [3.0, 2.0]), "r0-7.jsonl")
    write(tmp_path, steps(2, [1.0], at=1), "r0-7.2.jsonl")
    write(tmp_path, steps(3, [0.5]), "r0-7.10.jsonl")
    write(tmp_path, line("attached", pid=8, torch="2"), "r0-8.jsonl")
    record = recording.read(tmp_path)
    assert [s.index for s in record.steps] == [0, 1, 2, 3]
    assert record.place(record.steps[2].at) == Place("/w/train.py", 5, key="main")
    assert (record.segments, record.processes) == (3, 2)


def test_a_thinned_segment_has_steps_missing_in_between(tmp_path: Path) -> None:
    write(tmp_path, HEAD + steps(0, [3.0, 2.9]), "r0-7.jsonl")
    write(tmp_path, line("thinned") + steps(2, [2.8, 2.7, 2.6], every=4, kept=[1], rss=5), "r0-7.1.jsonl")
    write(tmp_path, steps(14, [2.5]), "r0-7.2.jsonl")
    record = recording.read(tmp_path)
    assert [s.index for s in record.steps] == [0, 1, 2, 6, 10, 14]
    assert [s.index for s in record.steps if s.kept] == [6]
    curve = fact(LossCurve, record)
    assert (curve.steps, curve.values) == ((0, 1, 2, 6, 10, 14), (3.0, 2.9, 2.8, 2.7, 2.6, 2.5))
    assert measure.taken(measure.main_steps(record)) == 15


BROKEN = [b'{"e":"steps","o":0,"i":9', b"\xff\xfe{", b"\x00" * 64, b"[1,2]\n", b"7\n", b"null\n", b"{}\n", b"\n"]


@pytest.mark.parametrize("tail", BROKEN)
def test_a_line_that_is_no_event_is_passed_over(tmp_path: Path, tail: bytes) -> None:
    (tmp_path / "r0-1.jsonl").write_bytes((HEAD + steps(0, [1.0, 2.0])).encode() + tail)
    assert len(recording.read(tmp_path).steps) == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"e": "steps", "o": 0, "i": 2},
        {"e": "steps", "o": 0, "i": 2, "n": "many"},
        {"e": "steps", "o": 0, "i": 2, "n": 1, "loss": [[["x"]]]},
        {"e": "step", "o": 0},
        {"e": "site", "id": 5},
        {"e": "sample"},
        {"e": "planned", "loops": [["only a file"]]},
    ],
)
def test_an_event_that_makes_no_sense_costs_itself_only(tmp_path: Path, bad: dict[str, Any]) -> None:
    record = read(tmp_path, steps(0, [1.0]), json.dumps(bad) + "\n", steps(1, [2.0]))
    assert [s.index for s in record.steps] == [0, 1]
    assert told(record)


@pytest.mark.parametrize("kind", REQUIRED)
def test_an_event_that_lacks_what_it_is_about_is_left_out(tmp_path: Path, kind: str) -> None:
    for lacking in REQUIRED[kind]:
        body = {key: None if key == lacking else 1 for key in REQUIRED[kind]}
        record = read(tmp_path, steps(0, [1.0]), line(kind, **body), line(kind))
        assert record.of(kind) == ([] if kind != "optimizer" else record.of(kind)[:1])
        assert told(record)


def test_events_from_the_future_are_kept(tmp_path: Path) -> None:
    record = read(tmp_path, line("weather", sky="grey"), steps(0, [1.0], colour=["red"]))
    assert record.of("weather") == [{"sky": "grey"}]
    assert len(record.steps) == 1


def test_steps_of_earlier_observers_are_read_beside_blocks(tmp_path: Path) -> None:
    old = line(
        "step", o=0, i=0, loss=[[0, 3.0]], lr=[0.1], g=2.0, kept=True, bw=1, t=0.5, u=0.125, clip=[2.0, 1.0], at=1
    )
    record = read(tmp_path, old, steps(1, [2.0]))
    first = record.steps[0]
    assert (first.losses, first.rates, first.gradient, first.kept) == (((0, 3.0),), (0.1,), 2.0, True)
    assert (first.change, first.clip, first.at, first.backwards) == (0.125, (2.0, 1.0), 1, 1)
    assert (first.seconds, first.order, first.estimated) == (None, None, False)
    assert [s.index for s in record.steps] == [0, 1]


def test_files_have_the_names_that_the_user_knows(tmp_path: Path) -> None:
    write(tmp_path, HEAD + line("planned", steps=None, loops=[["/w/train.py", 3, None]]) + steps(0, [1.0]))
    record = recording.read(tmp_path, lambda path: path.replace("/w", "/home/me", 1))
    assert record.of("run")[0]["cwd"] == "/home/me"
    assert record.of("run")[0]["argv"] == ["train.py", "--lr", "1"]
    assert record.of("planned")[0]["loops"] == [["/home/me/train.py", 3, None]]


def rank(number: int, losses: list[float], **more: Any) -> str:
    about = line("run", argv=[], cwd="/w", python="3", torch="2", threads=1, rank=number, world=2)
    return HEAD.replace(line("run"), "") + about + steps(0, losses, **more)


def test_each_rank_has_its_training_process(tmp_path: Path) -> None:
    write(tmp_path, rank(0, [1.0, 2.0]), "r0-10.jsonl")
    write(tmp_path, rank(1, [3.0, 4.0]), "r1-11.jsonl")
    write(tmp_path, line("attached", pid=12, torch="2"), "r1-12.jsonl")
    write(tmp_path, rank(1, [9.0]), "r1-13.jsonl")
    ranks = recording.read_ranks(tmp_path)
    assert {r: [s.losses[0][1] for s in record.steps] for r, record in ranks.items()} == {0: [1.0, 2.0], 1: [3.0, 4.0]}
    main = recording.read(tmp_path)
    assert main.rank == 0 and main.processes == 4 and list(main.ranks) == [0, 1]
    assert main.steps == ranks[0].steps


def test_one_rank_alone_has_nobody_to_be_compared_with(tmp_path: Path) -> None:
    record = read(tmp_path, steps(0, [1.0]))
    assert record.ranks == {} and list(recording.read_ranks(tmp_path)) == [0]


def test_a_rank_that_is_told_later_counts(tmp_path: Path) -> None:
    """Processes that were spawned may learn their rank after their file was opened."""
    write(tmp_path, rank(0, [1.0]), "r0-10.jsonl")
    write(tmp_path, rank(1, [1.0]), "r0-11.jsonl")
    assert list(recording.read_ranks(tmp_path)) == [0, 1]


def test_what_is_not_there_is_absence_only_when_it_would_have_been_written(tmp_path: Path) -> None:
    assert read(tmp_path, steps(0, [1.0])).tells_absence
    write(tmp_path, line("attached", pid=1, torch="2"))
    assert not recording.read(tmp_path).tells_absence


@pytest.mark.parametrize(("value", "expected"), [(1, 1.0), ("inf", INF), (None, None), ("x", None), ([1], None)])
def test_a_number_is_one_or_unknown(value: object, expected: float | None) -> None:
    assert recording.number(value) == expected
