"""Data loading: the loaders and their settings, and which samples came again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from statistics import median
from typing import Any

from stetho.facts import Fingerprints, Loader, Loaders, TrainingSet
from stetho.measure.series import Measured, plural
from stetho.recording import Event, Recording

Batch = dict[str, Any]
# Samples of a batch that have fingerprints, and the share of late ones that have come before when all were met.
PRINTED, MET_AGAIN = 256, 0.95


@dataclass
class Epoch:
    """One pass of one loader, with the batches that were looked at in it."""

    loader: int
    step: int
    batches: list[Batch] = field(default_factory=list)

    def by_position(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """The fingerprints of each batch by its distance from the epoch's beginning."""
        found: dict[tuple[int, int], tuple[str, ...]] = {}
        met: Counter[int] = Counter()
        for batch in self.batches:
            offset = int(batch["step"]) - self.step
            found[offset, met[offset]] = prints(batch)
            met[offset] += 1
        return found


def prints(batch: Batch) -> tuple[str, ...]:
    return tuple(map(str, batch.get("h") or ()))


def unthinned(recording: Recording) -> list[Event]:
    """The events up to the first segment that was thinned: beyond it, beginnings of epochs are missing."""
    return list(takewhile(lambda event: event.kind != "thinned", recording.events))


def phases(recording: Recording) -> dict[int, str]:
    """What each loader is for: the phase of the batches that come after it is begun, by majority."""
    votes: dict[int, Counter[str]] = defaultdict(Counter)
    begun: list[int] = []
    for event in unthinned(recording):
        if event.kind == "epoch":
            begun.append(int(event.body["l"]))
        elif event.kind == "batch":
            phase = str(event.body.get("phase"))
            if event.body.get("l") is not None:
                votes[int(event.body["l"])][phase] += 1
            elif begun:
                votes[begun.pop(0)][phase] += 1
    return {loader: count.most_common(1)[0][0] for loader, count in votes.items()}


def training_epochs(recording: Recording) -> list[Epoch]:
    """The passes of the loaders that feed the training, with their batches; evaluations in between do not end them."""
    role = phases(recording)
    epochs: list[Epoch] = []
    for event in unthinned(recording):
        if event.kind == "epoch" and role.get(int(event.body["l"])) == "train":
            epochs.append(Epoch(int(event.body["l"]), int(event.body["step"])))
        elif event.kind == "batch" and event.body.get("phase") == "train" and epochs:
            source = event.body.get("l")
            mine = [e for e in epochs if source is None or e.loader == source]
            if mine:
                mine[-1].batches.append(event.body)
    return epochs


def loaders(recording: Recording) -> Iterator[Measured]:
    """Every DataLoader with its settings and how often it was gone through."""
    role = phases(recording)
    begun: dict[int, list[int]] = defaultdict(list)
    for event in unthinned(recording):
        if event.kind == "epoch":
            begun[int(event.body["l"])].append(int(event.body["step"]))
    found = tuple(_loader(recording, b, begun[int(b["l"])], role.get(int(b["l"]))) for b in recording.of("loader"))
    if found:
        yield Loaders(found), "; ".join(map(_told, found[:4])) + (f"; {len(found) - 4} more" if len(found) > 4 else "")


def _loader(recording: Recording, body: dict[str, Any], begun: list[int], phase: str | None) -> Loader:
    gaps = [later - earlier for earlier, later in pairwise(begun)]
    return Loader(
        where=recording.place(body.get("site")),
        samples=body.get("samples"),
        batches=body.get("batches"),
        batch=body.get("batch"),
        workers=body.get("workers"),
        sampler=body.get("sampler"),
        shuffle=body.get("shuffle"),
        drop_last=body.get("drop_last"),
        iterable=body.get("iterable"),
        persistent=body.get("persistent"),
        generators=tuple(map(str, body.get("generators") or ())),
        epochs=None if recording.of("thinned") else len(begun),
        phase=phase,
        steps_per_epoch=float(median(gaps)) if gaps else None,
        alike=_alike(recording, int(body["l"])),
    )


def _alike(recording: Recording, loader: int) -> tuple[str, ...] | None:
    told = [body["alike"] for body in recording.of("workers") if int(body["l"]) == loader]
    return tuple(dict.fromkeys(str(name) for names in told for name in names)) if told else None


def _told(one: Loader) -> str:
    size = f"{one.samples} samples" if one.samples is not None else "samples of unknown number"
    order = {True: "shuffled", False: "in order", None: f"drawn by {one.sampler}"}[one.shuffle]
    workers = f", {plural(one.workers, 'worker')}" if one.workers else ""
    begun = f", begun {plural(one.epochs, 'time')}" if one.epochs is not None else ""
    return f"loader at {one.where}: {size} in batches of {one.batch}, {order}{workers}{begun}"


def fingerprints(recording: Recording) -> Iterator[Measured]:
    """Samples and batches that came again: within an epoch, from epoch to epoch, in evaluation."""
    batches = [b for b in recording.of("batch") if b.get("h")]
    trained = [b for b in batches if b.get("phase") == "train"]
    if not trained:
        return
    samples = [h for b in trained for h in prints(b)]
    tested = {h for b in batches if b.get("phase") == "eval" for h in prints(b)}
    # A step may look at its batch more than once (a closure); only the next step's batch counts as the same again.
    again = sum(a["step"] != b["step"] and prints(a) == prints(b) for a, b in pairwise(trained))
    epochs = [e for e in training_epochs(recording) if e.batches]
    compared, same = _same_order(epochs)
    fact = Fingerprints(
        batches=len(trained),
        samples=len(samples),
        distinct=len(set(samples)),
        same_as_before=again,
        distinct_batches=len({prints(b) for b in trained}),
        epochs=len(epochs) if epochs else None,
        repeated=sum(_repeats(e) for e in epochs) if epochs else None,
        epochs_compared=compared if epochs else None,
        same_order=same if epochs else None,
        evaluated=len(tested),
        shared=len(tested & set(samples)),
        regrouped=_regrouped(trained),
    )
    told = f"{fact.distinct} different samples among {fact.samples} in {plural(fact.batches, 'training batch')}"
    told += f", {fact.repeated} again within an epoch" if fact.repeated else ""
    told += f", the same order in {fact.same_order} of {plural(compared, 'later epoch')}" if compared else ""
    told += f"; {fact.shared} of {fact.evaluated} evaluation samples were trained on" if tested else ""
    yield fact, told


def _regrouped(batches: list[dict[str, Any]]) -> int:
    """Different samples that came again with hardly any of those beside them that were there before."""
    company: dict[str, set[str]] = {}
    found: set[str] = set()
    for batch in batches:
        here = set(prints(batch))
        for one in here:
            before = company.setdefault(one, here)
            if before is not here and len(before & here) < 0.5 * min(len(before), len(here)):
                found.add(one)
    return len(found)


def _repeats(epoch: Epoch) -> int:
    """Samples that came again in one epoch, not counting batches that one step looked at twice."""
    seen = list({(b["step"], prints(b)): prints(b) for b in epoch.batches}.values())
    samples = [h for batch in seen for h in batch]
    return len(samples) - len(set(samples))


def _same_order(epochs: list[Epoch]) -> tuple[int, int]:
    """Epochs that share a looked-at position with the first one of their loader, and those that are the same there."""
    first: dict[int, dict[tuple[int, int], tuple[str, ...]]] = {}
    compared = same = 0
    for epoch in epochs:
        here = epoch.by_position()
        model = first.setdefault(epoch.loader, here)
        common = here.keys() & model.keys()
        if model is not here and common:
            compared += 1
            same += all(here[p] == model[p] for p in common)
    return compared, same


def training_set(recording: Recording) -> Iterator[Measured]:
    """How many samples there are to learn from, where a loader tells or all of them were met again and again."""
    parameters = max((int(b.get("trainable") or 0) for b in recording.of("model")), default=0)
    role = phases(recording)
    told = [int(b.get("samples") or 0) for b in recording.of("loader") if role.get(int(b["l"])) == "train"]
    if not parameters:
        return
    if told and min(told) > 0:
        samples = sum(told)
        yield TrainingSet(samples, parameters, True), f"{samples} samples to train {parameters} parameters on"
        return
    batches = [prints(b) for b in recording.of("batch") if b.get("phase") == "train" and prints(b)]
    cut = len(batches) * 2 // 3
    before = {one for batch in batches[:cut] for one in batch}
    late = [one for batch in batches[cut:] for one in batch]
    # Of a larger batch only a part has fingerprints.
    whole = max(map(len, batches), default=0) < PRINTED
    if late and whole and sum(one in before for one in late) >= MET_AGAIN * len(late):
        samples = len(before.union(late))
        yield TrainingSet(samples, parameters, False), f"{samples} samples to train {parameters} parameters on"
