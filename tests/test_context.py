"""What kind of run it is, and what that does to base rates."""

import pytest

from stetho import catalogue
from stetho.cause import fitting
from stetho.context import CIRCUMSTANCES, circumstances
from stetho.facts import (
    Amount,
    DataFile,
    DataFiles,
    Fact,
    InputScale,
    LearningRate,
    Loader,
    Loaders,
    LossInput,
    LossInputs,
    LossTerm,
    LossTerms,
    Modes,
    ModeUse,
    Recorded,
    RunEnd,
    Types,
)
from stetho.reason import Seen, posterior, priors

KNOWN = catalogue.load()
OBSERVED = Recorded(steps=100, recorded=100, thinned=False, full=False, faults=0)


def run(*facts: Fact) -> dict[type[Fact], tuple[str, Fact]]:
    return {type(fact): (f"E{number}", fact) for number, fact in enumerate((OBSERVED, *facts))}


def test_every_circumstance_that_a_cause_names_exists() -> None:
    named = {name for cause in KNOWN.causes.values() for name in cause.context}
    assert named <= set(CIRCUMSTANCES)
    assert named, "no cause depends on the kind of run, so that nothing was tested"


def test_a_run_of_which_nothing_is_known_has_no_circumstances() -> None:
    assert circumstances({}) == {}
    assert circumstances({RunEnd: ("E1", RunEnd(code=0))}) == {}, "a log does not tell what a run did not do"


@pytest.mark.parametrize(
    ("fact", "name", "value"),
    [
        (Types(parameters=(Amount("torch.bfloat16", 10),)), "half-precision", True),
        (Types(parameters=(Amount("torch.float32", 10),), outputs=("torch.float32",)), "half-precision", False),
        (LearningRate("SGD", (0, 1), (0.1, 0.05), 0.1), "changing-rate", True),
        (LearningRate("SGD", (0, 1), (0.1, 0.1), 0.1), "changing-rate", False),
        (Modes((ModeUse(True, True, 0, None, dropouts_in_training=2),)), "modes-matter", True),
        (Modes((ModeUse(True, True, 0, None),)), "modes-matter", False),
        (InputScale(0.0, 1.0, 0.0, 9.0, discrete=True), "token-inputs", True),
        (LossTerms((LossTerm("add", None, 3, 1.0, 0.5), LossTerm("mul", None, 3, 1.0, 0.5))), "several-terms", True),
        (LossInputs((LossInput("mse_loss", None, 9, 0),)), "several-terms", False),
        (DataFiles((DataFile("a.csv", 0),)), "data-files", True),
        (DataFiles((DataFile("log.csv", None, True),)), "data-files", False),
    ],
)
def test_facts_tell_the_kind_of_run(fact: Fact, name: str, value: bool) -> None:
    assert circumstances(run(fact))[name] is value


def test_what_is_not_recorded_is_not_denied() -> None:
    found = circumstances(run())
    assert not {"half-precision", "changing-rate", "modes-matter", "token-inputs"} & set(found)
    # Whatever clips, loads or forks workers is seen when it happens.
    assert found["clipped-gradients"] is found["loader-workers"] is found["loaded-state"] is False


def test_workers_are_seen() -> None:
    one = Loader(None, 10, 5, 2, 4, None, True, False, False, False, (), 1)
    assert circumstances(run(Loaders((one,))))["loader-workers"] is True


def test_base_rates_follow_the_kind_of_run() -> None:
    plain, half = priors(KNOWN), priors(KNOWN, {"half-precision": True})
    without = priors(KNOWN, {"half-precision": False})
    assert half["num/half-precision"] > plain["num/half-precision"] > without["num/half-precision"] > 0
    for found in (plain, half, without):
        assert sum(found.values()) == pytest.approx(1)
    cause = KNOWN.causes["num/half-precision"]
    assert fitting(cause, {}) == 1
    seen = posterior(KNOWN, Seen("none", (), (), {"half-precision": True}))
    assert seen["num/half-precision"] > posterior(KNOWN, Seen("none", (), ()))["num/half-precision"]
