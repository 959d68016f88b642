"""Between which limits predicted numbers and their targets lie, and which operation made the predictions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean, median
from typing import Any

from stetho.facts import OutputRange, OutputRanges
from stetho.measure.loss_calls import sites
from stetho.measure.series import FEW, Measured, known
from stetho.recording import Recording

# Losses of torch's that set a number against a number.
NUMBERS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def output_ranges(recording: Recording) -> Iterator[Measured]:
    """One entry for each line where predicted numbers meet their targets."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for (name, site), calls in sites(recording).items():
        if name in NUMBERS:
            groups[name, site] += [c for c in calls if c["grad"]]
    for body in recording.of("fit"):
        if "site" in body:
            groups["a difference", int(body["site"])].append(body)
    found = [one for (name, site), calls in groups.items() if (one := _range(recording, name, site, calls)) is not None]
    if found:
        told = [
            f"{s.function} at {s.where}: {s.low:.3g} to {s.high:.3g} from {s.produced_by}, "
            f"targets {s.target_low:.3g} to {s.target_high:.3g}"
            for s in found
        ]
        yield OutputRanges(tuple(found)), "; ".join(told)


def _range(recording: Recording, name: str, site: int, calls: list[dict[str, Any]]) -> OutputRange | None:
    made = next((c for c in calls if c.get("by")), None)
    ends = [known(c.get(key) for c in calls) for key in ("low", "high", "tlow", "thigh")]
    if made is None or not all(ends) or not all(math.isfinite(v) for values in ends for v in values):
        return None
    shares = known(c.get("r2") for c in calls)
    return OutputRange(
        function=name,
        where=recording.place(site),
        looked_at=len(calls),
        produced_by=str(made["by"]),
        produced_at=recording.places(made.get("by_at")),
        low=min(ends[0]),
        high=max(ends[1]),
        target_low=min(ends[2]),
        target_high=max(ends[3]),
        explained=fmean(shares[-FEW:]) if shares else None,
        target_mean=median(means) if (means := known(c.get("tmean") for c in calls)) else None,
        target_spread=median(spreads) if (spreads := known(c.get("tstd") for c in calls)) else None,
    )
