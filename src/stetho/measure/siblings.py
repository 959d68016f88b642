"""Whether samples come in groups of near copies, and whether the groups were torn apart by the split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from stetho.facts import Siblings
from stetho.measure.series import Measured
from stetho.measure.shift import all_finite, even, sides
from stetho.recording import Recording

# Samples that are compared, the fewest of either side, and numbers of a sample from which on nearness tells something.
MOST, LEAST, NUMBERS = 1600, 24, 4
# Steps from copy to copy there must be of all, groups, and by how much the ways between groups are longer.
COPIES, GROUPS, TIMES = 0.3, 20, 2.0
# Steps and ways on either side of the gap that may be shorter or longer than their like.
FEW = 0.01


def siblings(recording: Recording) -> Iterator[Measured]:
    """Held-out and training samples as they entered the model, by their distances."""
    import numpy as np

    train, held = sides(recording)
    forms = Counter(one.form for one in held for _ in one.rows)
    shared = [form for form, _ in forms.most_common() if any(one.form == form for one in train)]
    if not shared or shared[0][-1]:
        return
    ours, theirs = (even([one for one in side if one.form == shared[0]]) for side in (train, held))
    widths = {one.rows.shape[1] for one in (*ours, *theirs)}
    if len(widths) != 1 or min(widths) < NUMBERS or not all_finite((*ours, *theirs)):
        return
    sizes = [sum(len(one.rows) for one in side) for side in (ours, theirs)]
    if min(sizes) < LEAST:
        return
    x = [
        np.concatenate([one.rows for one in side]).astype("float64")[: MOST // 2 + MOST // 4] for side in (ours, theirs)
    ]
    fact = compared(*x)
    if fact is not None:
        told = f"groups of near copies, {fact.near:.3g} from copy to copy and {fact.gap:.3g} from group to group"
        yield fact, f"{told}: {fact.with_training} of {fact.held_out} held-out samples have copies in training"


def compared(train: Any, held: Any) -> Siblings | None:
    """Both sides by the groups that they fall into together; None where they fall into none."""
    import numpy as np

    # What is equal is no near copy, and is told of elsewhere.
    train = np.unique(train, axis=0)
    rows, first = np.unique(np.concatenate((train, held)), axis=0, return_index=True)
    is_held = first >= len(train)
    if is_held.sum() < LEAST or len(train) < LEAST:
        return None
    ends, lengths = shortest_tree(rows)
    found = gap_in(np.sort(lengths))
    if found is None:
        return None
    near, gap = found
    groups = joined(len(rows), ends[lengths < (near * gap) ** 0.5])
    trained, tested = (
        np.bincount(groups[~is_held], minlength=len(rows)),
        np.bincount(groups[is_held], minlength=len(rows)),
    )
    torn = (trained > 0) & (tested > 0)
    return Siblings(
        trained=int((~is_held).sum()),
        held_out=int(is_held.sum()),
        groups=len(np.unique(groups)),
        largest=int((trained + tested).max()),
        near=near,
        gap=gap,
        with_training=int(tested[torn].sum()),
        of_training=float(trained[torn].mean()) if torn.any() else 0.0,
    )


def shortest_tree(rows: Any) -> tuple[Any, Any]:
    """The shortest ways that connect all samples: their ends, and their lengths."""
    import numpy as np

    inside = np.zeros(len(rows), bool)
    best, come_from = np.full(len(rows), np.inf), np.zeros(len(rows), int)
    ends, lengths, at = [], [], 0
    for _ in range(len(rows) - 1):
        inside[at] = True
        # Differences, not products: of large numbers that are nearly equal, products leave nothing.
        far = np.sqrt(((rows - rows[at]) ** 2).sum(axis=1))
        nearer = far < best
        best[nearer], come_from[nearer] = far[nearer], at
        best[inside] = np.inf
        at = int(best.argmin())
        ends.append((at, come_from[at]))
        lengths.append(best[at])
    return np.array(ends), np.array(lengths)


def gap_in(lengths: Any) -> tuple[float, float] | None:
    """Where sorted lengths fall into two kinds with a wide gap between them: the end of the short, the begin of the
    long ones."""
    few = max(1, int(FEW * len(lengths)))
    best: tuple[float, float, float] | None = None
    for cut in range(int(COPIES * len(lengths)), len(lengths) - max(GROUPS, few)):
        low, high = float(lengths[cut - few]), float(lengths[cut + few])
        if low > 0 and high / low > (best[0] if best else TIMES):
            best = high / low, low, high
    return None if best is None else best[1:]


def joined(count: int, ends: Any) -> Any:
    """The group of each sample, by the ways that are short."""
    import numpy as np

    group = np.arange(count)

    def root(one: int) -> int:
        while group[one] != one:
            group[one] = group[group[one]]
            one = int(group[one])
        return one

    for a, b in ends:
        group[root(int(a))] = root(int(b))
    return np.array([root(one) for one in range(count)])
