"""Numbers on the edge: the scale of mixed precision, and the losses of ranks side by side, as a run logged them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class LossScale(Fact):
    """The factor by which mixed precision multiplies the loss, so that small gradients do not vanish."""

    fact: ClassVar[str] = "loss-scale"

    name: str
    """What the log calls it."""
    values: tuple[float, ...]
    """The scale at each of `steps`; the first and the last where only words tell of it."""
    steps: tuple[int, ...] = ()
    """The steps at which it was logged; empty where only words tell of it."""
    skipped: int = 0
    """Steps that were left out for gradients that are not finite, as the log says in words."""


@dataclass(frozen=True)
class RankLoss:
    """The loss of one rank, in a few numbers."""

    rank: int
    """The rank."""
    first: float
    """Its first loss."""
    last: float
    """Its last loss."""
    last_step: int
    """The step of the last one."""
    nonfinite_step: int | None = None
    """The first step from which on its loss is NaN or Inf."""


@dataclass(frozen=True)
class RankLosses(Fact):
    """The loss of each rank, where ranks logged their own."""

    fact: ClassVar[str] = "rank-losses"

    ranks: tuple[RankLoss, ...]
    """The ranks that logged a loss, by their number."""
