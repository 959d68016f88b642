"""A change is called better or worse only when it is: noise alone hardly ever is, and a clear difference is seen."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from statistics import fmean
from types import SimpleNamespace

import pytest

from stetho import catalogue
from stetho.attempt import wants_more
from stetho.evidence import Place
from stetho.facts import (
    Fact,
    LineLoss,
    LossCurve,
    LossInput,
    LossInputs,
    Printed,
    PrintedNumber,
    RankArrival,
    RankWaiting,
    Recorded,
    RunEnd,
    StepLosses,
    StepTimes,
)
from stetho.inquiry import Facts
from stetho.loading import judge_loading
from stetho.outcome import Judged, judge_outcome
from stetho.paired import Difference, at_equal_steps, difference, doubts_at_equal_steps
from stetho.recording import Event, Recording
from stetho.repeats import judge_over_seeds, noise_decides
from stetho.yardstick import altered, pace

CATALOGUE = catalogue.load()
PAIRS = 60
Noise = Callable[[random.Random, int], list[float]]


def remembering(memory: float, draw: Callable[[random.Random], float] = lambda r: r.gauss(0, 1)) -> Noise:
    """Noise of unit spread of which each step keeps a share."""

    def make(random_: random.Random, steps: int) -> list[float]:
        value, values = 0.0, []
        for _ in range(steps):
            value = memory * value + math.sqrt(1 - memory**2) * draw(random_)
            values.append(value)
        return values

    return make


def heavy(random_: random.Random) -> float:
    """A draw from Student's t with three degrees of freedom, of unit spread."""
    return random_.gauss(0, 1) / math.sqrt(sum(random_.gauss(0, 1) ** 2 for _ in range(3)))


def spiky(random_: random.Random, steps: int) -> list[float]:
    return [v + (abs(random_.gauss(0, 10)) if random_.random() < 0.03 else 0) for v in remembering(0.3)(random_, steps)]


NOISES: dict[str, Noise] = {
    "white": remembering(0.0),
    "remembers": remembering(0.8),
    "remembers long": remembering(0.9),
    "heavy tails": remembering(0.3, heavy),
    "spikes": spiky,
}


def falling(steps: int, drop: float = 0.0) -> list[float]:
    return [3 * math.exp(-1.5 * i / steps) * (1 - drop * min(1.0, 3 * i / steps)) for i in range(steps)]


def settling(steps: int, drop: float = 0.0) -> list[float]:
    return [2 * (1 - drop) * (1 + 0.8 * math.exp(-6 * i / steps)) for i in range(steps)]


def pair(
    random_: random.Random, noise: Noise, steps: int, amount: float, shared: float, drop: float = 0.0
) -> list[tuple[float, float]]:
    """Two curves of one trend; a share of the noise is that of the batches, which both see. Some are shorter."""
    trend = random_.choice([falling, settling])
    common = remembering(0.0)(random_, steps)
    curves = []
    for level in (trend(steps), trend(steps, drop)):
        own = noise(random_, steps)
        mixed = [math.sqrt(1 - shared) * a + math.sqrt(shared) * b for a, b in zip(own, common, strict=True)]
        curves.append([v * (1 + amount * n) for v, n in zip(level, mixed, strict=True)])
    size = steps if random_.random() < 0.7 else max(16, int(steps * random_.uniform(0.5, 1.0)))
    return list(zip(*curves, strict=True))[:size]


def share(seed: str, wanted: Callable[[Difference], bool], **given: float | Noise) -> float:
    random_ = random.Random(seed)
    found = [difference(pair(random_, **given)) for _ in range(PAIRS)]  # type: ignore[arg-type]
    return fmean(d is not None and wanted(d) for d in found)


# --- two curves ----------------------------------------------------------------------------------------------


def test_noise_alone_is_hardly_ever_a_difference() -> None:
    """Over every kind of noise, length and amount: one in a hundred at most, and nowhere many."""
    rates = {
        (name, steps, amount, shared): share(
            f"{name}{steps}{amount}{shared}", lambda d: d.clear, noise=noise, steps=steps, amount=amount, shared=shared
        )
        for name, noise in NOISES.items()
        for steps in (16, 40, 150)
        for amount in (0.03, 0.1, 0.3)
        for shared in (0.0, 0.7)
    }
    assert fmean(rates.values()) <= 0.01
    assert fmean(rate for (_, steps, *_), rate in rates.items() if steps == 150) <= 0.005
    # What remembers for as long as a short curve lasts cannot be told from a trend.
    assert fmean(rate for (_, steps, *_), rate in rates.items() if steps == 16) <= 0.025
    assert max(rate for (name, steps, *_), rate in rates.items() if steps > 16 and name != "remembers long") <= 0.04


@pytest.mark.parametrize(
    ("name", "steps", "amount", "shared", "drop", "least"),
    [
        ("white", 16, 0.03, 0.0, 0.5, 0.75),
        ("white", 40, 0.1, 0.7, 0.3, 0.80),
        ("white", 150, 0.1, 0.0, 0.3, 0.95),
        ("white", 150, 0.3, 0.7, 0.6, 0.90),
        ("remembers", 150, 0.1, 0.7, 0.3, 0.80),
        ("remembers", 150, 0.1, 0.0, 0.6, 0.90),
        ("heavy tails", 150, 0.1, 0.0, 0.3, 0.90),
        ("spikes", 150, 0.1, 0.0, 0.4, 0.90),
    ],
)
def test_a_clear_difference_is_seen(
    name: str, steps: int, amount: float, shared: float, drop: float, least: float
) -> None:
    given = {"noise": NOISES[name], "steps": steps, "amount": amount, "shared": shared, "drop": drop}
    assert share(name, lambda d: d.better, **given) >= least
    assert share(name, lambda d: d.worse, **given) == 0.0


def test_shared_batches_make_a_small_difference_visible() -> None:
    given = {"noise": NOISES["white"], "steps": 150, "amount": 0.3, "drop": 0.3}
    assert (
        share("b", lambda d: d.better, shared=0.95, **given) > share("b", lambda d: d.better, shared=0.0, **given) + 0.3
    )
    assert share("b", lambda d: d.same_batches is True, shared=0.95, **given) > 0.9
    assert share("b", lambda d: d.same_batches is False, shared=0.0, **given) > 0.9


def test_curves_are_compared_at_equal_steps() -> None:
    thinned = LossCurve(tuple(float(i) for i in range(0, 100, 3)), steps=tuple(range(0, 100, 3)))
    whole = LossCurve(tuple(float(i) for i in range(50)))
    assert at_equal_steps(thinned, whole) == [(float(i), float(i)) for i in range(0, 50, 3)]


def test_a_smooth_curve_has_no_noise_to_hide_a_difference() -> None:
    found = difference([(2 * 0.99**i, 2 * 0.97**i) for i in range(60)])
    assert found is not None and found.better and found.same_start


def test_curves_that_bend_smoothly_are_not_noisy() -> None:
    """Full batches: one run converges faster than the other, and both go on bending to the end."""
    fast, slow = ([0.5 / (1 + (i / scale) ** 2) + 0.002 for i in range(40)] for scale in (2, 5))
    found = difference(list(zip(fast, slow, strict=True)))
    assert found is not None and found.worse
    swings = [(1.0, 1 + 0.3 * math.sin(i / 6)) for i in range(60)]
    found = difference(swings)
    assert found is not None and not found.clear


def test_a_curve_that_crosses_zero_has_a_scale() -> None:
    base = [math.exp(-i / 5) - 0.1 for i in range(100)]
    small, large = difference([(v, v - 0.05) for v in base]), difference([(v, v - 0.3) for v in base])
    assert small is not None and not small.clear
    assert large is not None and large.better


# --- outcomes ------------------------------------------------------------------------------------------------


def facts(*given: Fact) -> Facts:
    return {type(f): ("", f) for f in given}


def curve(
    to: float, *, start: float = 2.3, steps: int = 200, noise: float = 0.02, seed: int = 0, **more: object
) -> LossCurve:
    random_ = random.Random(seed)
    values = tuple(
        (to + (start - to) * math.exp(-i / (steps / 8))) * (1 + random_.gauss(0, noise)) for i in range(steps)
    )
    return LossCurve(values, steps=tuple(range(steps)), **more)  # type: ignore[arg-type]


def called(**given: object) -> LossInputs:
    fields = {"function": "cross_entropy", "where": Place("a.py", 1), "looked_at": 40, "normalised": 0, **given}
    return LossInputs((LossInput(**fields),))  # type: ignore[arg-type]


ENDED = RunEnd(0, None, 200, 5.0)
FLAT = facts(curve(2.30, chance=2.303), ENDED)


def judged(base: Facts, changed: Facts, **more: object) -> Judged:
    return judge_outcome(base, changed, CATALOGUE, **more)  # type: ignore[arg-type]


def test_the_plain_outcomes() -> None:
    learned = facts(curve(0.4, chance=2.303), ENDED)
    assert judged(FLAT, learned).outcome == "symptom-gone"
    assert "loss-flat gone" in judged(FLAT, learned).detail
    assert judged(learned, facts(curve(0.2, chance=2.303), ENDED)).outcome == "better"
    assert judged(learned, facts(curve(0.9, chance=2.303), ENDED)).outcome == "worse"
    assert judged(learned, facts(curve(0.4, chance=2.303, seed=1), ENDED)).outcome == "same"
    assert judged(FLAT, facts(curve(2.30, chance=2.303, seed=1), ENDED)).outcome == "same"
    assert judged(FLAT, learned, applied=False).outcome == "not-applied"
    assert judged(learned, learned).detail.endswith("the same to the last digit")


def test_failures_are_outcomes_of_their_own() -> None:
    learned = facts(curve(0.4), ENDED)
    crashed = facts(curve(0.4, steps=3), RunEnd(1, None, 3, 1.0))
    broken = facts(LossCurve((2.0, 1.9, math.nan), nonfinite_step=2, nonfinite_in="loss"), ENDED)
    assert judged(learned, crashed).outcome == "new-failure"
    assert judged(learned, broken).outcome == "new-failure"
    assert judged(learned, facts(curve(0.4), RunEnd(None, None, 9, 1.0, stopped_by="memory"))).outcome == "new-failure"
    assert judged(crashed, learned).outcome == "symptom-gone"
    assert judged(crashed, crashed).outcome == "same"
    assert judged(broken, broken).outcome == "same"
    assert judged(broken, learned).outcome == "symptom-gone"


def test_what_only_explodes_more_slowly_than_the_base_is_no_better() -> None:
    broken = facts(LossCurve((0.7, 1.9, *[math.nan] * 15), chance=0.69, nonfinite_step=2, nonfinite_in="loss"), ENDED)
    huge = [0.7, 1e5, 1e12, *(1e160 * (1 + 0.9 * (-1) ** i) for i in range(60))]
    risen = [0.7, 0.8, *(70 + (i % 3) for i in range(60))]
    slower = [0.7, 0.8, 0.9, 1.0, 1.2, *(70 + (i % 3) for i in range(60))]
    for values, now in ((huge, "loss-"), (risen, "far above its start"), (slower, "loss-diverging")):
        found = judged(broken, facts(LossCurve(tuple(values), chance=0.69), ENDED))
        assert found.outcome == "same"
        assert f", finite, now {now}" in found.detail
    near = judged(broken, facts(curve(0.69, start=0.72, chance=0.69), ENDED))
    assert near.outcome == "better" and near.detail.endswith("finite, now loss-flat")


def test_a_symptom_that_is_not_seen_is_said_where_there_is_no_clear_difference() -> None:
    flat, less = (facts(curve(to, start=0.7, chance=0.693), ENDED) for to in (0.69, 0.63))
    found = judged(flat, less)
    assert found.outcome == "same"
    assert "loss-flat no longer seen, but no clear difference" in found.detail


def test_what_ends_before_the_failure_is_due_says_nothing() -> None:
    values = (*curve(0.4).values[:100], *[math.nan] * 15)
    broken = facts(LossCurve(values, nonfinite_step=100, nonfinite_in="loss"), ENDED)
    assert judged(broken, facts(curve(0.4, steps=60), ENDED)).outcome == "undecided"
    assert judged(broken, facts(curve(0.4, steps=160), ENDED)).outcome == "symptom-gone"
    failing = facts(curve(0.4), RunEnd(1, None, 150, 4.0))
    assert (
        judged(failing, facts(curve(0.4, steps=60), RunEnd(None, None, 60, 2.0, stopped_by="time"))).outcome
        == "undecided"
    )


def test_a_symptom_that_the_base_does_not_show_so_early_is_not_gone() -> None:
    values = (*curve(0.5, steps=200).values, *[9.0 + 0.1 * (i % 2) for i in range(200)])
    late = facts(LossCurve(values, chance=2.303), ENDED)
    short = facts(curve(0.2, steps=150, chance=2.303), ENDED)
    assert judged(late, short, symptom="loss-diverging").outcome == "better"
    assert (
        judged(late, facts(curve(0.2, steps=400, chance=2.303), ENDED), symptom="loss-diverging").outcome
        == "symptom-gone"
    )


def test_noise_is_said_instead_of_a_guess() -> None:
    base, other = (facts(curve(1.0, noise=0.9, steps=40, seed=s), ENDED) for s in (1, 2))
    found = judged(base, other)
    assert found.outcome == "undecided" and "noise decides" in found.detail
    assert noise_decides(found)
    assert judged(base, facts(curve(1.0, steps=3), ENDED)).detail == "too few steps to tell"


# --- when the loss itself is another one ---------------------------------------------------------------------


def test_another_loss_is_compared_by_accuracy() -> None:
    site = {"batch": 64, "classes": 10, "reduction": "mean", "target_shape": (64,)}
    base = facts(curve(1.5), called(accuracy_last=0.55, **site), ENDED)
    better = facts(curve(4.0, start=20.0), called(accuracy_last=0.9, **site | {"reduction": "sum"}), ENDED)
    found = judged(base, better)
    assert (found.outcome, found.measure) == ("better", "accuracy")
    assert "reduction mean became sum" in found.detail
    assert judged(better, base).outcome == "worse"
    alike = facts(curve(4.0, start=20.0), called(accuracy_last=0.56, **site | {"reduction": "sum"}), ENDED)
    assert judged(base, alike).outcome in ("same", "undecided")


def test_other_targets_are_compared_by_what_is_explained() -> None:
    site = {"function": "mse_loss", "batch": 256, "target_shape": (256, 1), "target_low": -3.0}
    base = facts(curve(1.0, explained=0.1), called(target_high=3.0, **site), ENDED)
    better = facts(curve(500.0, start=9000.0, explained=0.95), called(target_high=300.0, **site), ENDED)
    found = judged(base, better)
    assert (found.outcome, found.measure) == ("better", "explained variance")


def test_what_is_explained_counts_by_the_samples_it_rests_on() -> None:
    """A hand-written loss has no call site that could tell them."""
    outcomes = [
        judged(
            facts(curve(1.0, explained=0.56, explained_from=samples), ENDED),
            facts(curve(0.1, explained=0.99, explained_from=samples), ENDED),
            alters="loss",
        ).outcome
        for samples in (None, 8, 128, 640)
    ]
    assert outcomes == ["undecided", "undecided", "better", "better"]


def test_a_reduction_is_only_a_factor() -> None:
    base = facts(curve(0.5), called(function="mse_loss", reduction="mean"), ENDED)
    summed = facts(curve(32.0, start=2.3 * 64, seed=3), called(function="mse_loss", reduction="sum"), ENDED)
    lower = facts(curve(8.0, start=2.3 * 64, seed=3), called(function="mse_loss", reduction="sum"), ENDED)
    assert judged(base, summed).outcome == "same"
    assert judged(base, lower).outcome == "better"
    assert judged(base, lower).measure == "loss over its own start"


def test_without_another_measure_it_is_undecided() -> None:
    base = facts(curve(0.5), called(function="mse_loss"), ENDED)
    other = facts(curve(0.1), called(function="l1_loss"), ENDED)
    found = judged(base, other)
    assert found.outcome == "undecided"
    assert "alters the loss itself: mse_loss became l1_loss" in found.detail
    assert judged(base, facts(curve(0.1), called(function="mse_loss"), ENDED), alters="loss").outcome == "undecided"
    assert not altered(facts(called(function="nll_loss")), facts(called(function="cross_entropy")))


def test_a_loss_that_became_another_one_is_judged_by_how_it_fares() -> None:
    away = tuple(-2.0 - 0.1 * i**2 for i in range(80))
    learned = tuple(2.0 * 0.95**i for i in range(80))
    one: Facts = {LossCurve: ("", LossCurve(away))}
    two: Facts = {LossCurve: ("", LossCurve(learned))}
    told = judge_outcome(one, two, CATALOGUE, alters="loss")
    assert (told.outcome, "falls from" in told.detail) == ("symptom-gone", True)
    assert judge_outcome(one, one, CATALOGUE, alters="loss").outcome == "same"


def test_a_loss_that_became_another_one_is_judged_by_a_printed_score() -> None:
    flat = LossCurve((1.0, 1.01) * 40)

    def run(score: float) -> Facts:
        number = PrintedNumber("val_acc", "score", "validation", (score,) * 12)
        return {LossCurve: ("", flat), Printed: ("", Printed((number,)))}

    assert judge_outcome(run(0.3), run(0.9), CATALOGUE, symptom="none", alters="loss").outcome == "better"
    assert judge_outcome(run(0.9), run(0.3), CATALOGUE, symptom="none", alters="loss").outcome == "worse"


def tasks(kind: float, other: float = 0.9, held: float | None = None) -> Facts:
    """A run with two tasks of classes, and a printed score of the first."""
    sites = [
        LossInput("cross_entropy", Place("train.py", line), 30, 0, target_shape=(64,), accuracy_last=right)
        for line, right in ((4, kind), (5, other))
    ]
    number = PrintedNumber("val_kind_acc", "score", "validation", (held or 0.0,) * 12)
    told: Facts = {} if held is None else {Printed: ("", Printed((number,)))}
    return {LossCurve: ("", LossCurve((1.0, 0.99) * 40)), LossInputs: ("", LossInputs(tuple(sites))), **told}


def test_of_several_tasks_one_has_to_gain_and_none_to_lose() -> None:
    def outcome(base: Facts, changed: Facts) -> str:
        return judge_outcome(base, changed, CATALOGUE, alters="terms").outcome

    assert outcome(tasks(0.3), tasks(0.9)) == "better"
    assert outcome(tasks(0.3), tasks(0.31)) == "same"
    assert outcome(tasks(0.3), tasks(0.9, other=0.4)) == "same"
    assert outcome(tasks(0.3), tasks(0.3, other=0.4)) == "worse"
    # What is learned by heart does not show in held-out scores.
    assert outcome(tasks(0.3, held=0.33), tasks(0.9, held=0.33)) == "same"
    assert outcome(tasks(0.3, held=0.33), tasks(0.9, held=0.8)) == "better"
    bare: Facts = {LossCurve: ("", LossCurve((1.0, 0.99) * 40))}
    assert outcome(bare, bare) == "undecided"


def tagged(apart: float, function: str, score: float | None = None) -> Facts:
    """A run whose targets are yes and no for several labels."""
    site = LossInput(function, None, 30, 0, target_shape=(64, 8), parted_last=apart)
    held = PrintedNumber("val_recall", "score", "validation", (score or 0.0,) * 12)
    told: Facts = {} if score is None else {Printed: ("", Printed((held,)))}
    return {LossCurve: ("", LossCurve((1.0, 0.99) * 40)), LossInputs: ("", LossInputs((site,))), **told}


def test_yes_and_no_of_several_labels_are_compared_by_how_well_they_are_told_apart() -> None:
    base, better = tagged(0.93, "cross_entropy"), tagged(0.995, "binary_cross_entropy_with_logits")
    found = judge_outcome(base, better, CATALOGUE, alters="loss")
    assert (found.outcome, found.measure) == ("better", "share of labels told apart")
    assert judge_outcome(better, base, CATALOGUE, alters="loss").outcome == "worse"
    assert judge_outcome(base, base, CATALOGUE, alters="loss").outcome == "same"


def test_a_score_of_the_program_s_own_comes_before_labels_told_apart() -> None:
    base, better = (tagged(0.93, "cross_entropy", 0.8), tagged(0.995, "binary_cross_entropy_with_logits", 0.8))
    found = judge_outcome(base, better, CATALOGUE, alters="loss")
    assert (found.outcome, found.measure) == ("same", "val_recall")


def test_other_targets_are_judged_by_a_printed_score_that_rises_else_by_the_loss() -> None:
    def run(end: float, score: float) -> Facts:
        number = PrintedNumber("val_acc", "score", "validation", (score,) * 12)
        return {**facts(curve(end), ENDED), Printed: ("", Printed((number,)))}

    def told(before: Facts, after: Facts) -> str:
        return judge_outcome(before, after, CATALOGUE, symptom="none", alters="targets").outcome

    assert told(run(0.3, 0.0), run(0.6, 0.6)) == "better"
    # A score may ask for the same wrong targets as the loss did.
    assert told(run(0.6, 0.6), run(0.3, 0.2)) == "better"
    assert told(run(0.3, 0.5), run(0.6, 0.5)) == "worse"


def test_answers_are_counted_where_no_result_is_printed() -> None:
    def run(right: float) -> Facts:
        site = LossInput("nll_loss", None, 9, 0, accuracy_last=right, target_shape=(64,))
        return {LossCurve: ("", LossCurve((1.0, 0.99) * 40)), LossInputs: ("", LossInputs((site,)))}

    for symptom in ("metric-stuck", "overfitting"):
        told = judge_outcome(run(0.5), run(0.95), CATALOGUE, symptom=symptom, alters="loss")
        assert (told.outcome in ("better", "symptom-gone"), told.measure) == (True, "accuracy"), symptom
    assert judge_outcome(run(0.5), run(0.95), CATALOGUE, symptom="too-good", alters="loss").outcome == "undecided"


def test_a_loss_and_an_accuracy_that_disagree_decide_nothing() -> None:
    site = {"batch": 64, "classes": 10, "target_shape": (64,)}
    base = facts(curve(1.0), called(accuracy_last=0.9, **site), ENDED)
    weighted = facts(curve(0.1, start=0.3), called(accuracy_last=0.2, **site), ENDED)
    assert judged(base, weighted).outcome == "undecided"


def test_a_batch_that_is_harder_than_the_rest_is_not_worse_while_it_falls() -> None:
    base = facts(curve(0.284, start=0.36), ENDED)
    for to, start, outcome, words in (
        (0.331, 0.342, "same", "hardly falls from its own start"),
        (0.331, 0.6, "same", ", falls from its own start"),
        (0.5, 0.342, "worse", "clearly higher"),
        (0.1, 0.342, "better", "clearly lower"),
    ):
        found = judged(base, facts(curve(to, start=start, noise=0.005), ENDED), alters="level")
        assert (found.outcome, words in found.detail) == (outcome, True), found.detail
    hard = judged(base, facts(curve(0.331, start=0.342, noise=0.005), ENDED), alters="level")
    assert not noise_decides(hard)
    assert judge_over_seeds([hard, hard]).outcome == "same"
    assert judged(base, facts(curve(0.331, start=0.342, noise=0.005), ENDED)).outcome == "worse"


# --- when a loss is the mean of another number of samples -----------------------------------------------------


def squares(random_: random.Random, samples: int, steps: int, level: float = 1.0, **more: object) -> Facts:
    """Squared errors of noise: the loss of a model that has learned nothing, or of one with a lower level."""
    values = tuple(level * random_.gammavariate(samples / 2, 2 / samples) for _ in range(steps))
    return facts(LossCurve(values, steps=tuple(range(steps)), **more), ENDED)  # type: ignore[arg-type]


@pytest.mark.parametrize(("one", "two"), [(32, 1), (1, 32)])
def test_a_batch_of_another_size_is_no_better_and_no_worse_by_its_skewness(one: int, two: int) -> None:
    """The median of single losses would fall from 0.98 to 0.45 with nothing learned."""
    random_ = random.Random(0)
    outcomes = Counter(
        judged(
            squares(random_, one, steps, chance=chance), squares(random_, two, steps, chance=chance), alters="spread"
        ).outcome
        for steps in (40, 100, 200, 1000, 3000)
        for chance in (1.0, None)
        for _ in range(60)
    )
    assert outcomes["better"] + outcomes["worse"] + outcomes["symptom-gone"] <= 0.02 * outcomes.total(), outcomes


def test_what_is_learned_with_small_batches_is_still_seen() -> None:
    random_ = random.Random(0)
    for steps, least in ((1000, 12), (3000, 19)):
        outcomes = Counter(
            judged(
                squares(random_, 32, steps, chance=1.0), squares(random_, 2, steps, 0.4, chance=1.0), alters="spread"
            ).outcome
            for _ in range(20)
        )
        assert outcomes["symptom-gone"] >= least, outcomes
        assert outcomes["worse"] == 0


def test_batches_of_another_size_are_seen_without_a_declaration() -> None:
    random_ = random.Random(0)
    sizes = [
        {**squares(random_, size, 3000, chance=1.0), **facts(called(function="mse_loss", batch=size))}
        for size in (32, 1)
    ]
    found = judged(*sizes)
    assert found.outcome == "same" and found.after == pytest.approx(1.0, abs=0.2)
    summed = [{**one, **facts(called(function="mse_loss", batch=size, reduction="sum"))} for one, size in
              zip(sizes, (32, 1), strict=True)]  # fmt: skip
    assert judged(*summed).measure == "loss over its own start"


@pytest.mark.parametrize(("change", "more"), [("batch-size", True), ("one-batch", False)])
def test_batches_of_another_size_are_never_decided_on_one_seed(change: str, more: bool) -> None:
    idea = SimpleNamespace(intervention=CATALOGUE.interventions[change])
    for outcome in ("symptom-gone", "better"):
        changed = SimpleNamespace(judged=seen(0.9, 0.02, outcome), moved=None)
        assert wants_more(changed, idea) is more  # type: ignore[arg-type]
    for outcome in ("not-applied", "new-failure"):
        changed = SimpleNamespace(judged=Judged(outcome, ""), moved=None)  # type: ignore[arg-type]
        assert not wants_more(changed, idea)  # type: ignore[arg-type]


# --- speed ---------------------------------------------------------------------------------------------------


def timed(seconds: float, *, noise: float = 0.1, steps: int = 120, seed: int = 0) -> Facts:
    random_ = random.Random(seed)
    times = tuple(seconds * (1 + abs(random_.gauss(0, noise))) for _ in range(steps))
    step_times = StepTimes(
        1.0, seconds, max(times), 0, sum(times) + 1.0, steps=tuple(range(steps + 1)), seconds=(1.0, *times)
    )
    return facts(curve(0.5, steps=steps), step_times, Recorded(steps + 1, steps + 1, False, False, 0), ENDED)


def test_few_steps_that_agree_to_the_last_digit_are_the_same() -> None:
    base = facts(LossCurve((2.0, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4)), ENDED)
    short = judged(base, facts(LossCurve((2.0, 1.9, 1.8)), ENDED))
    assert short.outcome == "same"
    assert "to the last digit" in short.detail
    for values in ((2.0,), (2.0, 1.9, 1.8001), (2.0, math.nan)):
        assert judged(base, facts(LossCurve(values), ENDED)).outcome != "same"


def drained(rate: float, batches: int = 200, **more: float) -> Recording:
    return Recording(events=(Event("drained", {"batches": batches, "rate": rate, **more}),))


def test_a_loader_alone_is_judged_by_what_the_run_takes() -> None:
    base = timed(0.025)
    assert judge_loading(base, Recording()) is None
    outcomes = {rate: judge_loading(base, drained(rate)) for rate in (830.0, 60.0, 41.0)}
    assert [one.outcome for one in outcomes.values() if one is not None] == ["same", "same", "worse"]
    assert "loading is not what it waits for" in str(outcomes[830.0])
    assert "it waits for its data" in str(outcomes[41.0])
    for found in (judge_loading(base, drained(830.0, 5)), judge_loading(facts(ENDED), drained(830.0))):
        assert found is not None and found.outcome == "undecided"
    several = judge_loading(base, drained(150.0, each=4))
    assert several is not None and several.outcome == "worse"


def test_a_change_about_time_is_judged_by_steps_per_second() -> None:
    slow, fast = timed(0.024), timed(0.01, seed=1)
    found = judged(slow, fast, alters="time")
    assert found.outcome == "better" and found.measure == "pace"
    assert "steps/s" in found.detail
    assert judged(fast, slow, alters="time").outcome == "worse"
    assert judged(slow, timed(0.0245, seed=2), alters="time").outcome == "same"
    assert judged(slow, timed(0.024, steps=8), alters="time").outcome == "undecided"
    speed = pace(fast)
    assert speed is not None and speed[0] == pytest.approx(1 / (0.01 * 1.08), rel=0.03)


def test_time_that_is_taken_on_purpose_is_judged_by_whether_steps_get_slower() -> None:
    base = timed(0.024)
    assert judged(base, timed(0.0245, seed=2), alters="slack").outcome == "same"
    assert judged(base, timed(0.032, seed=2), alters="slack").outcome == "worse"
    # Ranks that share cores with the one that they wait for leave them to it while they sleep.
    faster = judged(base, timed(0.018, seed=2), alters="slack")
    assert faster.outcome == "same" and "were due if it counted" in faster.detail
    # A tenth slower is neither the whole of what was taken nor nothing.
    assert judged(base, timed(0.0268, seed=2), alters="slack").outcome == "undecided"
    assert judged(base, timed(0.024, steps=8), alters="slack").outcome == "undecided"
    # Where it is known what the others waited, a slowing is held against what was taken.
    arrivals = (RankArrival(0, 0, 0.02, 4.0), RankArrival(1, 200, 0.0, 0.0))
    waits = {**base, RankWaiting: ("E9", RankWaiting(200, 0.02, 0.03, 3, arrivals))}
    assert [judged(waits, timed(step, seed=2), alters="slack").outcome for step in (0.0268, 0.0295, 0.038)] == [
        "same", "undecided", "worse",
    ]  # fmt: skip


def test_jitter_alone_is_no_change_of_pace() -> None:
    outcomes = [
        judged(timed(0.01, noise=0.8, seed=2 * s), timed(0.01, noise=0.8, seed=2 * s + 1), alters="time").outcome
        for s in range(60)
    ]
    assert sum(o in ("better", "worse") for o in outcomes) <= 1


# --- over seeds ----------------------------------------------------------------------------------------------


def seen(gain: float, error: float = 0.05, outcome: str = "better") -> Judged:
    found = Difference(1.0, 1.0 - gain, gain, error, 0.1, 200, None)
    return Judged(outcome, "final loss", 1.0, 1.0 - gain, difference=found)  # type: ignore[arg-type]


def test_few_seeds_must_agree_and_each_exceed_its_noise() -> None:
    assert judge_over_seeds([seen(0.3), seen(0.25)]).outcome == "better"
    assert judge_over_seeds([seen(-0.3), seen(-0.25), seen(-0.2)]).outcome == "worse"
    assert judge_over_seeds([seen(0.3), seen(-0.1), seen(0.2)]).outcome == "undecided"
    assert judge_over_seeds([seen(0.3), seen(0.25, error=0.2)]).outcome == "undecided"
    assert judge_over_seeds([seen(0.02, 0.01), seen(-0.01, 0.01), seen(0.01, 0.01)]).outcome == "same"


def test_from_four_seeds_on_the_mean_must_stand_out() -> None:
    assert judge_over_seeds([seen(g) for g in (0.3, 0.25, 0.4, 0.2)]).outcome == "better"
    assert judge_over_seeds([seen(g) for g in (0.5, -0.2, 0.4, 0.1)]).outcome == "undecided"
    assert "4 seeds" in judge_over_seeds([seen(g) for g in (0.3, 0.25, 0.4, 0.2)]).detail


def test_chance_over_seeds_is_hardly_ever_a_difference() -> None:
    random_ = random.Random(0)
    for count in (2, 3, 4, 6):
        outcomes = [
            judge_over_seeds([seen(random_.gauss(0, 0.15), 0.1) for _ in range(count)]).outcome for _ in range(400)
        ]
        assert sum(o in ("better", "worse") for o in outcomes) <= 8, count


def test_failures_over_seeds() -> None:
    fails, gone = Judged("new-failure", "it fails"), Judged("symptom-gone", "gone")
    assert judge_over_seeds([fails, fails]).outcome == "new-failure"
    assert judge_over_seeds([fails, gone, gone]).outcome == "undecided"
    assert judge_over_seeds([gone, gone]).outcome == "symptom-gone"
    assert judge_over_seeds([gone, Judged("not-applied", "")]).outcome == "symptom-gone"


def test_noise_decides_between_one_and_three_standard_errors_and_when_the_stream_moved() -> None:
    assert noise_decides(seen(0.2, 0.1, "same"))
    assert not noise_decides(seen(0.9, 0.02))
    assert not noise_decides(seen(0.01, 0.02, "same"))
    assert not noise_decides(Judged("new-failure", "it fails"))
    moved = Difference(1.0, 0.8, 0.2, 0.02, 0.1, 200, 0.01)
    assert noise_decides(Judged("better", "", difference=moved))


def started(rise: float, seed: int, steps: int = 200) -> Facts:
    """A loss at its level, raised at first by so much, which is over after some fifty steps."""
    shared, own = random.Random(3), random.Random(seed)
    values = [0.5 + shared.gauss(0, 0.05) for _ in range(steps)]
    values = [v + (rise * 0.96**i + own.gauss(0, 0.01) if i else 0.0) for i, v in enumerate(values)]
    return facts(LossCurve(tuple(values)), ENDED)


def test_a_start_is_judged_by_its_first_steps_from_which_a_run_recovers() -> None:
    risen, calm = started(0.5, 1), started(0.0, 2)
    found = judged(risen, calm, alters="start", symptom="none")
    assert found.outcome == "better" and "first loss" in found.detail
    assert judged(risen, calm, symptom="none").outcome == "same"
    assert judged(calm, risen, alters="start", symptom="none").outcome == "worse"


def test_noise_is_no_better_start() -> None:
    outcomes = Counter(
        judged(started(0.0, 2 * k), started(0.0, 2 * k + 1), alters="start", symptom="none").outcome for k in range(60)
    )
    assert outcomes["better"] + outcomes["worse"] == 0


def test_a_start_of_a_few_steps_says_nothing() -> None:
    few = started(0.5, 1, steps=12), started(0.0, 2, steps=12)
    assert judged(*few, alters="start", symptom="none").outcome == "undecided"


def scored(*values: float, name: str = "val_acc", split: str = "validation") -> Facts:
    return facts(curve(0.4), Printed((PrintedNumber(name, "score", split, values),)), ENDED)


def test_a_score_of_right_answers_is_perfect_or_it_is_not_made_of_them() -> None:
    base = scored(0.2, 0.21, 0.2)
    assert judged(base, scored(0.2, 1.0, 1.0), alters="answers").outcome == "better"
    wrong = judged(base, scored(0.2, 0.2, 0.22), alters="answers")
    assert wrong.outcome == "same" and "where 1 is perfect" in wrong.detail
    assert judged(scored(60.0, 70.0), scored(60.0, 100.0), alters="answers").outcome == "better"


def test_no_score_but_a_held_out_accuracy_is_asked_to_be_perfect() -> None:
    for other in ({"split": ""}, {"split": "train"}, {"name": "val_f1"}):
        assert judged(scored(0.2, 0.2, **other), scored(0.2, 0.2, **other), alters="answers").outcome == "undecided"
    assert judged(scored(0.2), scored(0.2), alters="answers").outcome == "undecided"


def test_means_over_many_backwards_know_how_far_they_are_off() -> None:
    steps = tuple(range(10))
    slow = LossCurve(values=tuple(2.3 - 0.04 * i for i in steps), steps=steps, doubts=(0.02,) * 10)
    quick = LossCurve(values=tuple(2.2 * 0.7**i for i in steps), steps=steps, doubts=(0.02,) * 10)
    doubts = doubts_at_equal_steps(slow, quick)
    assert doubts == pytest.approx([0.02 * math.sqrt(2)] * 10)
    found = difference(at_equal_steps(slow, quick), doubts)
    assert found is not None and found.better
    assert doubts_at_equal_steps(slow, LossCurve(values=quick.values, steps=steps)) == []


def test_wide_scatter_within_steps_keeps_a_short_gap_from_being_clear() -> None:
    pairs = [(2.0 - 0.01 * i, 1.7 - 0.01 * i) for i in range(10)]
    sure, unsure = difference(pairs, [0.01] * 10), difference(pairs, [0.4] * 10)
    assert sure is not None and sure.better
    assert unsure is not None and not unsure.clear


def test_noise_of_means_is_hardly_ever_called_a_difference() -> None:
    chance = random.Random(3)
    called = 0
    for _ in range(500):
        pairs = [(1 + chance.gauss(0, 0.1), 1 + chance.gauss(0, 0.1)) for _ in range(10)]
        found = difference(pairs, [0.1 * math.sqrt(2)] * 10)
        called += found is not None and found.clear
    assert called <= 2


# --- several losses of a step --------------------------------------------------------------------------------------


def two_losses(busiest: float, other: float) -> Facts:
    """A run with two losses for each step that end at these levels; the first is the one that is mostly compared."""
    steps = tuple(range(100))
    curves = [
        tuple(end + (2.0 - end) * math.exp(-i / 20) + 0.01 * (-1) ** i for i in steps) for end in (busiest, other)
    ]
    lines = tuple(LineLoss(Place("train.py", 4 + k), steps, curve) for k, curve in enumerate(curves))
    return {LossCurve: ("E1", LossCurve(curves[0], steps)), StepLosses: ("E2", StepLosses(lines))}


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ((0.5, 1.9), (0.5, 0.3), "better"),
        ((0.5, 1.9), (0.55, 0.3), "better"),
        ((1.9, 0.5), (0.3, 0.5), "better"),
        ((0.5, 1.9), (1.5, 0.3), "undecided"),
        ((1.9, 0.5), (0.3, 1.5), "undecided"),
        ((0.5, 0.5), (0.5, 1.5), "same"),
        ((0.5, 1.9), (0.5, 1.9), "same"),
    ],
)
def test_of_several_losses_the_one_that_comes_to_be_learned_tells(
    before: tuple[float, float], after: tuple[float, float], outcome: str
) -> None:
    found = judged(two_losses(*before), two_losses(*after), symptom="none", alters="objectives")
    assert found.outcome == outcome, found.detail
