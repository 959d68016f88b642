"""What an observed program prints of how well it does, as facts and as a yardstick."""

from pathlib import Path

import pytest

from stetho import catalogue
from stetho.facts import Fact, LossCurve, Printed, PrintedNumber, RunEnd, Scores, ValidationLoss
from stetho.inquiry import Facts
from stetho.logged.live import facts_of_output
from stetho.outcome import judge_outcome
from stetho.yardstick import by_printed, compare_printed

CURVE = LossCurve(tuple(2.0 * 0.99**i for i in range(200)), tuple(range(200)))


def read(tmp_path: Path, text: str) -> dict[type[Fact], Fact]:
    output = tmp_path / "output.txt"
    output.write_text(text)
    return {type(one.fact): one.fact for one in facts_of_output(output, catalogue.load(), CURVE) if one.fact}


def test_one_line_at_the_end_is_a_result(tmp_path: Path) -> None:
    found = read(tmp_path, "loading\ntest accuracy: 0.4375\n")[Printed]
    assert isinstance(found, Printed)
    (only,) = found.results()
    assert (only.kind, only.split, only.values, only.line) == ("score", "validation", (0.4375,), 2)


def test_epochs_give_scores_and_a_validation_loss_beside_training(tmp_path: Path) -> None:
    lines = [
        f"epoch {i} train_loss {2 - 0.2 * i:.2f} val_loss {1 + 0.1 * i:.2f} val_acc {0.5 + 0.02 * i:.2f}"
        for i in range(8)
    ]
    found = read(tmp_path, "\n".join(lines) + "\n")
    held, scores = found[ValidationLoss], found[Scores]
    assert isinstance(held, ValidationLoss)
    assert isinstance(scores, Scores)
    assert held.values[-1] == pytest.approx(1.7)
    assert held.training[0] == pytest.approx(2.0)
    assert scores.values[-1] == pytest.approx(0.64)
    assert LossCurve not in found, "the loss is what was observed, not what was printed"


def test_a_held_out_loss_alone_is_laid_beside_the_observed_one(tmp_path: Path) -> None:
    text = "".join(f"epoch {i} val_loss {1 + 0.1 * i:.2f}\n" for i in range(8))
    held = read(tmp_path, text)[ValidationLoss]
    assert isinstance(held, ValidationLoss)
    assert len(held.training) == 8
    assert held.training[0] > held.training[-1] == pytest.approx(CURVE.values[-1], rel=0.1)


def number(name: str, kind: str, *values: float) -> PrintedNumber:
    return PrintedNumber(name, kind, "validation", values)


@pytest.mark.parametrize(
    ("ours", "theirs", "better", "worse"),
    [
        (number("acc", "score", 0.5), number("acc", "score", 0.9), True, False),
        (number("acc", "score", 0.9), number("acc", "score", 0.5), False, True),
        (number("acc", "score", 0.90), number("acc", "score", 0.91), False, False),
        (number("acc", "score", 55.0), number("acc", "score", 92.0), True, False),
        (number("mse", "loss", 2.0), number("mse", "loss", 1.0), True, False),
        (number("mse", "loss", 1.0), number("mse", "loss", 1.05), False, False),
    ],
)
def test_printed_numbers_differ_only_when_it_matters(
    ours: PrintedNumber, theirs: PrintedNumber, better: bool, worse: bool
) -> None:
    found = by_printed(ours, theirs)
    assert (found.better, found.worse) == (better, worse)


def facts(curve: LossCurve, *numbers: PrintedNumber) -> Facts:
    end = RunEnd(code=0, steps=len(curve.values), seconds=1.0, attached=True)
    return {LossCurve: ("E1", curve), Printed: ("E2", Printed(numbers)), RunEnd: ("E3", end)}


def test_held_out_scores_come_before_losses_and_training_never_counts() -> None:
    ours = facts(CURVE, number("val_loss", "loss", 1.0), number("val_acc", "score", 0.5))
    theirs = facts(CURVE, number("val_loss", "loss", 0.9), number("val_acc", "score", 0.8))
    assert compare_printed(ours, theirs).measure == "val_acc"
    training = PrintedNumber("train_acc", "score", "training", (0.5,))
    assert compare_printed(facts(CURVE, training), facts(CURVE, training)).difference is None


def test_a_change_of_evaluation_alone_is_judged_by_what_is_printed() -> None:
    known = catalogue.load()
    ours, theirs = facts(CURVE, number("val_acc", "score", 0.5)), facts(CURVE, number("val_acc", "score", 0.9))
    assert judge_outcome(ours, theirs, known, symptom="none", alters="evaluation").outcome == "better"
    # Training is the same to the last digit, so that what is printed decides without being told to.
    assert judge_outcome(ours, theirs, known, symptom="none").outcome == "better"
    assert judge_outcome(ours, ours, known, symptom="none").outcome == "same"
    silent: Facts = {kind: entry for kind, entry in theirs.items() if kind is not Printed}
    assert judge_outcome(ours, silent, known, symptom="none", alters="evaluation").outcome == "undecided"


def test_a_symptom_of_held_out_data_is_not_judged_by_training() -> None:
    known = catalogue.load()
    worse = LossCurve(tuple(v + 1 for v in CURVE.values), CURVE.steps)
    ours, theirs = facts(CURVE, number("val_acc", "score", 0.5)), facts(worse, number("val_acc", "score", 0.8))
    assert judge_outcome(ours, theirs, known, symptom="overfitting").outcome == "symptom-gone"
    assert judge_outcome(theirs, ours, known, symptom="too-good").outcome == "symptom-gone"


def test_a_smoke_asks_about_training_alone() -> None:
    known = catalogue.load()
    lower = LossCurve(tuple(v / 4 for v in CURVE.values), CURVE.steps)
    ours, theirs = facts(CURVE, number("val_acc", "score", 0.5)), facts(lower, number("val_acc", "score", 0.2))
    assert judge_outcome(ours, theirs, known, symptom="overfitting", smoke=True).outcome == "better"
    assert judge_outcome(ours, theirs, known, symptom="overfitting").outcome == "worse"


def test_a_number_called_after_its_data_is_told_by_the_base_run(tmp_path: Path) -> None:
    lines = "".join(f"epoch {i} train {2 * 0.8**i:.3f} valid {2.1 * 0.85**i:.3f}\n" for i in range(8))
    base = read(tmp_path, lines)[Printed]
    flat = read(tmp_path, "".join(f"epoch {i} train 0.500 valid 0.400\n" for i in range(8)))[Printed]
    assert isinstance(base, Printed)
    assert isinstance(flat, Printed)
    assert [one.kind for one in base.results()] == ["loss"]
    assert flat.results() == ()
    found = compare_printed({Printed: ("E1", base)}, {Printed: ("E2", flat)})
    assert (found.measure, found.difference is not None) == ("valid", True)
