"""A recording that is being written, read as it comes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from recorded import SITE, block, line
from stetho.tail import CURRENT, MOST_LEVELS, WIDTH, Series, Tail


def test_a_series_stays_small() -> None:
    series = Series()
    for i in range(WIDTH * MOST_LEVELS * 3):
        series.add(float(i))
    assert len(series.levels) < MOST_LEVELS and series.width > WIDTH
    assert series.levels == sorted(series.levels)


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
