"""The rows of the matrix: for each intervention the value it is shown with, what the programs must have for it, and
the styles that lack the thing itself."""

from __future__ import annotations

from dataclasses import dataclass, field

RAW, LOADER, TRAINER, LIGHTNING, HF, RANKS = (
    "raw loop", "DataLoader", "trainer class", "Lightning", "HF Trainer", "torchrun, 2 ranks",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One intervention over all styles."""

    value: str = ""
    flags: tuple[str, ...] = ()
    lacks: dict[str, str] = field(default_factory=dict)
    """Styles in which the thing it changes does not exist, with the reason."""


ROWS = {
    "lr": Row("x10"),
    "one-batch": Row(),
    "shuffled-labels": Row(),
    "loss-input": Row(flags=("--softmax",)),
    "clip": Row("0.5"),
    "zero-grad": Row(flags=("--never-clear",), lacks={HF: "its Trainer always clears gradients"}),
    "log-floor": Row(flags=("--zeros",)),
    "divisor-floor": Row(flags=("--edges",)),
    "root-floor": Row(flags=("--edges",)),
    "exponent-limit": Row(flags=("--edges",)),
    "optimize-all": Row(flags=("--forget",)),
}
