"""A recording is read whatever state it was left in, and every fact is what a slow, obvious computation gives."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections import Counter
from pathlib import Path
from random import Random
from statistics import fmean, median, pstdev, pvariance
from typing import Any, TypeVar

import pytest

from stetho import measure, recording
from stetho.evidence import Place
from stetho.facts import (
    Association,
    Coverage,
    Fact,
    GradientNorms,
    GradientReset,
    InputScale,
    LearningRate,
    LossCurve,
    LossInputs,
    NonfiniteOrigin,
    UpdateRatios,
)
from stetho.recording import Event, Recording, Step

NAN, INF = math.nan, math.inf
F = TypeVar("F", bound=Fact)


def plain(value: Any) -> Any:
    """JSON has no word for what is not finite; the observer writes a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def line(kind: str, **fields: Any) -> str:
    return json.dumps({"e": kind, **plain(fields)}, separators=(",", ":")) + "\n"


def step(index: int, *losses: float, optimizer: int = 0, site: int = 0, rate: float = 0.1, **more: Any) -> str:
    body = {"o": optimizer, "i": index, "loss": [[site, v] for v in losses], "lr": [rate], "g": 1.0, "kept": False}
    return line("step", **{**body, **more})


ATTACHED = line("attached", pid=1, torch="2")
SITES = line("site", id=0, frames=[["/w/train.py", 9, "main"], ["/w/run.py", 2, "<module>"]]) + line(
    "site", id=1, frames=[["/w/train.py", 5, "main"]]
)
SGD = line("optimizer", o=0, name="SGD", site=1, lr=[0.1])


def write(folder: Path, text: str, name: str = "r0-1.jsonl") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, *parts: str) -> Recording:
    return recording.read(write(folder, ATTACHED + SITES + SGD + "".join(parts)))


def fact(kind: type[F], record: Recording) -> F:
    found = [f for f, _ in measure.facts(record) if isinstance(f, kind)]
    assert len(found) == 1
    return found[0]


def kinds(record: Recording) -> set[type[Fact]]:
    return {type(f) for f, _ in measure.facts(record)}


# --- reading -------------------------------------------------------------------------------------------------


def test_a_recording_is_read_whole(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        step(0, 2.0, 3.0, rate=0.1, g="inf", at=1, clip=[5.0, 1.0], u=0.25),
        step(1, NAN, kept=True, lr=[None, 0.2], g=None),
        line("backward", site=0),
        line("applied", count=5),
    )
    first, second = record.steps
    assert (first.optimizer, first.index, first.losses) == (0, 0, ((0, 2.0), (0, 3.0)))
    assert (first.rates, first.gradient, first.kept, first.change) == ((0.1,), INF, False, 0.25)
    assert (first.clip, first.at) == ((5.0, 1.0), 1)
    assert math.isnan(second.losses[0][1])
    assert (second.rates, second.gradient, second.kept, second.change) == ((None, 0.2), None, True, None)
    assert (second.clip, second.at) == (None, None)
    assert record.attached and record.applied.count == 5 and record.processes == 1
    assert record.backwards == 3
    assert record.places(0) == (Place("/w/train.py", 9, key="main"), Place("/w/run.py", 2, key="<module>"))
    assert record.place(1) == Place("/w/train.py", 5, key="main")
    assert record.place(7) is None and record.place(None) is None


def test_a_folder_without_a_recording_was_never_attached(tmp_path: Path) -> None:
    assert recording.read(tmp_path) == Recording()
    assert list(measure.facts(recording.read(tmp_path))) == []


WHOLE = ATTACHED + SITES + SGD + "".join(step(i, 2.0 - i / 10, u=0.001) for i in range(5))


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_last_line_cut_short_is_passed_over(tmp_path: Path, cut: int) -> None:
    record = recording.read(write(tmp_path, WHOLE[:-cut]))
    # Without its newline alone, the last line is whole.
    assert [s.index for s in record.steps] == [0, 1, 2, 3] + ([4] if cut == 1 else [])
    assert record.attached
    assert len(fact(LossCurve, record).values) == len(record.steps)


@pytest.mark.parametrize(
    "tail", [b'{"e":"st', b"\xff\xfe{", b"\x00" * 64, b'{"e":"step","o":0,"i":5,"loss":[[0,"n\xc3']
)
def test_any_bytes_at_the_end_leave_the_rest_readable(tmp_path: Path, tail: bytes) -> None:
    (tmp_path / "r0-1.jsonl").write_bytes(WHOLE.encode() + tail)
    assert len(recording.read(tmp_path).steps) == 5


def test_the_process_that_trained_is_the_one_with_the_most_steps(tmp_path: Path) -> None:
    """A loader's worker imports torch, too, and a launcher's child trains."""
    write(tmp_path, ATTACHED + line("input") * 50, "r0-1.jsonl")
    write(tmp_path, WHOLE, "r0-2.jsonl")
    write(tmp_path, ATTACHED + SITES + SGD + step(0, 9.0), "r0-3.jsonl")
    record = recording.read(tmp_path)
    assert [s.losses[0][1] for s in record.steps] == [2.0, 1.9, 1.8, 1.7, 1.6]
    assert record.processes == 3


def test_of_ranks_that_did_the_same_the_lowest_counts(tmp_path: Path) -> None:
    for rank in (10, 2, 0, 1):
        write(tmp_path, ATTACHED + SITES + SGD + step(0, float(rank)), f"r{rank}-{100 - rank}.jsonl")
    assert recording.read(tmp_path).steps[0].losses == ((0, 0.0),)


def test_of_ranks_with_as_many_steps_the_lowest_counts(tmp_path: Path) -> None:
    write(tmp_path, ATTACHED + SITES + SGD + step(0, 0.0), "r0-1.jsonl")
    write(tmp_path, ATTACHED + SITES + SGD + step(0, 1.0) + line("graph", leaves=3), "r1-2.jsonl")
    assert recording.read(tmp_path).steps[0].losses == ((0, 0.0),)


def test_attached_anywhere_is_attached(tmp_path: Path) -> None:
    write(tmp_path, line("backward", site=0), "r0-1.jsonl")
    assert not recording.read(tmp_path).attached
    write(tmp_path, ATTACHED, "r0-2.jsonl")
    assert recording.read(tmp_path).attached


def test_faults_of_the_observer_are_told(tmp_path: Path) -> None:
    record = read(tmp_path, line("fault", error="ValueError('x')", hook="after_step", at="watch.py:3"))
    assert record.faults == ("ValueError('x') in after_step (watch.py:3)",)


def test_paths_are_those_the_user_knows(tmp_path: Path) -> None:
    body = {k: v for k, v in COVERED.items() if k not in ("extra", "made")}
    write(tmp_path, ATTACHED + SITES + line("coverage", **body))
    record = recording.read(tmp_path, lambda path: path.removeprefix("/w/"))
    assert record.place(0) == Place("train.py", 9, key="main")
    [coverage] = record.of("coverage")
    assert coverage["unregistered"] == [["net.py", 3, "layers"]]
    assert coverage["covering"] == [["train.py", 5, "net"]]
    assert coverage["extra"] == coverage["made"] == []


# --- the loss curve ------------------------------------------------------------------------------------------


def test_the_curve_is_that_of_the_busiest_optimizer(tmp_path: Path) -> None:
    made = line("optimizer", o=1, name="Adam", site=0, lr=[0.5])
    steps = [step(i, 5.0, optimizer=0) for i in range(3)]
    steps += [step(i, float(i), optimizer=1, site=1, rate=0.5, at=1) for i in range(4)]
    record = read(tmp_path, made, *steps)
    assert {s.optimizer for s in measure.main_steps(record)} == {1}
    curve = fact(LossCurve, record)
    assert curve.values == (0.0, 1.0, 2.0, 3.0)
    assert curve.where == Place("/w/train.py", 5, key="main")
    assert curve.objectives == 2
    rate = fact(LearningRate, record)
    assert (rate.optimizer, rate.initial) == ("Adam", 0.5)
    assert fact(GradientReset, record).optimizer == "Adam"


def test_the_first_optimizer_wins_a_tie(tmp_path: Path) -> None:
    steps = [step(i, float(o), optimizer=o) for i in range(3) for o in (1, 0)]
    assert fact(LossCurve, read(tmp_path, *steps)).values == (0.0, 0.0, 0.0)


def test_micro_batches_are_one_value_and_the_busiest_line_is_the_loss(tmp_path: Path) -> None:
    first = line("step", o=0, i=0, loss=[[0, 1.0], [0, 3.0], [1, 99.0]], lr=[0.1], g=1.0, kept=False)
    curve = fact(LossCurve, read(tmp_path, first, step(1, 4.0, 6.0), step(2), step(3, 1.0)))
    assert curve.values == (2.0, 5.0, 1.0)
    assert curve.steps == (0, 1, 3)
    assert curve.objectives == 1


@pytest.mark.parametrize(
    ("losses", "norms", "expected"),
    [
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (None, None)),
        ([1.0, NAN, NAN], [1.0, NAN, NAN], (1, "loss")),
        ([1.0, 1.0, NAN], [1.0, INF, NAN], (1, "gradient")),
        ([1.0, 1.0, INF], [1.0, 1.0, 1.0], (2, "loss")),
        ([1.0, 1.0, 1.0], [1.0, 1.0, NAN], (2, "gradient")),
    ],
)
def test_the_first_nan_is_found_in_the_loss_or_in_the_gradient(
    tmp_path: Path, losses: list[float], norms: list[float], expected: tuple[int | None, str | None]
) -> None:
    record = read(tmp_path, *(step(i, v, g=g) for i, (v, g) in enumerate(zip(losses, norms, strict=True))))
    curve = fact(LossCurve, record)
    assert (curve.nonfinite_step, curve.nonfinite_in) == expected


def test_a_micro_batch_that_is_not_finite_is_not_averaged_away(tmp_path: Path) -> None:
    assert math.isnan(fact(LossCurve, read(tmp_path, step(0, 1.0, NAN))).values[0])


def test_nor_is_one_that_is_followed_by_a_finite_one(tmp_path: Path) -> None:
    curve = fact(LossCurve, read(tmp_path, step(0, NAN, 1.0)))
    assert curve.nonfinite_step == 0


def test_steps_without_a_loss_give_no_curve(tmp_path: Path) -> None:
    assert LossCurve not in kinds(read(tmp_path, step(0), step(1)))


# --- chance --------------------------------------------------------------------------------------------------


def call(function: str, *, site: int = 0, grad: bool = True, red: str | None = "mean", **more: Any) -> str:
    return line("loss-call", fn=function, site=site, step=0, n=1, grad=grad, shape=[64, 4], red=red, **more)


def chance(folder: Path, *calls: str) -> float | None:
    return fact(LossCurve, read(folder, step(0, 1.0), *calls)).chance


@pytest.mark.parametrize("function", ["cross_entropy", "nll_loss"])
def test_chance_for_classes_is_the_loss_of_answering_with_their_shares(tmp_path: Path, function: str) -> None:
    random_ = Random(1)
    batches = [[random_.choice((0, 0, 0, 1, 2)) for _ in range(64)] for _ in range(5)]
    calls = [call(function, hist=[batch.count(k) for k in range(4)]) for batch in batches]
    labels = [label for batch in batches for label in batch]
    share = Counter(labels)
    slow = fmean(-math.log(share[label] / len(labels)) for label in labels)
    assert chance(tmp_path, *calls) == pytest.approx(slow)


def test_chance_for_balanced_classes_is_ln_k(tmp_path: Path) -> None:
    assert chance(tmp_path, call("cross_entropy", hist=[7] * 10)) == pytest.approx(math.log(10))


def numbers(function: str, targets: list[float]) -> str:
    return call(function, mean=fmean(targets), sq=fmean(t * t for t in targets), m=len(targets))


def test_chance_for_numbers_is_their_variance(tmp_path: Path) -> None:
    random_ = Random(2)
    batches = [[random_.gauss(3, 2) for _ in range(size)] for size in (64, 64, 10)]
    calls = [numbers("mse_loss", batch) for batch in batches]
    assert chance(tmp_path, *calls) == pytest.approx(pvariance([t for batch in batches for t in batch]))


@pytest.mark.parametrize("function", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_chance_for_two_classes_is_their_entropy(tmp_path: Path, function: str) -> None:
    targets = [1.0] * 30 + [0.0] * 70
    slow = fmean(-math.log(0.3 if t else 0.7) for t in targets)
    assert chance(tmp_path, numbers(function, targets[:50]), numbers(function, targets[50:])) == pytest.approx(slow)


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param((), id="no loss is known"),
        pytest.param((call("cross_entropy", hist=[1, 1], red="sum"),), id="a sum"),
        pytest.param((call("l1_loss", mean=0.0, sq=1.0, m=4),), id="a loss without a rule"),
        pytest.param((call("cross_entropy", hist=[1, 1]), call("mse_loss", mean=0.0, sq=1.0, m=4)), id="two losses"),
        pytest.param((call("mse_loss", site=0, mean=0.0, sq=1.0, m=4), call("mse_loss", site=1, mean=0.0, sq=1.0, m=4)),
                     id="two places"),
        pytest.param((call("cross_entropy"),), id="soft labels"),
        pytest.param((call("binary_cross_entropy", mean=1.0, sq=1.0, m=4),), id="one class only"),
    ],
)  # fmt: skip
def test_chance_is_not_known(tmp_path: Path, calls: tuple[str, ...]) -> None:
    assert chance(tmp_path, *calls) is None


def test_an_evaluation_does_not_speak_for_the_training(tmp_path: Path) -> None:
    trained = call("cross_entropy", hist=[5, 5])
    evaluated = call("cross_entropy", site=1, grad=False, hist=[10, 0])
    helper = call("log_softmax", site=1, red=None)
    assert chance(tmp_path, evaluated, helper, trained) == pytest.approx(math.log(2))


def test_targets_with_a_nan_have_no_chance_level(tmp_path: Path) -> None:
    known = chance(tmp_path, call("mse_loss", mean=NAN, sq=NAN, m=64))
    assert known is None or math.isnan(known)


# --- what goes into the loss ---------------------------------------------------------------------------------


def test_each_loss_call_site_is_told_apart(tmp_path: Path) -> None:
    made = {"by": "softmax", "by_at": 1}
    record = read(
        tmp_path,
        step(0, 1.0),
        *(call("cross_entropy", norm=n > 0, k=4, acc=n / 10, **(made if n == 2 else {})) for n in range(8)),
        call("cross_entropy", norm=True, k=4, grad=False),
        call("mse_loss", site=1, grad=False, red="sum"),
    )
    trained, evaluated = fact(LossInputs, record).sites
    assert (trained.function, trained.where) == ("cross_entropy", Place("/w/train.py", 9, key="main"))
    assert (trained.looked_at, trained.normalised, trained.trained) == (8, 7, True)
    assert (trained.classes, trained.reduction, trained.batch) == (4, "mean", 64)
    assert (trained.produced_by, trained.produced_at) == ("softmax", (Place("/w/train.py", 5, key="main"),))
    assert trained.accuracy_first == pytest.approx(fmean([0, 0.1, 0.2, 0.3, 0.4]))
    assert trained.accuracy_last == pytest.approx(fmean([0.3, 0.4, 0.5, 0.6, 0.7]))
    assert (evaluated.function, evaluated.trained, evaluated.reduction) == ("mse_loss", False, "sum")
    assert (evaluated.accuracy_first, evaluated.produced_by, evaluated.produced_at) == (None, None, ())


# --- gradients, updates, rates -------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [[], [1], [2, 3], [1, 2, 3, 4]])
def test_resets_are_counted_from_the_second_step(tmp_path: Path, kept: list[int]) -> None:
    record = read(tmp_path, *(step(i, 1.0, kept=i in kept, **({"at": 1} if i < 3 else {})) for i in range(5)))
    reset = fact(GradientReset, record)
    assert (reset.optimizer, reset.steps, reset.kept) == ("SGD", 4, len(kept))
    assert reset.step_at == Place("/w/train.py", 5, key="main")
    assert reset.backward_at == Place("/w/train.py", 9, key="main")


def test_one_step_says_nothing_about_resets(tmp_path: Path) -> None:
    assert GradientReset not in kinds(read(tmp_path, step(0, 1.0)))


def test_updates_are_those_that_were_measured(tmp_path: Path) -> None:
    measured = {0: 0.1, 1: 0.2, 5: NAN}
    record = read(
        tmp_path, *(step(i, 1.0, rate=0.1 * i, **({"u": measured[i]} if i in measured else {})) for i in range(6))
    )
    updates = fact(UpdateRatios, record)
    assert updates.steps == (0, 1, 5)
    # What turned the parameters into NaN changed them beyond measure.
    assert updates.ratios == (0.1, 0.2, INF)
    assert updates.rates == pytest.approx((0.0, 0.1, 0.5))
    told = next(summary for f, summary in measure.facts(record) if isinstance(f, UpdateRatios))
    assert f"{median(updates.ratios):.2g}" in told


def test_rates_and_clipping(tmp_path: Path) -> None:
    limits = [[5.0, 1.0], [0.5, 1.0], [2.0, 1.0], None]
    steps = [step(i, 1.0, rate=0.1 / (i + 1), **({"clip": c} if c else {})) for i, c in enumerate(limits)]
    rate = fact(LearningRate, read(tmp_path, *steps))
    assert rate.values == pytest.approx((0.1, 0.05, 0.1 / 3, 0.025))
    assert (rate.initial, rate.steps) == (0.1, (0, 1, 2, 3))
    assert rate.clipped == pytest.approx(2 / 3)
    assert rate.where == Place("/w/train.py", 5, key="main")
    assert rate.frames == (rate.where,)


def test_nothing_clips(tmp_path: Path) -> None:
    assert fact(LearningRate, read(tmp_path, step(0, 1.0))).clipped is None


def test_a_long_run_keeps_its_first_rate_and_about_two_hundred(tmp_path: Path) -> None:
    record = read(tmp_path, *(step(i, 1.0, rate=1 - i / 5000) for i in range(5000)))
    rate = fact(LearningRate, record)
    assert 200 <= len(rate.values) <= 400
    assert rate.values == tuple(1 - i / 5000 for i in rate.steps)
    assert rate.initial == rate.values[0] == 1.0


def test_an_optimizer_without_a_rate_has_none(tmp_path: Path) -> None:
    assert LearningRate not in kinds(read(tmp_path, line("step", o=0, i=0, loss=[[0, 1.0]], lr=[None], g=1.0)))


def test_gradient_norms(tmp_path: Path) -> None:
    norms = fact(GradientNorms, read(tmp_path, *(step(i, 1.0, g=g) for i, g in enumerate([0.5, None, INF]))))
    assert (norms.steps, norms.norms) == ((0, 2), (0.5, INF))


# --- coverage, inputs, origins -------------------------------------------------------------------------------

COVERED: dict[str, Any] = {
    "reached": 100, "left_out": 90, "names": ["Net.a", "Net.b"], "idle": 3, "loaded": False, "late": True,
    "unregistered": [["/w/net.py", 3, "layers"]], "covering": [["/w/train.py", 5, "net"]],
    "extra": [["/w/train.py", 5, "head"]], "made": [["/w/net.py", 4, "__init__"]],
}  # fmt: skip


def test_coverage(tmp_path: Path) -> None:
    coverage = fact(Coverage, read(tmp_path, step(0, 1.0), line("coverage", **COVERED)))
    assert (coverage.reached, coverage.left_out, coverage.names, coverage.idle) == (100, 90, ("Net.a", "Net.b"), 3)
    assert (coverage.loaded, coverage.made_after, coverage.optimizer) == (False, True, "SGD")
    assert coverage.optimizer_at == Place("/w/train.py", 5, key="main")
    assert coverage.unregistered == (Place("/w/net.py", 3, key="layers"),)
    assert coverage.covering == (Place("/w/train.py", 5, key="net"),)
    assert coverage.extra == (Place("/w/train.py", 5, key="head"),)
    assert coverage.made_at == (Place("/w/net.py", 4, key="__init__"),)


def test_a_loss_that_reaches_nothing_says_nothing_about_coverage(tmp_path: Path) -> None:
    assert Coverage not in kinds(read(tmp_path, step(0, 1.0), line("coverage", **{**COVERED, "reached": 0})))


def batch(values: list[float], **more: Any) -> str:
    body = {"n": len(values), "mean": fmean(values), "std": pstdev(values), "low": min(values), "high": max(values)}
    return line("input", **{**body, "bad": sum(not math.isfinite(v) for v in values), "site": 0, **more})


def test_the_scale_of_the_input(tmp_path: Path) -> None:
    random_ = Random(3)
    batches = [[random_.gauss(5, 3) for _ in range(32)] for _ in range(4)]
    scale = fact(InputScale, read(tmp_path, step(0, 1.0), *(batch(b, spread=n) for n, b in enumerate(batches, 1))))
    everything = [v for b in batches for v in b]
    assert scale.mean == pytest.approx(fmean(everything))
    assert scale.std == pytest.approx(fmean(pstdev(b) for b in batches))
    assert (scale.low, scale.high, scale.samples) == (min(everything), max(everything), 128)
    assert scale.feature_spread == pytest.approx(2.5)
    assert scale.nonfinite == 0
    assert scale.where == Place("/w/train.py", 9, key="main")


def test_what_is_not_finite_in_the_input_is_counted(tmp_path: Path) -> None:
    bad = {"mean": NAN, "std": NAN, "low": NAN, "high": NAN, "bad": 2}
    scale = fact(InputScale, read(tmp_path, step(0, 1.0), batch([1.0, 2.0]), batch([1.0, 2.0], **bad)))
    assert scale.nonfinite == 2
    assert math.isnan(scale.mean) and math.isnan(scale.std)


def test_a_spread_beyond_all_numbers_is_infinite(tmp_path: Path) -> None:
    """Inputs around 1e30: the variance overflows in single precision."""
    scale = fact(InputScale, read(tmp_path, step(0, 1.0), batch([1e30, -1e30], std=INF, spread=INF)))
    assert scale.feature_spread == INF


def born(step_: int, **more: Any) -> str:
    body = {"op": "log", "phase": "forward", "site": 0, "low": 0.0, "high": 1.0, "zeros": 3, "size": 64,
            "divisor_zeros": 0, "graph": True}  # fmt: skip
    return line("origin", step=step_, **{**body, **more})


def test_the_first_origin_on_the_way_to_the_loss_counts(tmp_path: Path) -> None:
    mask = born(0, op="masked", graph=False)
    origin = fact(NonfiniteOrigin, read(tmp_path, step(0, 1.0), mask, born(1), born(2)))
    assert (origin.step, origin.operation, origin.phase) == (1, "log", "forward")
    assert (origin.input_min, origin.input_max, origin.input_zeros, origin.input_size) == (0.0, 1.0, 3, 64)
    assert origin.where == origin.frames[0] == Place("/w/train.py", 9, key="main")
    assert len(origin.frames) == 2


def test_an_origin_in_backward_is_always_on_the_way(tmp_path: Path) -> None:
    origin = fact(
        NonfiniteOrigin, read(tmp_path, step(0, 1.0), born(4, phase="backward", graph=False, low=None, high=INF))
    )
    assert (origin.phase, origin.input_min, origin.input_max) == ("backward", None, INF)


# --- do labels follow inputs? --------------------------------------------------------------------------------

Rows = list[list[float]]


def packed(rows: Rows) -> dict[str, Any]:
    raw = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    return {"shape": [len(rows), len(rows[0])], "b64": base64.b64encode(raw).decode("ascii")}


def pairs(x: Rows, y: Rows, *, whole: bool = True, discrete: bool = False) -> str:
    return line("pairs", x=packed(x), y=packed(y), n=len(x), whole=whole, discrete=discrete)


def single(rows: Rows) -> Rows:
    """What single precision keeps of the numbers."""
    return [list(struct.unpack(f"<{len(row)}f", struct.pack(f"<{len(row)}f", *row))) for row in rows]


def neighbours(x: Rows, *, discrete: bool) -> list[list[int]]:
    """The five nearest of each, by looking at all of them."""
    columns = list(zip(*x, strict=True))
    scales = [pstdev(column) for column in columns]

    def distance(a: list[float], b: list[float]) -> float:
        if discrete:
            return sum(p != q for p, q in zip(a, b, strict=True))
        return sum(((p - q) / s) ** 2 for p, q, s in zip(a, b, scales, strict=True) if s > 0)

    return [sorted((j for j in range(len(x)) if j != i), key=lambda j: distance(x[i], x[j]))[:5] for i in range(len(x))]


def classes_by(x: Rows, random_: Random, error: float) -> Rows:
    """The sign of the first feature; with some probability, a coin instead."""
    return [[float(random_.random() < 0.5) if random_.random() < error else float(row[0] > 0)] for row in x]


@pytest.mark.parametrize("error", [0.0, 0.3, 1.0])
def test_agreement_of_classes_is_that_of_nearest_neighbours(tmp_path: Path, error: float) -> None:
    random_ = Random(4)
    x = single([[random_.gauss(0, 1), random_.gauss(7, 20), 3.0] for _ in range(150)])
    y = classes_by(x, random_, error)
    # In two batches, as a loader gives them.
    found = fact(Association, read(tmp_path, step(0, 1.0), pairs(x[:70], y[:70]), pairs(x[70:], y[70:])))
    near = neighbours(x, discrete=False)
    same = [fmean(y[j] == y[i] for j in near[i]) for i in range(len(x))]
    assert found.samples == 150
    assert found.agreement == pytest.approx(fmean(same))
    assert found.error == pytest.approx(pstdev(same) / math.sqrt(150))
    drawn = fmean(a == b for a in y for b in y)
    assert found.expected == pytest.approx(drawn)
    assert found.repeated == 0


def test_agreement_of_numbers_is_one_minus_their_squared_difference(tmp_path: Path) -> None:
    random_ = Random(5)
    x = single([[random_.gauss(0, 1), random_.gauss(0, 5)] for _ in range(120)])
    y = single([[row[0] + random_.gauss(0, 0.5), random_.gauss(4, 9)] for row in x])
    found = fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y, whole=False)))
    near = neighbours(x, discrete=False)
    scales = [pstdev(column) for column in zip(*y, strict=True)]
    same = [
        1 - fmean(((y[j][k] - y[i][k]) / scales[k]) ** 2 for j in near[i] for k in range(2)) / 2 for i in range(len(x))
    ]
    assert found.agreement == pytest.approx(fmean(same))
    assert found.expected == 0.0


def test_symbols_are_near_when_most_of_them_are_the_same(tmp_path: Path) -> None:
    """Thirty words of eight letters, each in six spellings that differ in one letter: neighbours without ties."""
    random_ = Random(6)
    x, y = [], []
    for _ in range(30):
        word = [float(random_.randrange(1000)) for _ in range(8)]
        label = float(random_.randrange(3))
        for spelling in range(6):
            x.append([*word[:7], 2000.0 + spelling])
            y.append([label if spelling else float(random_.randrange(3))])
    found = fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y, discrete=True)))
    near = neighbours(x, discrete=True)
    assert found.agreement == pytest.approx(fmean(y[j] == y[i] for i in range(len(x)) for j in near[i]))


def test_labels_shuffled_apart_agree_like_strangers(tmp_path: Path) -> None:
    random_ = Random(7)
    x = [[random_.gauss(0, 1), random_.gauss(0, 1)] for _ in range(600)]
    y = classes_by(x, random_, 0.0)
    paired = fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y)))
    random_.shuffle(y)
    apart = fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y)))
    assert paired.agreement - paired.expected > 20 * paired.error
    assert abs(apart.agreement - apart.expected) < 4 * apart.error


def test_rows_that_are_not_finite_are_left_out(tmp_path: Path) -> None:
    random_ = Random(8)
    x = [[random_.gauss(0, 1), random_.gauss(0, 1)] for _ in range(150)]
    y = classes_by(x, random_, 0.2)
    clean = fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y)))
    spoilt = fact(
        Association,
        read(tmp_path, step(0, 1.0), pairs([*x, [NAN, 0.0], [0.0, 0.0]], [*y, [1.0], [INF]])),
    )
    assert spoilt == clean


def test_copies_are_no_neighbours(tmp_path: Path) -> None:
    """A sample that comes twice would agree with itself."""
    random_ = Random(9)
    x = [[random_.gauss(0, 1), random_.gauss(0, 1)] for _ in range(150)]
    y = classes_by(x, random_, 0.2)
    once = fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y)))
    twice = fact(Association, read(tmp_path, step(0, 1.0), pairs(x + x[:50], y + y[:50])))
    assert (twice.samples, twice.agreement, twice.error) == (once.samples, once.agreement, once.error)
    assert twice.repeated > 0


def test_repeated_is_the_share_with_an_identical_input_elsewhere(tmp_path: Path) -> None:
    random_ = Random(10)
    x = [[random_.gauss(0, 1)] for _ in range(150)]
    x += x[:50]
    counts = Counter(map(tuple, single(x)))
    slow = fmean(counts[tuple(row)] > 1 for row in single(x))
    y = [[float(row[0] > 0)] for row in x]
    assert fact(Association, read(tmp_path, step(0, 1.0), pairs(x, y))).repeated == pytest.approx(slow)


@pytest.mark.parametrize("case", ["too few", "one label", "shapes that differ", "none kept"])
def test_nothing_is_said_about_the_association(tmp_path: Path, case: str) -> None:
    random_ = Random(11)
    x = [[random_.gauss(0, 1), random_.gauss(0, 1)] for _ in range(200)]
    y = [[float(row[0] > 0)] for row in x]
    kept = {
        "too few": [pairs(x[:99], y[:99])],
        "one label": [pairs(x, [[1.0]] * 200)],
        "shapes that differ": [pairs(x, y), pairs([[1.0]] * 20, [[1.0]] * 20)],
        "none kept": [],
    }[case]
    assert Association not in kinds(read(tmp_path, step(0, 1.0), *kept))


def test_the_association_can_be_left_out(tmp_path: Path) -> None:
    random_ = Random(12)
    x = [[random_.gauss(0, 1)] for _ in range(200)]
    record = read(tmp_path, step(0, 1.0), pairs(x, [[float(row[0] > 0)] for row in x]))
    assert Association in kinds(record)
    assert Association not in {type(f) for f, _ in measure.facts(record, relate=False)}


def test_every_fact_comes_with_a_sentence(tmp_path: Path) -> None:
    x = [[float(i), math.sin(i)] for i in range(120)]
    record = read(
        tmp_path,
        *(step(i, 1.0, u=0.1, at=1) for i in range(3)),
        call("cross_entropy", hist=[1, 1], norm=True),
        line("coverage", **COVERED),
        batch([1.0, 2.0]),
        born(1),
        pairs(x, [[float(i % 2)] for i in range(120)]),
    )
    told = list(measure.facts(record))
    assert len({type(f) for f, _ in told}) == len(told)
    # What checks have long read comes first: its evidence keeps the small numbers.
    first = [LossCurve, LossInputs, GradientReset, Coverage, UpdateRatios, LearningRate, GradientNorms, InputScale,
             NonfiniteOrigin, Association]  # fmt: skip
    assert [type(f) for f, _ in told[:10]] == first
    for _, summary in told:
        assert summary.strip() and "\n" not in summary


def curve_of(given: list[float], computed: list[float]) -> LossCurve:
    """The curve of a run that computed one loss and called backward on another value, step by step."""
    steps = tuple(Step(0, i, ((0, v),), (0.1,), 1.0, False, None, None, None) for i, v in enumerate(given))
    call = {"fn": "cross_entropy", "site": 1, "grad": True, "red": "mean", "hist": [5, 5], "step": 0}
    values = [Event("loss-value", {"step": i, "v": v}) for i, v in enumerate(computed)]
    found = measure.facts(Recording(steps=steps, events=(Event("loss-call", call), *values)), relate=False)
    return next(fact for fact, _ in found if isinstance(fact, LossCurve))


def test_chance_follows_a_loss_that_is_divided_before_backward() -> None:
    computed = [0.7, 0.69, 0.71, 0.7, 0.68]
    assert curve_of([v / 4 for v in computed], computed).chance == pytest.approx(math.log(2) / 4)
    assert curve_of(computed, computed).chance == pytest.approx(math.log(2))


def test_chance_is_unknown_when_the_loss_is_one_term_among_several() -> None:
    computed = [0.7, 0.69, 0.71, 0.7, 0.68]
    assert curve_of([v + extra for v, extra in zip(computed, (0, 2, 9, 1, 5), strict=True)], computed).chance is None
