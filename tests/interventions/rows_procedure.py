"""The rows of the matrix for changes of the procedure: optimizer, modes, gradients, loss, numbers."""

from __future__ import annotations

from rows import Row

ROWS = {
    "warmup": Row("6"),
    "constant-lr": Row(),
    "warm-restart": Row("4"),
    "weight-decay": Row("0"),
    "dropout": Row("off"),
    "no-regularisation": Row(),
    "eval-mode": Row(),
    "right-mode": Row(flags=("--always-eval",)),
    "keep-gradients": Row(flags=("--wipe",)),
    "train-all": Row(flags=("--freeze",)),
    "mean-reduction": Row(flags=("--summed",)),
    "loss-term": Row("1", flags=("--plain",)),
    "loss-shapes": Row(flags=("--regress",)),
    "balanced-loss": Row(),
    "activation": Row("leaky"),
    "optimizer": Row("adam"),
    "autocast": Row("off", flags=("--half",)),
    "float64": Row(),
    "compile": Row("off", flags=("--compiled",)),
    "checkpointing": Row("off", flags=("--recompute",)),
    "deterministic": Row(),
    "anomaly": Row(),
}
