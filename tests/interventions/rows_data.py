"""The rows for what changes the data, its loading, the command and its environment."""

from __future__ import annotations

from rows import HF, LIGHTNING, LOADER, RAW, TRAINER, Row

SLICES = "it cuts its batches from two tensors and has no DataLoader"
ALONE = "one process trains"

ROWS = {
    "noise-inputs": Row(),
    "zero-inputs": Row(),
    "seed": Row("7"),
    "synthetic": Row(),
    "standardised-inputs": Row(lacks={HF: "its inputs are tokens"}),
    "batch-size": Row("8"),
    "shuffled-order": Row(flags=("--ordered",)),
    "data-fraction": Row("0.1"),
    "augmentation-off": Row(lacks={RAW: SLICES}),
    "workers": Row("1", lacks={RAW: SLICES}),
    "compute-only": Row(lacks={RAW: SLICES}),
    "loader-only": Row("40", lacks={RAW: SLICES}),
    "steps": Row("3"),
    "env": Row("STETHO_TEST_VARIABLE=2"),
    "arg": Row("--lr=0.01"),
    "single-process": Row(lacks=dict.fromkeys((RAW, LOADER, TRAINER, LIGHTNING, HF), ALONE)),
}
