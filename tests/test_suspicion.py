"""A hypothesis that somebody brings: naming it, and judging it."""

import pytest

from stetho import catalogue
from stetho.check import Finding, Judgement
from stetho.errors import BadRequest
from stetho.experiment import Change, Experiment
from stetho.reason import Seen, claim_gate, posterior, predicted
from stetho.suspicion import focused, judged, named, settled

KNOWN = catalogue.load()
SOFTMAX, ZERO_GRAD = "loss/double-softmax", "train/missing-zero-grad"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("loss/double-softmax", SOFTMAX),
        ("Double Softmax", SOFTMAX),
        ("missing-zero-grad", ZERO_GRAD),
        ("the gradients are never cleared, zero grad is missing", ZERO_GRAD),
        ("labels are misaligned", "data/labels-misaligned"),
        ("I think the inputs are unnormalized", "data/inputs-unnormalized"),
    ],
)
def test_a_text_that_clearly_names_a_cause_is_understood(text: str, cause: str) -> None:
    assert named(text, KNOWN) == cause


@pytest.mark.parametrize("text", ["something is off", "gradients", "none/healthy", "learning rate", ""])
def test_a_text_that_does_not_is_refused_with_the_nearest(text: str) -> None:
    with pytest.raises(BadRequest, match="does not clearly name one cause"):
        named(text, KNOWN)


def test_what_is_near_is_offered() -> None:
    with pytest.raises(BadRequest, match="hp/lr-too-high"):
        named("hp/lr-too-hihg", KNOWN)


def test_half_of_the_doubt_is_about_the_hypothesis() -> None:
    now = posterior(KNOWN, Seen("loss-flat", (), ()))
    found = focused(now, SOFTMAX)
    assert found[SOFTMAX] == pytest.approx(0.5)
    assert sum(found.values()) == pytest.approx(1)
    assert focused({SOFTMAX: 0.95, "other/unlisted": 0.05}, SOFTMAX)[SOFTMAX] == 0.95


def seen(symptom: str, outcome: str, fired: bool) -> Seen:
    answer = Judgement(
        "input-already-normalised",
        "fired" if fired else "quiet",
        (Finding("rows sum to one"),) if fired else (),
        ("E4",),
    )
    table = predicted(KNOWN, "loss-input", None, symptomatic=True)
    tried = Experiment("X1", "control", Change("loss-input"), "?", table, outcome, "", 1.0, 100, evidence=("E9",))  # type: ignore[arg-type]
    return Seen(symptom, (answer,), (tried,))


def test_a_hypothesis_that_passes_the_gate_is_supported() -> None:
    look = seen("loss-flat", "symptom-gone", fired=True)
    now = posterior(KNOWN, look)
    gate = claim_gate(KNOWN, look, now)
    found = judged(KNOWN, look, now, gate, SOFTMAX)
    assert found.verdict == "supported"
    assert {"E4", "E9"} <= set(found.supports)
    assert settled(now, gate, SOFTMAX)
    # What is established refutes every other hypothesis.
    other = judged(KNOWN, look, now, gate, ZERO_GRAD)
    assert (other.verdict, SOFTMAX in other.reason) == ("refuted", True)


def test_a_hypothesis_whose_mechanism_is_absent_is_refuted() -> None:
    look = seen("loss-flat", "same", fired=False)
    now = posterior(KNOWN, look)
    found = judged(KNOWN, look, now, claim_gate(KNOWN, look, now), SOFTMAX)
    assert found.verdict == "refuted"
    assert found.against


def test_a_hypothesis_that_nothing_was_asked_of_is_undecided() -> None:
    look = Seen("loss-flat", (), ())
    now = posterior(KNOWN, look)
    found = judged(KNOWN, look, now, claim_gate(KNOWN, look, now), "data/labels-misaligned")
    assert found.verdict == "undecided"
    assert found.reason
