from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Labels, Loaders

SORTED = {
    "classes": 5, "counted": 4000, "neighbours": 6300, "same": 0.99, "expected": 0.2, "batches": 100,
    "classes_per_batch": 1.1, "expected_per_batch": 5.0,
}  # fmt: skip
LOADER = {
    "where": {"file": "data.py", "line": 12}, "samples": 4000, "batches": 63, "batch": 64, "workers": 0,
    "sampler": "SequentialSampler", "shuffle": False, "drop_last": False, "iterable": False, "persistent": False,
    "generators": [], "epochs": 3, "phase": "train", "steps_per_epoch": 63.0,
}  # fmt: skip


@check(
    reads=Labels,
    also=Loaders,
    root="label-order",
    background=0.02,
    fires={
        "sorted by class": {"labels": SORTED, "loaders": {"loaders": [LOADER]}},
        "two classes, without a loader": {
            "labels": {**SORTED, "classes": 2, "expected": 0.5, "classes_per_batch": 1.05, "expected_per_batch": 2.0},
        },
    },
    quiet={
        "shuffled": {"labels": {**SORTED, "same": 0.2, "classes_per_batch": 4.98}},
        "whole data in one batch": {"labels": {**SORTED, "classes_per_batch": 5.0}},
        "in the order of time, and mixed": {"labels": {**SORTED, "same": 0.75, "classes_per_batch": 3.4}},
        "batches of one sample": {
            "labels": {**SORTED, "neighbours": 0, "batches": 100, "classes_per_batch": 1.0, "expected_per_batch": 1.0},
        },
        "numbers, no classes": {"labels": {"mean": 0.0, "std": 1.0}},
        "one class dominates": {
            "labels": {**SORTED, "same": 0.98, "expected": 0.97, "classes_per_batch": 1.3, "expected_per_batch": 1.35},
        },
        "few batches": {"labels": {**SORTED, "batches": 4}},
    },
)  # fmt: skip
def batches_of_one_class(labels: Labels, loaders: Loaders | None, *, least: int = 10) -> Iterator[Finding]:
    """Most training batches hold far fewer classes than samples dealt at random would give them.

    ## Why it matters
    Within one class the model soon answers nothing else, and forgets the classes that came before.

    ## False alarms
    Samples in the order of time share their label with their neighbours and still come in batches of several classes.
    A batch that is all the data may be sorted as it likes.
    """
    per_batch, expected = labels.classes_per_batch, labels.expected_per_batch
    if per_batch is None or expected is None or labels.batches < least or expected < 1.8:
        return
    if per_batch - 1 <= 0.35 * (expected - 1) and (labels.same or 0.0) > (labels.expected or 0.0) + 0.2:
        own = [x for x in loaders.loaders if x.shuffle is False and x.steps_per_epoch] if loaders is not None else []
        yield Finding(
            f"{labels.batches} training batches hold {per_batch:.2g} classes on average, in random order "
            f"{expected:.2g} would be; neighbours share the label in {labels.same or 0.0:.0%}",
            where=tuple(x.where for x in own if x.where is not None),
        )
