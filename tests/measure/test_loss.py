"""The first losses beside chance, and the values that the loss is made of."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import median

import pytest

from stetho.evidence import Place
from stetho.facts import FirstLoss, LossCurve, LossTerms, StepLosses

from .lines import INF, MAKE, NAN, TRAIN, call, fact, line, read, steps, summary, told


def test_the_first_losses_stand_beside_chance_and_equal_chances(tmp_path: Path) -> None:
    record = read(tmp_path, steps(0, [2.0, 1.5, 1.2, 1.1, 1.0, 0.9]), call(hist=[3, 1, 0], k=3))
    first = fact(FirstLoss, record)
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert first.values == (2.0, 1.5, 1.2, 1.1, 1.0)
    assert first.chance == pytest.approx(entropy) and first.chance_is == "entropy of the labels over 2 classes"
    assert first.uniform == pytest.approx(math.log(3)) and first.classes == 3
    assert first.where == TRAIN
    assert "1.099" in summary(FirstLoss, record)


@pytest.mark.parametrize(
    ("calls", "chance", "uniform"),
    [
        ([call("binary_cross_entropy_with_logits", mean=0.5, sq=0.5, m=8)], math.log(2), math.log(2)),
        ([call("mse_loss", mean=1.0, sq=5.0, m=8)], 4.0, None),
        ([call("nll_loss", hist=[1, 1])], math.log(2), math.log(2)),
        # Nineteen times the weight makes one positive in twenty as heavy as the others: by lot, both alike.
        (
            [call("binary_cross_entropy_with_logits", mean=0.05, sq=0.05, m=20, pw=19.0)],
            1.9 * math.log(2),
            1.9 * math.log(2),
        ),
        ([call(hist=[9, 1], k=2, cw=[1.0, 9.0])], math.log(2), math.log(2)),
        ([call(hist=[4, 0], k=2, ls=0.2)], -(0.9 * math.log(0.9) + 0.1 * math.log(0.1)), math.log(2)),
    ],
)
def test_chance_of_each_kind_of_loss(tmp_path: Path, calls: list[str], chance: float, uniform: float | None) -> None:
    first = fact(FirstLoss, read(tmp_path, steps(0, [1.0]), *calls))
    assert first.chance == pytest.approx(chance)
    assert first.uniform == (None if uniform is None else pytest.approx(uniform))


def test_without_chance_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    assert FirstLoss not in told(read(tmp_path, steps(0, [1.0]), call("l1_loss")))
    assert FirstLoss not in told(read(tmp_path, steps(0, [1.0])))
    weighed = call("binary_cross_entropy", mean=0.5, sq=0.5, m=8, sw=True)
    assert FirstLoss not in told(read(tmp_path, steps(0, [1.0]), weighed))


def test_losses_after_a_beginning_that_is_missing_are_not_first_ones(tmp_path: Path) -> None:
    assert FirstLoss not in told(read(tmp_path, steps(40, [1.0, 0.9]), call(hist=[1, 1], k=2)))


def test_chance_follows_what_backward_is_called_on(tmp_path: Path) -> None:
    """A loss divided by four before backward, with the loss itself among the step's terms."""
    losses = [0.25, 0.2, 0.15, 0.1]
    terms = [[[1, 4 * v]] for v in losses]
    record = read(tmp_path, steps(0, losses, terms=terms), call(site=1, hist=[1, 1], k=2))
    assert fact(LossCurve, record).chance == pytest.approx(math.log(2) / 4)
    assert fact(FirstLoss, record).uniform == pytest.approx(math.log(2) / 4)


def test_a_small_penalty_beside_the_loss_leaves_chance_as_it_is(tmp_path: Path) -> None:
    losses = [1.0, 0.9, 0.8, 0.7]
    terms = [[[1, v - 0.01]] for v in losses]
    record = read(tmp_path, steps(0, losses, terms=terms), call(site=1, hist=[1, 1], k=2))
    assert fact(LossCurve, record).chance == pytest.approx(math.log(2))


def test_chance_is_unknown_when_other_terms_come_and_go(tmp_path: Path) -> None:
    losses = [1.0, 5.0, 0.8, 7.0]
    record = read(tmp_path, steps(0, losses, terms=[[[1, 0.5]]]), call(site=1, hist=[1, 1], k=2))
    assert fact(LossCurve, record).chance is None


def test_micro_batches_are_compared_as_they_come(tmp_path: Path) -> None:
    block = line(
        "steps", o=0, i=0, n=2, loss=[[[0, 0.5], [0, 0.25]], [[0, 0.4], [0, 0.2]]],
        terms=[[[1, 1.0], [1, 0.5]], [[1, 0.8], [1, 0.4]]], lr=[[0.1]], g=[1.0, 1.0],
    )  # fmt: skip
    record = read(tmp_path, block, call(site=1, hist=[1, 1], k=2))
    assert fact(LossCurve, record).chance == pytest.approx(math.log(2) / 2)


# --- terms ---------------------------------------------------------------------------------------------------


def test_the_summands_are_those_of_the_sampled_graphs(tmp_path: Path) -> None:
    pieces = [(1.0, 0.1), (0.9, 0.2), (0.8, 0.3)]
    walked = [
        line("terms", step=i, total=a + b, parts=[["cross_entropy", 0, a], ["mul", 1, b]])
        for i, (a, b) in enumerate(pieces)
    ]
    terms = fact(LossTerms, read(tmp_path, steps(0, [1.1, 1.1, 1.1]), *walked))
    big, small = terms.parts
    assert (big.name, big.where, big.steps) == ("cross_entropy", TRAIN, 3)
    assert (big.first, big.last) == (median([1.0, 0.9, 0.8]),) * 2
    assert big.share == pytest.approx(median(a / (a + b) for a, b in pieces))
    assert (small.name, small.where) == ("mul", MAKE)
    assert terms.looked_at == 3 and terms.calls == ()


def test_terms_of_one_name_and_line_are_added(tmp_path: Path) -> None:
    """A penalty that a loop adds up, one layer after the other."""
    walked = line("terms", step=0, total=6.0, parts=[["pow", 0, 1.0], ["pow", 0, 2.0], ["mse_loss", 1, -3.0]])
    first, second = fact(LossTerms, read(tmp_path, steps(0, [6.0]), walked)).parts
    assert (first.first, second.first) == (3.0, -3.0)
    assert first.share == second.share == 0.5


def test_loss_calls_of_every_step_have_the_names_of_their_functions(tmp_path: Path) -> None:
    terms = [[[0, 2.0], [1, 1.0]], [[0, 1.0], [1, NAN]], [[0, 0.5], [9, 0.5]]]
    record = read(
        tmp_path, steps(0, [3.0, NAN, 1.0], terms=terms), call("mse_loss", site=0), call("kl_div", site=1),
        call("log_softmax", site=1),
    )  # fmt: skip
    calls = {t.name: t for t in fact(LossTerms, record).calls}
    assert set(calls) == {"mse_loss", "kl_div", "loss"}
    assert (calls["mse_loss"].steps, calls["mse_loss"].first) == (3, 1.0)
    assert (calls["kl_div"].steps, calls["kl_div"].nonfinite, calls["kl_div"].last) == (2, 1, 1.0)
    assert calls["loss"].where is None


def test_a_term_that_is_never_finite_has_no_level(tmp_path: Path) -> None:
    walked = line("terms", step=0, total=NAN, parts=[["log", 0, INF], ["mul", 1, 1.0]])
    parts = {t.name: t for t in fact(LossTerms, read(tmp_path, steps(0, [NAN]), walked)).parts}
    assert math.isnan(parts["log"].first) and parts["log"].share is None
    assert parts["mul"].first == 1.0


def test_one_loss_has_no_terms(tmp_path: Path) -> None:
    assert LossTerms not in told(read(tmp_path, steps(0, [1.0]), call()))


def test_a_place_is_the_innermost_line(tmp_path: Path) -> None:
    assert fact(LossCurve, read(tmp_path, steps(0, [1.0]))).where == Place("/w/train.py", 9, key="main")


def test_each_line_that_calls_backward_for_a_step_has_its_own_losses(tmp_path: Path) -> None:
    losses = [[[0, 1.0 - 0.1 * i], [1, 5.0]] for i in range(6)]
    record = read(tmp_path, steps(0, [0.0] * 6, loss=losses))
    first, second = fact(StepLosses, record).lines
    assert (first.where, second.where) == (TRAIN, MAKE)
    assert first.steps == tuple(range(6)) and first.values == pytest.approx([1.0, 0.9, 0.8, 0.7, 0.6, 0.5])
    assert second.values == (5.0,) * 6
    assert "2 lines call backward for each step" in summary(StepLosses, record)


def test_lines_that_take_turns_are_not_losses_of_one_step(tmp_path: Path) -> None:
    turns = [[[i % 2, 1.0]] for i in range(6)]
    assert StepLosses not in told(read(tmp_path, steps(0, [0.0] * 6, loss=turns)))
    assert StepLosses not in told(read(tmp_path, steps(0, [1.0] * 6)))
