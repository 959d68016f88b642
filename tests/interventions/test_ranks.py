"""Changes that are about several ranks, on two that train together over gloo."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stetho import catalogue, measure, recording
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.facts import LossCurve, LostRank, RankArrival, RankWaiting, StepTimes
from stetho.interventions import others_held_up
from stetho.proof import why_not_applied
from stetho.recording import Recording

CHANGES = catalogue.load().interventions
LAUNCH = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "train.py")

BEGINNING = """
import torch, torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(3)
net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
draw = torch.Generator().manual_seed(rank)
"""

# The gradient of one parameter is spoilt on its way, where the wrapper brings gradients together during backward.
WRAPPED = """
calls = []
def spoil(gradient):
    calls.append(1)
    return gradient * float("inf") if (rank, len(calls)) in SPOILT else gradient
net[2].bias.register_hook(spoil)
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(24):
    x = torch.randn(16, 5, generator=draw)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
"""

# The loss itself is, and the program brings gradients together by hand.
BY_HAND = """
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(24):
    x = torch.randn(16, 5, generator=draw)
    loss = nn.functional.mse_loss(net(x), x[:, :1]) * (float("inf") if (rank, step) in SPOILT else 1.0)
    optimizer.zero_grad()
    loss.backward()
    for parameter in net.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= 2
    optimizer.step()
dist.destroy_process_group()
"""


# Rank one comes late to every backward.
LATE = """
import time
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(24):
    x = torch.randn(16, 5, generator=draw)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    time.sleep(0.3 * rank)
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
"""


def run(folder: Path, program: str, *changes: str) -> Recording:
    """What the ranks of a program leave on record, under the changes."""
    (folder / "train.py").write_text(program)
    named = [change.partition("=") for change in changes]
    made = tuple((name, value, CHANGES[name].path) for name, _, value in named)
    ran = local.run(Job((sys.executable, *LAUNCH), str(folder), 0, Bound(120.0, 24), changes=made))
    try:
        record = recording.read(ran.recording)
        assert not record.faults and len(record.ranks) == 2, ran.output.read_text()
        return record
    finally:
        ran.discard()


def curve(record: Recording) -> LossCurve:
    return next(fact for fact, _ in measure.facts(record) if isinstance(fact, LossCurve))


def lost(record: Recording) -> LostRank | None:
    return next((fact for fact, _ in measure.facts(record) if isinstance(fact, LostRank)), None)


@pytest.mark.parametrize(
    ("program", "spoilt", "rank", "step", "what"),
    [(WRAPPED, "[(1, 10)]", 1, 9, "gradient"), (BY_HAND, "[(0, 12)]", 0, 12, "loss")],
)
def test_the_rank_that_is_lost_is_found_and_left_out(
    tmp_path: Path, program: str, spoilt: str, rank: int, step: int, what: str
) -> None:
    text = BEGINNING + f"SPOILT = {spoilt}\n" + program
    base = run(tmp_path, text)
    found = lost(base)
    assert found is not None and (found.rank, found.step, found.what) == (rank, step, what)
    assert curve(base).nonfinite_step == step
    changed = run(tmp_path, text, "lost-rank-out")
    assert not why_not_applied(changed)
    assert [one.applied.count for one in changed.ranks.values()] == [1, 1]
    assert all(curve(one).nonfinite_step is None for one in changed.ranks.values())
    # Before that step the change does what the program does, up to rounding.
    one, two = curve(base).values[:step], curve(changed).values[:step]
    assert two == pytest.approx(one, rel=1e-5)


def test_ranks_that_are_lost_by_turns_are_no_matter_of_a_rank(tmp_path: Path) -> None:
    changed = run(tmp_path, BEGINNING + "SPOILT = [(0, 5), (1, 12)]\n" + BY_HAND, "lost-rank-out")
    assert "ranks 0, 1 are not finite" in why_not_applied(changed)


def test_ranks_that_are_lost_at_once_are_left_as_they_are(tmp_path: Path) -> None:
    changed = run(tmp_path, BEGINNING + "SPOILT = [(0, 5), (1, 5)]\n" + BY_HAND, "lost-rank-out")
    assert "nothing to act on" in why_not_applied(changed)
    assert curve(changed).nonfinite_step == 5


def test_all_ranks_but_the_slow_one_are_held_up(tmp_path: Path) -> None:
    base, held = run(tmp_path, BEGINNING + LATE), run(tmp_path, BEGINNING + LATE, "others-held-up=1:0.2")
    assert not why_not_applied(held, somewhere=True)
    assert [one.applied.count for one in held.ranks.values()] == [24, 0]
    assert curve(held).values == curve(base).values, "nothing that is computed is another"
    before, after = (
        next(fact for fact, _ in measure.facts(record) if isinstance(fact, RankWaiting)) for record in (base, held)
    )
    # They still wait for the slow one, by as much less as they were held up.
    assert after.arrivals[1].last == 24
    assert after.spread_median < before.spread_median - 0.1


def test_who_is_held_up_and_for_how_long() -> None:
    arrivals = (
        RankArrival(0, 1, 0.06, 2.4), RankArrival(1, 38, 0.0, 0.1), RankArrival(2, 1, 0.05, 2.0),
    )  # fmt: skip
    known = {"rank-waiting": RankWaiting(40, 0.06, 0.1, 3, arrivals), "step-times": StepTimes(0.2, 0.1, 0.2, 0, 4.0)}
    assert others_held_up.chosen(known) == "1:0.03500"
    assert others_held_up.fits(known)
    assert not others_held_up.fits({**known, "step-times": StepTimes(0.2, 0.5, 0.6, 0, 20.0)})
    assert not others_held_up.fits({})
    with pytest.raises(ValueError, match="a rank and seconds"):
        others_held_up.read("1:-2")
