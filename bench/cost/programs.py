"""The training programs whose step time is measured, each as a user would write it.

    python bench/cost/programs.py NAME STEPS

Standard library and torch only, in one file: the same program runs in other environments, under other tools.
"""

import itertools
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class Wave(nn.Module):
    """A recurrent net that reads a sequence and classifies it by its last state."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 128, batch_first=True)
        self.head = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states, _ = self.lstm(x)
        return self.head(states[:, -1])


class Tokens(nn.Module):
    """A transformer that predicts each next token."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(256, 256)
        self.place = nn.Parameter(torch.zeros(64, 256))
        layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.1, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
        self.head = nn.Linear(256, 256)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.layers(self.embed(x) + self.place, mask=self.mask, is_causal=True)
        return self.head(hidden).flatten(0, 1)


# A model, a pool of batches and their labels.
Parts = tuple[nn.Module, torch.Tensor, torch.Tensor]
# Batches in the pool: each step sees another one, as in training, without the cost of loading it.
POOL = 8


def mlp() -> Parts:
    sizes = [128, 128, 128, 128]
    layers = [m for a, b in itertools.pairwise(sizes) for m in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers, nn.Linear(128, 10)), torch.randn(POOL, 64, 128), torch.randint(10, (POOL, 64))


def cnn() -> Parts:
    widths = [3, 16, 32, 64]
    blocks = [
        m
        for a, b in itertools.pairwise(widths)
        for m in (nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2))
    ]
    return (
        nn.Sequential(*blocks, nn.Flatten(), nn.Linear(1024, 10)),
        torch.randn(POOL, 64, 3, 32, 32),
        torch.randint(10, (POOL, 64)),
    )


def transformer() -> Parts:
    return Tokens(), torch.randint(256, (POOL, 8, 64)), torch.randint(256, (POOL, 8 * 64))


def lstm() -> Parts:
    return Wave(), torch.randn(POOL, 32, 32, 32), torch.randint(10, (POOL, 32))


def wide(parameters: int) -> Parts:
    """About so many parameters in four square layers, and a batch so small that the parameters are most of the work."""
    side = round((parameters / 4) ** 0.5)
    layers = [m for _ in range(4) for m in (nn.Linear(side, side), nn.ReLU())]
    return nn.Sequential(*layers, nn.Linear(side, 10)), torch.randn(POOL, 4, side), torch.randint(10, (POOL, 4))


def deep(depth: int) -> Parts:
    """So many narrow layers: each costs little, so that what is done once per layer shows."""
    layers = [m for _ in range(depth) for m in (nn.Linear(32, 32), nn.Tanh())]
    return nn.Sequential(*layers, nn.Linear(32, 10)), torch.randn(POOL, 64, 32), torch.randint(10, (POOL, 64))


PROGRAMS: dict[str, Callable[[], Parts]] = {
    "mlp": mlp,
    "cnn": cnn,
    "transformer": transformer,
    "lstm": lstm,
}


class Training:
    """A model, its optimizer and its batches, and one step with them."""

    def __init__(self, model: nn.Module, optimizer: Any, batches: Any) -> None:
        self.model = model
        self.optimizer = optimizer
        self.batches = batches

    def step(self) -> None:
        data, labels = next(self.batches)
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(data), labels)
        loss.backward()
        self.optimizer.step()


def build(name: str) -> Training:
    """Everything for a program; `wide-1000000`, `adam-1000000` (wide too) and `deep-50` carry their size."""
    torch.manual_seed(0)
    kind, _, size = name.rpartition("-")
    if kind:
        model, x, y = deep(int(size)) if kind == "deep" else wide(int(size))
    else:
        model, x, y = PROGRAMS[name]()
    if kind == "wide":
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    return Training(model, optimizer, itertools.cycle(zip(x, y, strict=True)))


def main() -> None:
    torch.set_num_threads(1)
    training = build(sys.argv[1])
    steps = int(sys.argv[2])
    begun = time.process_time()
    for number in range(steps):
        if number == steps // 2:
            middle = time.process_time()
        training.step()
    ended = time.process_time()
    print(
        f"seconds of processor time, first and second half of {steps} steps: {middle - begun:.6f} {ended - middle:.6f}"
    )


if __name__ == "__main__":
    main()
