"""SageMaker Debugger's built-in rules for deep learning, written again from their published defaults.

The rule bodies are not public. Each rule here says what its documentation says, with the defaults that stand there, on
every step of the run: more than the service saves unless it is told to. A rule names no cause; the one that its
documentation speaks of first is taken for it. The order of the table decides which alarm is ranked first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.judge.answer import Answer
from bench.judge.injection import run_with
from bench.judge.running import run, scratch
from bench.judge.subject import Subject

TOOL = "SageMaker Debugger rules"
LIMIT = 120.0
Saved = Mapping[str, Any]


def exploding_tensor(saved: Saved) -> bool:
    return any(saved["nonfinite"])


def vanishing_gradient(saved: Saved, threshold: float = 1e-7) -> bool:
    return any(mean is not None and mean < threshold for mean in saved["gradients"])


def dead_relu(saved: Saved, threshold_layer: float = 0.5) -> bool:
    return any(total / count > threshold_layer for count, total in saved["inactive"].values() if count)


def saturated_activation(saved: Saved, threshold_layer: float = 0.5) -> bool:
    return any(total / count > threshold_layer for count, total in saved["saturated"].values() if count)


def poor_weight_initialization(saved: Saved, threshold: float = 10.0) -> bool:
    held = [v for v in saved["variances"] if v > 0]
    return bool(held) and max(held) / min(held) > threshold


def weight_update_ratio_large(saved: Saved, large: float = 10.0) -> bool:
    return any(high > large for _, high in saved["updates"])


def weight_update_ratio_small(saved: Saved, small: float = 1e-8) -> bool:
    return any(low < small for low, _ in saved["updates"])


def unchanged_tensor(saved: Saved, num_steps: int = 3) -> bool:
    return any(longest >= num_steps for _, longest in saved["unchanged"].values())


def class_imbalance(saved: Saved, threshold: float = 10.0) -> bool:
    counts = saved["labels"].values()
    return len(counts) > 1 and max(counts) / min(counts) > threshold


def loss_not_decreasing(saved: Saved, num_steps: int = 10, diff_percent: float = 0.1) -> bool:
    every = saved["losses"][::num_steps]
    return any(later > earlier * (1 - diff_percent / 100) for earlier, later in pairwise(every) if earlier > 0)


RULES: tuple[tuple[Callable[[Saved], bool], str], ...] = (
    (exploding_tensor, "num/exploding-gradients"),
    (dead_relu, "arch/dead-units"),
    (saturated_activation, "arch/vanishing-gradients"),
    (class_imbalance, "data/class-imbalance"),
    (unchanged_tensor, "train/params-frozen"),
    (vanishing_gradient, "arch/vanishing-gradients"),
    (weight_update_ratio_large, "hp/lr-too-high"),
    (weight_update_ratio_small, "hp/lr-too-low"),
    (poor_weight_initialization, "arch/bad-init"),
    (loss_not_decreasing, "hp/lr-too-low"),
)


def version() -> str:
    return "defaults of 2024"


def alarms(saved: Saved) -> list[tuple[str, str]]:
    """The rules that fire, with the cause that each is taken for."""
    return [(rule.__name__, cause) for rule, cause in RULES if rule(saved)]


def answer(subject: Subject, version: str) -> Answer:
    with scratch() as folder:
        out = Path(folder) / "saved"
        ran = run_with("tensors.py", subject, Path(folder) / subject.base, LIMIT, {"BENCH_OUT": str(out)})
        files = sorted(Path(folder).glob("saved.*"), key=lambda path: -path.stat().st_size)
        saved = json.loads(files[0].read_text()) if files else None
        plain = Path(folder) / "plain" / subject.base
        subject.lay(plain)
        alone = run(subject.command, plain, seconds=LIMIT)
    known = dict(seconds=ran.seconds, processor=round(ran.processor, 2), plain=round(alone.processor, 2), runs=1.0)
    if saved is None:
        return Answer(TOOL, version, subject.id, subject.digest, "failed", said="nothing was saved", **known)  # type: ignore[arg-type]
    fired = alarms(saved)
    causes = list(dict.fromkeys(cause for _, cause in fired))
    ranking = tuple((cause, 1 / len(causes)) for cause in causes) or (("none/healthy", 0.5),)
    said = " ".join(name for name, _ in fired)
    status = "suspected" if fired else "clear"
    return Answer(TOOL, version, subject.id, subject.digest, status, ranking, said=said, **known)  # type: ignore[arg-type]
