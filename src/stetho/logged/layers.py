"""Gradient norms layer by layer, where a run logged them: told apart by the number in their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from stetho.facts import LayerGradient, LayerGradients
from stetho.logged.assembly import Curve, Known, evenly

FEWEST = 3
NUMBER = re.compile(r"\d+")


def layer_gradients(curves: Sequence[Curve]) -> Iterator[Known]:
    """The layers in their order; nothing where fewer than three are told apart by one number."""
    groups: dict[str, dict[int, Curve]] = defaultdict(dict)
    for curve in curves:
        if curve.role.kind == "gradient" and len(curve) > 1:
            for found in NUMBER.finditer(curve.name):
                pattern = f"{curve.name[: found.start()]}#{curve.name[found.end() :]}"
                groups[pattern][int(found.group())] = curve
    most = max(groups.values(), key=len, default={})
    if len(most) < FEWEST:
        return
    layers = [layer(most[number]) for number in sorted(most)]
    words = f"gradient norms of {len(layers)} layers: {layers[0].name} {layers[0].median:.2g} in the median, "
    words += f"{layers[-1].name} {layers[-1].median:.2g}"
    first = most[min(most)]
    yield Known(LayerGradients(evenly(first, 400)[0], tuple(layers)), words, first.source)


def layer(curve: Curve) -> LayerGradient:
    values = curve.values[np.isfinite(curve.values)]
    known = values if len(values) else np.zeros(1)
    return LayerGradient(
        curve.name, 0, None, float(known[0]), float(known[-1]), float(np.median(known)), float(known.min()),
        float(known.max()), len(curve), zero=int(np.count_nonzero(known == 0)), nonfinite=len(curve) - len(values),
    )  # fmt: skip
