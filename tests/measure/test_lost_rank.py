"""Which rank was lost by itself, while the others were lost by adding its gradients to theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stetho import recording
from stetho.facts import InputScale, LostRank, NonfiniteOrigin
from stetho.recording import Recording

from .lines import HEAD, INF, NAN, TRAIN, fact, line, steps, summary, told, write

LOSSES = [1.0, 0.9, 1.1, 1.0, 0.8, 0.9]
BAD = [1.0, 1.0, 1.0, 1.0, NAN, NAN]


def lost(at: int) -> str:
    return line("own-gradient", o=0, i=at, lost=True)


def origin(step: int, op: str, **more: Any) -> str:
    return line("origin", step=step, op=op, phase="forward", site=0, graph=True, replayed=True, **more)


def ranks(folder: Path, *parts: str) -> Recording:
    """A recording of as many ranks as there are parts."""
    for rank, part in enumerate(parts):
        about = line("run", argv=[], cwd="/w", python="3", torch="2", threads=1, rank=rank, world=len(parts))
        write(folder, HEAD + about + part, f"r{rank}-{100 + rank}.jsonl")
    return recording.read(folder)


def test_a_rank_whose_loss_alone_is_lost(tmp_path: Path) -> None:
    one = steps(0, [*LOSSES[:5], NAN], g=BAD)
    two = steps(0, [*LOSSES[:4], INF, NAN], g=BAD) + origin(4, "pow")
    record = ranks(tmp_path, one, two)
    found = fact(LostRank, record)
    assert (found.rank, found.step, found.what, found.others, found.where) == (1, 4, "loss", (0,), TRAIN)
    assert (found.read_finite, found.again) == (True, True)
    assert found.loss_raised == pytest.approx(1.1 / 1.0) and found.gradient_raised == 1.0
    assert summary(LostRank, record) == "at step 4 the loss of rank 1 alone is NaN or Inf; with it all ranks are lost"
    # What made it is on the record of that rank only.
    assert fact(NonfiniteOrigin, record).operation == "pow"


def test_a_rank_whose_gradient_alone_is_lost(tmp_path: Path) -> None:
    again = line("unlocalised", step=4, what="a gradient", why="the replay of the step gives finite numbers only")
    first = line("own-gradient", o=0, i=0, lost=False)
    found = fact(LostRank, ranks(tmp_path, steps(0, LOSSES, g=BAD) + first, steps(0, LOSSES, g=BAD) + lost(4) + again))
    assert (found.rank, found.step, found.what) == (1, 4, "gradient")
    assert (found.read_finite, found.again) == (True, False)


def test_what_the_rank_has_read(tmp_path: Path) -> None:
    scale = {"mean": 0.0, "std": 1.0, "low": -1.0, "high": 1.0, "n": 8, "bad": 0, "site": 0, "step": 0}
    read = line("input", **scale)
    one, two = steps(0, LOSSES, g=BAD) + read, steps(0, LOSSES, g=BAD) + lost(4) + read
    found = ranks(tmp_path, one, two + line("origin", step=4, op="input", phase="data", site=0))
    assert fact(LostRank, found).read_finite is False
    assert fact(InputScale, found).nonfinite == 1
    unknown = ranks(tmp_path, one, two + line("unlocalised", step=4, what="a gradient", why="the model is compiled"))
    assert fact(LostRank, unknown).read_finite is None


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param((steps(0, LOSSES, g=BAD),) * 2, id="nobody is known to have been first"),
        pytest.param((steps(0, LOSSES, g=BAD) + lost(4),) * 2, id="all by themselves at once"),
        pytest.param((steps(0, [*LOSSES[:4], NAN, NAN], g=BAD),) * 2, id="the losses of all at once"),
        pytest.param((steps(0, LOSSES), steps(0, [*LOSSES[:4], NAN, 0.8]) + lost(4)), id="it was left out of the step"),
        pytest.param((steps(0, LOSSES), steps(0, LOSSES, g=BAD) + lost(4)), id="the others stay whole"),
        pytest.param((steps(0, LOSSES[:3], g=BAD[:3]), steps(0, LOSSES, g=BAD) + lost(4)), id="the others had ended"),
        pytest.param((steps(0, LOSSES), steps(0, LOSSES)), id="all is finite"),
    ],
)
def test_no_rank_was_lost_alone(tmp_path: Path, parts: tuple[str, ...]) -> None:
    assert LostRank not in told(ranks(tmp_path, *parts))


def test_losses_that_run_away_are_told_by_how_far(tmp_path: Path) -> None:
    away = [1.0, 1e6, 1e12, 1e24, 1e36, NAN]
    found = fact(LostRank, ranks(tmp_path, steps(0, away, g=BAD), steps(0, [*away[:4], INF, NAN], g=BAD)))
    assert found.rank == 1 and found.loss_raised > 1e20
    norms = [1.0, 1e3, 1e9, 1e18, NAN, NAN]
    found = fact(LostRank, ranks(tmp_path, steps(0, LOSSES, g=norms), steps(0, LOSSES, g=norms) + lost(4)))
    assert found.loss_raised < 2 and found.gradient_raised > 1e9
