"""What a logged number is, told by the words of its name: people name metrics in many ways, and in few words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "loss", "score", "rate", "gradient", "pace", "duration", "memory", "reward", "step", "epoch", "time", "other"
]
Split: TypeAlias = Literal["training", "validation", ""]

WORDS = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+")
VALIDATION = frozenset(["val", "valid", "validation", "eval", "evaluation", "test", "dev", "heldout", "holdout"])
TRAINING = frozenset(["train", "training", "trn", "tr"])
LOSSES = frozenset({
    "loss", "losses", "nll", "mse", "rmse", "mae", "bce", "ce", "xent", "crossentropy", "cost", "objective",
    "logloss", "mlogloss", "elbo", "perplexity", "ppl", "error", "err", "huber", "hinge", "kl", "l1", "l2", "bpc",
    "bpb", "wer", "cer", "fid", "lpips", "rmsle", "mape", "deviance", "merror", "nce", "infonce", "ntxent",
    "contrastive",
    "triplet", "ctc", "rnnt", "kld", "nelbo", "focal", "quantile", "pinball", "smoothl1", "logcosh",
})  # fmt: skip
SCORES = frozenset({
    "acc", "accuracy", "auc", "auroc", "f1", "precision", "recall", "map", "iou", "miou", "dice", "bleu", "rouge",
    "psnr", "ssim", "r2", "ndcg", "mrr", "hit", "top1", "top5", "score", "success", "correlation", "kappa", "mcc",
    "ap",
})  # fmt: skip
REWARDS = frozenset(["reward", "rewards", "return", "returns", "rew"])
MEMORY = frozenset(["memory", "mem", "rss", "vram", "ram", "allocated", "reserved"])
PACES = frozenset(["throughput", "tps", "fps", "tflops", "mfu", "sps", "it_s", "tok_s", "persec"])
DURATIONS = frozenset(["time", "duration", "elapsed", "seconds", "secs", "runtime", "dt", "latency", "ms"])
STEPS = frozenset(["step", "steps", "iter", "iters", "iteration", "iterations", "globalstep"])
# What a loss is called when it is the whole of it, and not a part.
WHOLE = frozenset({
    "loss", "total", "train", "training", "lm", "all", "sum", "overall", "objective", "batch", "step", "epoch",
    "avg", "mean", "average", "running", "smoothed", "ema", "the", "final", "ce", "nll", "xent",
})  # fmt: skip


@dataclass(frozen=True)
class Role:
    """What a series is of."""

    kind: Kind
    split: Split = ""
    plain: int = 0
    """Words of the name that say neither what nor of which split it is: fewer are closer to the whole."""


def words_of(name: str) -> frozenset[str]:
    """The words of a name in lower case, without the numbers behind them."""
    return frozenset(word.lower().rstrip("0123456789") for word in WORDS.findall(name))


@lru_cache(4096)
def role(name: str) -> Role:
    """The role of a series, by its name alone."""
    words = [word.lower() for word in WORDS.findall(name)]
    split: Split = (
        "validation" if VALIDATION.intersection(words) else "training" if TRAINING.intersection(words) else ""
    )
    rest = [word for word in words if word not in VALIDATION | TRAINING and not word.isdigit()]
    kind = kind_of(rest, "".join(rest), "_".join(rest))
    return Role(kind, split, sum(word not in WHOLE and word not in LOSSES for word in rest))


def kind_of(words: list[str], joined: str, spelled: str) -> Kind:
    known = set(words) | {joined, spelled}
    last = words[-1] if words else ""
    if known & {"lr", "learningrate"} or "learning_rate" in spelled or spelled.startswith("lr_"):
        return "rate"
    if last in ("loss", "losses"):
        return "loss"
    if known & {"grad", "gradient", "grads", "gradients", "gnorm"}:
        return "gradient" if known & {"norm", "norms", "gnorm", "grad", "grads", "l2"} else "other"
    if known & PACES or re.search(r"(per|_)_?(s|sec|second)$|_s$", spelled):
        return "pace"
    if known & STEPS and not known & LOSSES:
        return "duration" if known & DURATIONS else "step"
    if joined in ("epoch", "epochs"):
        return "epoch"
    if known & {"timestamp", "walltime"}:
        return "time"
    if known & REWARDS:
        return "reward"
    if known & MEMORY:
        return "memory"
    if known & SCORES and "loss" not in known:
        return "score"
    if known & LOSSES and last not in ("scale", "scaler", "weight", "coef", "coefficient"):
        return "loss"
    return "duration" if known & DURATIONS else "other"
