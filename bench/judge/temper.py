"""Whether the rankings are too sure of themselves: the power of them that fits the tune side best, with its interval.

    python -m bench.judge.temper      # from the stored answers, in seconds

Every probability p becomes p^(1/T), and all are made to add up to one again: T above 1 makes a ranking less sure, T
below 1 surer. Only answers to the tune side are read. Programs made from one base fail together, so the interval is
from drawing bases, not programs; and what T gains is measured on bases that it was not fitted on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from bench.judge.interval import Mean, mean
from bench.judge.scoring import Scored, scored
from bench.judge.split import TUNE
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# From eight times as sure to eight times less, evenly in the logarithm; 1 is among them.
TEMPERATURES = tuple(float(f"{8 ** (k / 60):.4g}") for k in range(-60, 61))
# What the right causes have together, at least: one program must not decide everything.
LEAST = 1e-6
ROUNDS = 2000


@dataclass(frozen=True)
class Fitted:
    """The temperature with the least score, and what it gains."""

    score: str
    best: float
    low: float
    high: float
    as_is: Mean
    gain: Mean
    """What it takes off the score of each base's programs when it was fitted on all the other bases."""

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 1, the rankings as they are."""
        return not self.low <= 1.0 <= self.high


def tempered(probabilities: Numbers, temperature: float) -> Numbers:
    """The ranking to the power 1/T, adding up to one; what has nothing keeps nothing."""
    powers = np.where(probabilities > 0, np.maximum(probabilities, 1e-300) ** (1 / temperature), 0.0)
    return np.asarray(powers / powers.sum())


def squares(probabilities: Numbers, right: Numbers) -> float:
    """As `scoring.brier`."""
    return float((1 - probabilities @ right) ** 2 + (probabilities**2) @ (1 - right))


def logarithm(probabilities: Numbers, right: Numbers) -> float:
    """Minus the logarithm of what the right causes have together."""
    return float(-np.log(min(1.0, max(LEAST, float(probabilities @ right)))))


SCORES: dict[str, Callable[[Numbers, Numbers], float]] = {"Brier": squares, "logarithmic": logarithm}


def is_right(row: Scored, cause: str) -> bool:
    """A planted fault that has no effect is there all the same: neither naming it nor passing over it is an error."""
    return row.is_right(cause) or cause in row.subject.planted


def table(rows: Sequence[Scored], score: Callable[[Numbers, Numbers], float]) -> Numbers:
    """The score of every program at every temperature."""
    found = []
    for row in rows:
        held = np.array([p for _, p in row.answer.ranking])
        right = np.array([float(is_right(row, cause)) for cause, _ in row.answer.ranking])
        found.append([score(tempered(held, temperature), right) for temperature in TEMPERATURES])
    return np.array(found)


def fit(rows: Sequence[Scored], name: str) -> Fitted:
    """The best temperature on all, on bases drawn again and again, and on all bases but one."""
    scores = table(rows, SCORES[name])
    bases = sorted({row.subject.base for row in rows})
    member = np.array([[row.subject.base == base for row in rows] for base in bases], float)
    sums = member @ scores
    drawn = np.random.default_rng(0).integers(0, len(bases), (ROUNDS, len(bases)))
    best = sums[drawn].sum(axis=1).argmin(axis=1)
    low, high = np.quantile(np.array(TEMPERATURES)[best], [0.025, 0.975])
    as_is = scores[:, TEMPERATURES.index(1.0)]
    without = (sums.sum(axis=0) - sums).argmin(axis=1)
    elsewhere = scores[np.arange(len(rows)), without[member.argmax(axis=0)]]
    whole = TEMPERATURES[int(sums.sum(axis=0).argmin())]
    return Fitted(name, whole, float(low), float(high), mean(as_is.tolist()), mean((as_is - elsewhere).tolist()))


def section(rows: Sequence[Scored]) -> Iterator[str]:
    """What a page says of it."""
    tune = [row for row in rows if row.subject.side == TUNE and row.answer.ranking]
    if not tune:
        return
    bases = len({row.subject.base for row in tune})
    yield "Are the rankings too sure of themselves? Each probability is taken to the power 1/T; T above 1 makes"
    yield f"a ranking less sure. On {len(tune)} programs of the tune side, from {bases} bases, with T from 1/8 to 8:"
    yield from ("", "| score | as they are | best T | what T takes off, fitted on the other bases |")
    yield "|---|---|---|---|"
    found = [fit(tune, name) for name in SCORES]
    for one in found:
        yield f"| {one.score} | {one.as_is} | {one.best:.2f} [{one.low:.2f}–{one.high:.2f}] | {one.gain} |"
    yield from ("", conclusion(found))


def conclusion(found: Sequence[Fitted]) -> str:
    """What follows from the intervals."""
    if not any(one.differs for one in found):
        return "T = 1 is within both intervals, so the rankings are left as they are."
    helps = [one.score for one in found if one.differs and one.gain.low > 0]
    if helps:
        return f"T = 1 is outside, and tempering helps on bases that it was not fitted on ({', '.join(helps)} score)."
    return "T = 1 is outside, but tempering is not shown to help on bases that it was not fitted on."


def main() -> None:
    from bench.judge.scoreboard import stored
    from bench.judge.stetho import TOOL
    from bench.judge.subject import subjects

    for line in section(scored(subjects(), stored(TOOL, (TUNE,)).values())):
        print(line)


if __name__ == "__main__":
    main()
