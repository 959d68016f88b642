"""Everything that the series of a run say about its learning, its settings taken into account."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from stetho.facts import Config, ConfigValue, LossCurve, LossTexture
from stetho.logged.agent import agent_progress
from stetho.logged.assembly import Curve, curves_of, facts_of_curves, main_losses
from stetho.logged.clipping import clipping
from stetho.logged.known import Known
from stetho.logged.layers import layer_gradients
from stetho.logged.rises import rises
from stetho.logged.schedule import rate_and_loss
from stetho.logged.swings import swings
from stetho.logged.texture import texture
from stetho.reader import Reading

if TYPE_CHECKING:
    from stetho.logged.runs import Run
    from stetho.series import Series

CLASSES = re.compile(r"(?i)(^|[._-])(num|n|nb|number[._-]of)[._-]?(classes|labels|class|categories)$|(^|[._-])classes$")
# A loss that begins this near to ln K is a cross entropy over K classes.
NEAR = (0.9, 1.3)


def all_facts(
    series: Sequence[tuple[str, Series]],
    settings: Sequence[ConfigValue] = (),
    again: Mapping[str, Sequence[int]] = MappingProxyType({}),
) -> Iterator[Known]:
    """What the series of a run say, each with its format, and what they say together and beside the settings."""
    curves = curves_of(series)
    for known in facts_of_curves(curves, again):
        yield replace(known, fact=with_chance(known.fact, settings)) if isinstance(known.fact, LossCurve) else known
    losses, rate = main_losses(curves), rate_of(curves)
    # Two players move against each other, and an agent's loss follows what it meets.
    alone = len(losses) == 1 and not any(curve.role.kind == "reward" for curve in curves)
    if alone:
        moves = list(texture(losses[0], rate))
        yield from moves
        # A loss that begins anew again and again swings for a reason that is known.
        if not any(isinstance(one.fact, LossTexture) and one.fact.cycles is not None for one in moves):
            yield from swings(losses[0])
        yield from rises(losses[0], rate)
        if rate is not None:
            yield from rate_and_loss(losses[0], rate)
    yield from agent_progress(curves)
    yield from layer_gradients(curves)
    yield from clipping(curves, settings)


def settings_in(run: Run) -> list[ConfigValue]:
    facts = [piece.fact for left in run.left for piece in left.pieces if isinstance(piece, Reading)]
    return [value for fact in facts if isinstance(fact, Config) for value in fact.values]


def rate_of(curves: Sequence[Curve]) -> Curve | None:
    found = [c for c in curves if c.role.kind == "rate" and len(c) > 1 and np.isfinite(c.values).all()]
    return max(found, key=len) if found else None


def with_chance(curve: LossCurve, settings: Sequence[ConfigValue]) -> LossCurve:
    """The curve with the loss of guessing, where the number of classes is set and the loss begins near it."""
    counts = {one.number for one in settings if one.number is not None and CLASSES.search(one.key)}
    first = [value for value in curve.values[:5] if math.isfinite(value)]
    if len(counts) != 1 or not first or curve.objectives > 1:
        return curve
    classes = counts.pop()
    if classes != int(classes) or not 2 <= classes <= 1e6:
        return curve
    uniform = math.log(classes)
    if not NEAR[0] * uniform < first[0] < NEAR[1] * uniform:
        return curve
    return replace(curve, chance=uniform, chance_is=f"ln {int(classes)}, from the configured classes")
