"""What a recipe is: settings with which runs of a kind are known to work, and where a run departs from them.

A departure is a hypothesis and never a verdict: many good runs leave the usual ranges, and a run within them may fail.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from stetho import recipes
from stetho.context import circumstances
from stetho.facts import Clipping, Fact, InputScale, LearningRate, LossCurve, LossInputs, Models, Optimizers

F = TypeVar("F", bound=Fact)
Facts = Mapping[type[Fact], tuple[str, Fact]]
# A value outside its range by less than this factor is no departure worth a word.
FAR = 3.0
ADAPTIVE = ("adam", "rmsprop", "adagrad", "lion", "adafactor")


@dataclass(frozen=True)
class Look:
    """What a recipe may ask of a run."""

    facts: Facts

    def get(self, kind: type[F]) -> F | None:
        entry = self.facts.get(kind)
        return entry[1] if entry is not None and isinstance(entry[1], kind) else None

    @property
    def tokens(self) -> bool:
        scale = self.get(InputScale)
        return scale is not None and scale.discrete

    @property
    def axes(self) -> int:
        """The axes of what enters the model; 0 where that is not known."""
        scale = self.get(InputScale)
        return len(scale.shape) if scale is not None and scale.shape is not None else 0

    @property
    def loaded(self) -> bool:
        return circumstances(self.facts).get("loaded-state", False)

    @property
    def players(self) -> int:
        curve = self.get(LossCurve)
        return curve.objectives if curve is not None else 1

    @property
    def losses(self) -> frozenset[str]:
        inputs = self.get(LossInputs)
        return frozenset(site.function for site in inputs.sites if site.trained) if inputs is not None else frozenset()

    @property
    def parameters(self) -> int:
        models = self.get(Models)
        return max((m.parameters or 0 for m in models.models), default=0) if models is not None else 0


@dataclass(frozen=True)
class Recipe:
    """Settings that work for a kind of run. The module's docstring says where they are from."""

    id: str
    about: str
    """The kind of run, in a few words."""
    fits: Callable[[Look], bool]
    usual: Mapping[str, tuple[float, float]]
    """For each quantity of `quantities`, the range in which such runs are known to work."""


@dataclass(frozen=True)
class Departure:
    """A setting of the run that is far outside what a recipe has."""

    recipe: Recipe
    quantity: str
    value: float
    usual: tuple[float, float]
    evidence: str

    @property
    def words(self) -> str:
        low, high = self.usual
        return (
            f"compare with what works for {self.recipe.about}: {self.quantity} is {self.value:.3g} here, usually "
            f"{low:.3g} to {high:.3g}"
        )


def quantities(look: Look) -> Iterator[tuple[str, float, str]]:
    """What is compared: each with its value in the run and the evidence that holds it."""
    rate, optimizers = look.get(LearningRate), look.get(Optimizers)
    if rate is not None and rate.values:
        adaptive = any(name in rate.optimizer.lower() for name in ADAPTIVE)
        kind = "an adaptive" if adaptive else "a plain"
        yield f"the highest rate of {kind} optimizer", max(rate.values), look.facts[LearningRate][0]
    decays = [one.decay for one in optimizers.optimizers if one.decay] if optimizers is not None else []
    if decays:
        yield "weight decay", max(decays), look.facts[Optimizers][0]
    scale, clipping = look.get(InputScale), look.get(Clipping)
    if scale is not None and scale.shape:
        yield "the batch size", float(scale.shape[0]), look.facts[InputScale][0]
        if not scale.discrete and scale.std > 0:
            yield "the spread of the inputs", scale.std, look.facts[InputScale][0]
    if clipping is not None:
        yield "the limit of clipping", clipping.limit_last, look.facts[Clipping][0]


@cache
def known() -> tuple[Recipe, ...]:
    """Every recipe, found by folder."""
    found = []
    for info in pkgutil.iter_modules(recipes.__path__, recipes.__name__ + "."):
        module = importlib.import_module(info.name)
        found += [value for value in vars(module).values() if isinstance(value, Recipe)]
    return tuple(found)


def departures(facts: Facts) -> list[Departure]:
    """Where a run is far from every recipe that fits it, the farthest first; nothing where none fits."""
    look = Look(facts)
    fitting = [one for one in known() if one.fits(look)]
    found: list[tuple[float, Departure]] = []
    for name, value, evidence in quantities(look):
        ranges = [(one, one.usual[name]) for one in fitting if name in one.usual]
        far = [(_beyond(value, usual), one, usual) for one, usual in ranges]
        if far and min(distance for distance, _, _ in far) > FAR:
            distance, one, usual = min(far, key=lambda item: item[0])
            found.append((distance, Departure(one, name, value, usual, evidence)))
    return [departure for _, departure in sorted(found, key=lambda item: -item[0])]


def _beyond(value: float, usual: tuple[float, float]) -> float:
    """By what factor a value lies outside a range; 1 within it."""
    low, high = usual
    if value <= 0:
        return float("inf") if low > 0 else 1.0
    return max(1.0, low / value if low > 0 else 1.0, value / high)
