"""Whether samples reach each other inside a model, also where places come first and samples after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from stetho import observer, recording
from stetho.experiment import Plan
from stetho.facts import Influence
from stetho.measure.influence import influence

PLACES, SAMPLES, FEATURES = 10, 6, 4


class Frames(nn.Module):
    """Convolutions along the places; how its input is turned is given."""

    def __init__(self, turn: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.turn = turn
        self.conv, self.out = nn.Conv1d(FEATURES, 8, 3, padding=1), nn.Linear(8, 3)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.out(self.conv(self.turn(frames).transpose(1, 2)).mean(2))
        return out


class Flat(nn.Module):
    """All places of a sample as one row."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(PLACES * FEATURES, 3)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.out(frames.reshape(frames.shape[1], -1))
        return out


class Recurrent(nn.Module):
    """A layer that takes places first, as it is given them."""

    def __init__(self, own: bool = False) -> None:
        super().__init__()
        self.layer, self.out = nn.GRU(FEATURES, 8, batch_first=own), nn.Linear(8, 3)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.out(self.layer(frames)[0][-1])
        return out


def seen(folder: Path, model: nn.Module, shape: tuple[int, ...] = (PLACES, SAMPLES, FEATURES)) -> Influence | None:
    """What a few steps of training, with a label for each sample, leave on record."""
    draw = torch.Generator().manual_seed(1)
    detach = observer.attach(asdict(Plan(str(folder), seed=0)))
    try:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(4):
            y = torch.randint(3, (SAMPLES,), generator=draw)
            loss = F.cross_entropy(model(torch.randn(*shape, generator=draw)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    finally:
        detach()
    record = recording.read(folder)
    assert not record.faults
    facts = [fact for fact, _ in influence(record) if isinstance(fact, Influence)]
    return facts[0] if facts else None


@pytest.mark.parametrize("how", ["reshaped", "flat"])
def test_a_reshape_of_places_first_mixes_the_samples(tmp_path: Path, how: str) -> None:
    model = Flat() if how == "flat" else Frames(lambda x: x.reshape(x.shape[1], x.shape[0], FEATURES))
    found = seen(tmp_path, model)
    assert found is not None
    assert (found.samples, found.manner, found.operation, found.aside) == (SAMPLES, "reshape", "reshape", False)
    assert found.mixed is not None
    assert found.mixed >= 1
    assert found.shapes[0] == (PLACES, SAMPLES, FEATURES)
    assert found.mixed_at[0].file.endswith("test_influence.py")


@pytest.mark.parametrize("how", ["transposed", "recurrent"])
def test_samples_behind_the_places_are_seen_to_be_apart(tmp_path: Path, how: str) -> None:
    found = seen(tmp_path, Recurrent() if how == "recurrent" else Frames(lambda x: x.transpose(0, 1)))
    assert found is not None
    assert (found.samples, found.mixed) == (SAMPLES, 0)


def test_places_of_single_sequences_may_reach_each_other(tmp_path: Path) -> None:
    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.out = nn.GRU(FEATURES, 8, batch_first=True), nn.Linear(8, 3)

        def forward(self, sequence: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.out(self.layer(sequence)[0].reshape(-1, 8))
            return out

    found = seen(tmp_path, Tagger(), (1, SAMPLES, FEATURES))
    assert found is None or found.mixed is None


class OtherPairs(nn.Module):
    """Compares all samples with all others: the diagonal is cut out of the table by reshaping it."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(FEATURES, 8)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        made = F.normalize(self.out(rows), dim=-1)
        n = len(made)
        return (made @ made.T).flatten()[1:].view(n - 1, n + 1)[:, :-1].reshape(n, n - 1)


def test_a_reshape_of_what_was_brought_together_before_is_not_blamed(tmp_path: Path) -> None:
    found = seen(tmp_path, OtherPairs(), (SAMPLES, FEATURES))
    assert found is not None
    assert (found.mixed, found.manner) == (SAMPLES - 1, "other")
