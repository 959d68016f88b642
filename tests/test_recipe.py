"""Recipes: which fit a run, and where it departs from them."""

import pytest

from stetho.facts import (
    Clipping,
    Fact,
    InputScale,
    LearningRate,
    LossInput,
    LossInputs,
    Optimizers,
    OptimizerUse,
)
from stetho.recipe import Look, departures, known, quantities


def run(*facts: Fact) -> dict[type[Fact], tuple[str, Fact]]:
    return {type(fact): (f"E{number}", fact) for number, fact in enumerate(facts, 1)}


def language(rate: float, batch: int = 32, limit: float = 1.0) -> dict[type[Fact], tuple[str, Fact]]:
    return run(
        LearningRate("AdamW", (0, 1), (rate / 2, rate), rate / 2),
        InputScale(5.0, 3.0, 0.0, 40.0, discrete=True, shape=(batch, 64)),
        LossInputs((LossInput("cross_entropy", None, 10, 0),)),
        Optimizers((OptimizerUse("AdamW", None, 10, decay=0.1),)),
        Clipping(10, 3, 10, limit, limit),
    )


def test_usual_settings_depart_from_nothing() -> None:
    assert departures(language(1e-3)) == []
    assert departures(language(5e-5)) == [], "a little outside is not worth a word"


@pytest.mark.parametrize(
    ("facts", "quantity", "evidence"),
    [
        (language(1e-6), "the highest rate of an adaptive optimizer", "E1"),
        (language(0.5), "the highest rate of an adaptive optimizer", "E1"),
        (language(1e-3, limit=1e-3), "the limit of clipping", "E5"),
        (language(1e-3, batch=1), "the batch size", "E2"),
    ],
)
def test_what_is_far_outside_is_named_with_its_evidence(
    facts: dict[type[Fact], tuple[str, Fact]], quantity: str, evidence: str
) -> None:
    (found,) = departures(facts)
    assert (found.quantity, found.evidence, found.recipe.id) == (quantity, evidence, "language-model")
    assert "a small language model" in found.words


def test_a_run_of_an_unknown_kind_is_compared_with_nothing() -> None:
    assert departures(run(LearningRate("SGD", (0,), (1e9,), 1e9))) == []
    assert departures({}) == []


def test_every_recipe_compares_something_that_exists() -> None:
    plain = run(
        LearningRate("SGD", (0,), (0.1,), 0.1),
        InputScale(0.0, 1.0, -1.0, 1.0, shape=(8, 4)),
        *(fact for kind, (_, fact) in language(1e-3).items() if kind not in (LearningRate, InputScale)),
    )
    names = {name for facts in (language(1e-3), plain) for name, _, _ in quantities(Look(facts))}
    assert len(known()) >= 5
    for one in known():
        assert set(one.usual) <= names, one.id
        assert all(0 <= low < high for low, high in one.usual.values())
