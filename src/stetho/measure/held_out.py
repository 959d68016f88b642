"""Whether what is evaluated was trained on, told by fingerprints of what entered the model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from stetho.facts import Overlap
from stetho.facts.held_out import TRAINED
from stetho.measure.loading import prints
from stetho.measure.series import Measured, plural
from stetho.recording import Recording

# Numbers in a sample from which on equal samples are the same one.
LEAST_NUMBERS = 3


def overlap(recording: Recording) -> Iterator[Measured]:
    """Samples of evaluation that were also trained on, beside how many would be by chance."""
    shapes = [i for i in recording.of("input") if i.get("phase") != "eval"]
    if not shapes or shapes[0].get("discrete") or too_small(recording):
        return
    batches = [b for b in recording.of("batch") if prints(b)]
    trained = [prints(b) for b in batches if b.get("phase") == "train"]
    seen = {one for batch in trained for one in batch}
    tested = [prints(b) for b in _evaluations(batches)]
    chance = _by_chance(trained, len(seen))
    if not tested or chance is None:
        return
    known = known_share(recording)
    # What is evaluated beside the held-out data may be training data, on purpose.
    own = [batch for batch in tested if sum(one in seen for one in batch) < TRAINED * max(known, 0.5) * len(batch)]
    held = {one for batch in own for one in batch}
    fact = Overlap(
        evaluated=len({one for batch in tested for one in batch}),
        held_out=len(held),
        shared=len(held & seen),
        trained=len(seen),
        known=known,
        expected=chance,
        passes=len(tested),
    )
    whole = f"{plural(fact.evaluated, 'sample')} evaluated"
    told = f"{whole}, {fact.held_out} of them apart from training data, {fact.shared} of these trained on"
    yield fact, told if held else f"{whole}, and no batch of them apart from training data"


def too_small(recording: Recording) -> bool:
    """Whether samples hold so few numbers that equal ones need not be the same."""
    shapes = [i for i in recording.of("input") if i.get("phase") != "eval"]
    return bool(shapes) and math.prod(shapes[0].get("shape", [0])[1:]) < LEAST_NUMBERS


def _evaluations(batches: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Batches of evaluation, except those that a model only looks at on the way to training on them."""
    by_step: dict[int, set[str]] = {}
    for batch in batches:
        if batch.get("phase") == "train":
            by_step.setdefault(int(batch["step"]), set()).update(prints(batch))
    for batch in batches:
        own = set(prints(batch))
        if batch.get("phase") == "eval" and not own <= by_step.get(int(batch["step"]), set()):
            yield batch


def _by_chance(trained: list[tuple[str, ...]], different: int) -> float | None:
    """The share of new samples that would equal one trained on by chance, by how often two of one batch are equal."""
    pairs = sum(len(batch) * (len(batch) - 1) // 2 for batch in trained)
    equal = sum(len(batch) - len(set(batch)) for batch in trained)
    return 1 - math.exp(-different * (equal + 1) / pairs) if pairs else None


def known_share(recording: Recording) -> float:
    """The share of the training data that was met: of the last batches, what came before."""
    trained = [prints(b) for b in recording.of("batch") if b.get("phase") == "train" and prints(b)]
    cut = len(trained) * 4 // 5
    before = {one for batch in trained[:cut] for one in batch}
    late = [one for batch in trained[cut:] for one in batch]
    return sum(one in before for one in late) / len(late) if late else 0.0
