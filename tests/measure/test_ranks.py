"""Ranks side by side: what each did, whether they hold the same parameters, who waits for whom."""

from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from stetho import measure, recording
from stetho.facts import LossCurve, RankAgreement, Ranks, RankSamples, RankWaiting
from stetho.recording import Recording

from .lines import HEAD, NAN, fact, line, steps, summary, told, write


def ranks(folder: Path, *parts: str) -> Recording:
    """A recording of as many ranks as there are parts."""
    for rank, part in enumerate(parts):
        about = line("run", argv=[], cwd="/w", python="3", torch="2", threads=1, rank=rank, world=len(parts))
        write(folder, HEAD + about + part, f"r{rank}-{100 + rank}.jsonl")
    return recording.read(folder)


def test_each_rank_in_a_few_numbers(tmp_path: Path) -> None:
    first = steps(0, [3.0, 2.0], rss=10, dt=[1.0, 0.5], dw=[0.1, 0.2])
    second = steps(0, [4.0, NAN, NAN], rss=20, peak=30) + line("fault", error="x", hook="y", at="z")
    record = ranks(tmp_path, first, second)
    found = fact(Ranks, record)
    one, two = found.ranks
    assert (found.world, one.rank, two.rank) == (2, 0, 1)
    assert (one.steps, one.loss_first, one.loss_last, one.nonfinite_step, one.faults) == (2, 3.0, 2.0, None, 0)
    assert (one.step_seconds, one.wait_seconds, one.memory) == (0.5, pytest.approx(0.15), 10)
    assert (two.steps, two.nonfinite_step, two.wait_seconds, two.memory, two.faults) == (3, 1, None, 30, 1)
    assert "0: 2, 1: 3" in summary(Ranks, record)


def test_the_same_facts_can_be_had_for_every_rank(tmp_path: Path) -> None:
    ranks(tmp_path, steps(0, [3.0]), steps(0, [4.0]))
    read = recording.read_ranks(tmp_path)
    values = {r: next(f for f, _ in measure.facts(one) if isinstance(f, LossCurve)).values for r, one in read.items()}
    assert values == {0: (3.0,), 1: (4.0,)}
    assert not any(isinstance(f, Ranks) for f, _ in measure.facts(read[0]))


def check(step: int, p: str, b: str = "same") -> str:
    return line("check", o=0, i=step, p=p, b=b)


def test_ranks_that_agree(tmp_path: Path) -> None:
    part = steps(0, [1.0]) + check(0, "aa") + check(5, "bb")
    record = ranks(tmp_path, part, part, part)
    agreement = fact(RankAgreement, record)
    assert (agreement.ranks, agreement.steps, agreement.parameters_differ, agreement.buffers_differ) == (
        (0, 1, 2),
        2,
        0,
        0,
    )
    assert (agreement.first_parameters, agreement.first_buffers, agreement.apart) == (None, None, ())


def test_the_first_step_at_which_a_rank_goes_its_own_way(tmp_path: Path) -> None:
    usual = steps(0, [1.0]) + check(0, "aa") + check(5, "bb") + check(10, "cc")
    other = steps(0, [1.0]) + check(0, "aa", "x") + check(5, "dd", "x") + check(10, "ee") + check(15, "only here")
    record = ranks(tmp_path, usual, other, usual)
    agreement = fact(RankAgreement, record)
    assert (agreement.steps, agreement.parameters_differ, agreement.buffers_differ) == (3, 2, 2)
    assert (agreement.first_parameters, agreement.first_buffers, agreement.apart) == (5, 0, (1,))
    assert "first at step 5 (ranks 1)" in summary(RankAgreement, record)


@pytest.mark.parametrize("second", ["", check(3, "aa")])
def test_ranks_without_a_common_step_are_not_compared(tmp_path: Path, second: str) -> None:
    record = ranks(tmp_path, steps(0, [1.0]) + check(0, "aa"), steps(0, [1.0]) + second)
    assert RankAgreement not in told(record)


def began(*times: float | None, took: float = 0.5) -> str:
    spans: list[Any] = [None if t is None else [t, took] for t in times]
    return steps(0, [1.0] * len(times), bt=spans)


@pytest.mark.parametrize(("count", "compared", "waits"), [(30, 1, False), (40, 2, True)])
def test_ranks_with_more_batches_than_others_are_compared_at_the_first_step_alone(
    tmp_path: Path, count: int, compared: int, waits: bool
) -> None:
    def part(steps: int, *sums: str) -> str:
        checked = "".join(check(step, value) for step, value in zip((0, 5), sums, strict=True))
        return began(*(float(i) for i in range(steps))) + checked

    record = ranks(tmp_path, part(40, "aa", "bb"), part(count, "aa", "cc"))
    agreement = fact(RankAgreement, record)
    assert (agreement.steps, agreement.parameters_differ) == (compared, compared - 1)
    assert (RankWaiting in told(record)) is waits


def test_who_begins_last_and_how_long_the_others_wait(tmp_path: Path) -> None:
    random_ = Random(3)
    times = [[100.0 * i + random_.random() + 0.3 * rank for i in range(9)] for rank in range(3)]
    record = ranks(tmp_path, *(began(*row, took=0.1 * rank) for rank, row in enumerate(times)))
    waiting = fact(RankWaiting, record)
    spreads = [max(t) - min(t) for t in zip(*times, strict=True)]
    assert waiting.steps == 9
    assert waiting.spread_median == pytest.approx(median(spreads))
    assert waiting.spread_highest == pytest.approx(max(spreads))
    assert waiting.spread_step == spreads.index(max(spreads))
    for rank, (row, arrival) in enumerate(zip(times, waiting.arrivals, strict=True)):
        waits = [max(t[i] for t in times) - row[i] for i in range(9)]
        assert (arrival.rank, arrival.last) == (rank, sum(w == 0 for w in waits))
        assert arrival.waited_median == pytest.approx(median(waits))
        assert arrival.waited_total == pytest.approx(sum(waits))
        assert arrival.backward_median == pytest.approx(0.1 * rank)


def test_only_steps_of_all_ranks_are_compared(tmp_path: Path) -> None:
    waiting = fact(RankWaiting, ranks(tmp_path, began(1.0, None, 3.0), began(1.5, 2.0)))
    assert (waiting.steps, waiting.spread_highest, waiting.spread_step) == (1, 0.5, 0)


def test_ranks_that_never_meet_come_further_apart(tmp_path: Path) -> None:
    apart = fact(
        RankWaiting, ranks(tmp_path, began(*(i * 1.0 for i in range(20))), began(*(i * 1.1 for i in range(20))))
    )
    assert (apart.spread_early, apart.spread_late) == (pytest.approx(0.2), pytest.approx(1.7))
    assert not apart.meet
    late = fact(RankWaiting, ranks(tmp_path, began(*map(float, range(20))), began(*(i + 0.4 for i in range(20)))))
    assert (late.spread_early, late.spread_late, late.meet) == (pytest.approx(0.4), pytest.approx(0.4), True)


def test_gradients_that_are_brought_together_after_backward(tmp_path: Path) -> None:
    def part(took: float, **more: Any) -> str:
        return began(1.0, 2.0, took=took) + line("own-gradient", o=0, i=0, lost=False, **more)

    waiting = fact(RankWaiting, ranks(tmp_path, part(0.1, wrapped=False), part(0.4, wrapped=False)))
    assert waiting.after_backward and waiting.arrivals[1].last == 2
    assert waiting.spread_median == pytest.approx(0.3)
    within = fact(RankWaiting, ranks(tmp_path, part(0.1, wrapped=True), part(0.4, wrapped=True)))
    assert not within.after_backward and within.spread_median == 0.0


def test_models_of_their_own_are_not_waited_for(tmp_path: Path) -> None:
    one, two = (began(1.0, 2.0) + check(0, text) for text in ("aa", "bb"))
    assert RankWaiting not in told(ranks(tmp_path, one, two))


def test_models_of_other_sizes_are_not_copies_of_one(tmp_path: Path) -> None:
    def part(*sizes: int) -> str:
        batches = "".join(line("batch", step=i, phase="train", h=["a", "b"]) for i in range(2))
        return steps(0, [1.0] * 2) + line("parameters", o=0, names=["w"], sizes=list(sizes)) + batches

    assert fact(RankSamples, ranks(tmp_path, part(4, 2), part(4, 2))).one_model
    assert not fact(RankSamples, ranks(tmp_path, part(4, 2), part(6, 2))).one_model
    one, two = (began(1.0, 2.0) + line("parameters", o=0, names=["w"], sizes=[size]) for size in (4, 6))
    assert RankWaiting not in told(ranks(tmp_path, one, two)), "stages of a pipeline come one after the other"


@pytest.mark.parametrize("second", [steps(0, [1.0]), began(None, 5.0)])
def test_nobody_can_be_waited_for(tmp_path: Path, second: str) -> None:
    assert RankWaiting not in told(ranks(tmp_path, began(1.0, None), second))


def test_one_rank_alone_has_no_facts_about_ranks(tmp_path: Path) -> None:
    kinds = told(ranks(tmp_path, began(1.0) + check(0, "aa")))
    assert not {Ranks, RankAgreement, RankWaiting} & set(kinds)


def test_samples_of_ranks_are_compared_step_by_step(tmp_path: Path) -> None:
    def batches(*prints: str) -> str:
        return steps(0, [1.0] * 3) + "".join(
            line("batch", step=i, phase="train", h=[h, h + "x"]) for i, h in enumerate(prints)
        )

    found = fact(RankSamples, ranks(tmp_path, batches("a", "b", "c"), batches("a", "b", "d")))
    assert (found.ranks, found.steps, found.same, found.different, found.batch) == ((0, 1), 3, 2, 3, 2)


def test_parts_of_one_model_are_not_compared(tmp_path: Path) -> None:
    def part(size: int) -> str:
        return (
            steps(0, [1.0]) + line("parameters", o=0, names=["w"], sizes=[size]) + line("check", o=0, i=0, p="a", b="")
        )

    assert RankAgreement not in {type(f) for f, _ in measure.facts(ranks(tmp_path, part(3), part(4)))}


def test_a_loss_is_a_ranks_own(tmp_path: Path) -> None:
    found = fact(Ranks, ranks(tmp_path, steps(0, [1.0, 1.0], g=[1.0, NAN]), steps(0, [1.0, NAN], g=[1.0, NAN])))
    assert [one.loss_lost for one in found.ranks] == [None, 1]
