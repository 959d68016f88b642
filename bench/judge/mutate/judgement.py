"""Whether a planted fault shows: what a mutant's runs say beside those of its base."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from bench.judge.case import Measure
from bench.judge.running import Ran
from bench.judge.verify import effect, least_memory

# What a fault may end in by itself; names that are missing and wrong types are slips of the operator.
NATURAL = ("RuntimeError", "ValueError", "IndexError", "ZeroDivisionError", "OverflowError", "FloatingPointError")
NONFINITE = re.compile(r"(?i)\bnan\b|\binf\b|infinit|finite|overflow|singular")
SLOWER, LARGER, LEAST = 1.5, 2.0, 30.0


@dataclass(frozen=True)
class Level:
    """What a base reaches: its number on each seed, and what a run takes."""

    values: tuple[float, ...]
    processor: float
    peak: float

    @property
    def spread(self) -> float:
        return max(self.values) - min(self.values)

    def margin(self, seed: int) -> float:
        """How much a number must differ from the base's to count as different."""
        return 2 * self.spread + 0.05 * abs(self.values[seed])


def shown(kind: str, measure: Measure, level: Level, ran: Ran, seed: int) -> tuple[str, str]:
    """`visible`, `silent` or `broken`, and why."""
    if ran.code is None:
        return ("visible", "it does not end") if kind == "slow" else ("broken", "it did not end in time")
    if ran.code != 0:
        return _failed(kind, ran)
    value = ran.last(measure.pattern)
    if math.isnan(value) and not re.findall(measure.pattern, ran.output) and not NONFINITE.search(ran.output):
        return "broken", "the pattern finds no number"
    if kind == "none":
        good = measure.reached(value)
        return ("visible", "") if good else ("broken", f"{value:g} is not as good as {measure.good:g}")
    if kind == "slow" and _heavier(level, ran):
        return "visible", ""
    worse = effect(value, level.values[seed], measure.better)
    gain = -worse if kind == "better" else worse
    if gain >= level.margin(seed):
        return "visible", ""
    if -gain >= level.margin(seed):
        return "broken", f"it moves the other way, from {level.values[seed]:g} to {value:g}"
    return "silent", ""


def _failed(kind: str, ran: Ran) -> tuple[str, str]:
    tail = ran.output.strip().splitlines()[-1:] or [""]
    named = tail[0].split(":")[0].rpartition(".")[2]
    natural = named in NATURAL and "Traceback" in ran.output
    if natural and (kind == "fails" or NONFINITE.search(tail[0])):
        return "visible", tail[0][:200]
    return "broken", f"it ends with {ran.code}: {tail[0][:200]}"


def _heavier(level: Level, ran: Ran) -> bool:
    own, base = ran.peak - least_memory(), level.peak - least_memory()
    return ran.processor > SLOWER * level.processor or (own > LARGER * base and own - base > LEAST)
