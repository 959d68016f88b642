"""Labels of one file that are less in keeping with its own inputs than the labels of other files are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stetho.facts import Fact, Labels, NoisyLabels
from stetho.files.agreement import Neighbourhood, Rows, agreed, line, votes
from stetho.files.features import standardised
from stetho.files.parts import grouped, label_column
from stetho.files.rows import inputs_of, partner_of, pooled
from stetho.measure.series import Measured
from stetho.tables import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows of all files together, the fewest of the largest one and of the others, files, parts that are left out in turn,
# and seconds.
ROWS, LEAST, LEAST_OTHERS, FILES, FOLDS, SECONDS = 4000, 200, 80, 6, 5, 8.0
# Numbers that stand for the words of a text, and what a linear model pays for its weights where labels are noisy.
WORDS, PENALTY = 1024, 1.0


@dataclass(frozen=True)
class Said:
    """What one kind of model says of rows of the largest file by others of it, and of the other files' rows."""

    against: NDArray[Any]
    """By how much the class that it says of a row of the largest file is ahead of the label."""
    agreement: tuple[float, float]
    of_others: tuple[float, float]
    sure: float


def noisy_labels(read: Mapping[str, Table], known: Mapping[type[Fact], Fact]) -> Iterator[Measured]:
    """The group of files whose labels the run trained on."""
    found = [one for one, _ in judged(read, known)]
    if found:
        one = max(found, key=lambda one: one.of_others - one.agreement)
        told = (
            f"what models of {one.file} say agrees {one.agreement:.2f} with labels of it that they were not fitted to"
        )
        yield one, f"{told}, and {one.of_others:.2f} with those of {', '.join(one.others)}"


def judged(read: Mapping[str, Table], known: Mapping[type[Fact], Fact]) -> Iterator[tuple[NoisyLabels, NDArray[Any]]]:
    """Each group of files, with the rows of the largest that are contradicted."""
    labels, until = known.get(Labels), time.process_time() + SECONDS
    if not isinstance(labels, Labels) or labels.classes is None:
        return
    every = grouped(read)
    for files in every:
        rows = [read[file].rows for file in files]
        others = sum(rows) - max(rows)
        if 2 <= len(files) <= FILES and max(rows) >= LEAST and others >= LEAST_OTHERS and sum(rows) <= ROWS:
            chosen = label_column([read[file] for file in files], labels)
            if chosen is not None and chosen[1] and time.process_time() < until:
                yield from _in_group(files, read, chosen[0], every)


def _in_group(
    files: list[str], read: Mapping[str, Table], label: str, every: Sequence[Sequence[str]]
) -> Iterator[tuple[NoisyLabels, NDArray[Any]]]:
    import numpy as np

    tables = [read[file] for file in files]
    values = pooled(label, tables)
    largest = int(np.argmax([table.rows for table in tables]))
    if values is None or tables[largest].rows < 1.5 * sorted(table.rows for table in tables)[-2]:
        return
    words, whole = np.unique(values, return_inverse=True)
    source = np.concatenate([np.full(table.rows, at) for at, table in enumerate(tables)])
    partner = partner_of(files, read, label, every)
    views = inputs_of(files, read, label, whole.reshape(-1), partner, source, np.arange(len(values)), words=WORDS)
    best = None
    for view in (standardised(one, WORDS) for one in views):
        if not view.shape[1]:
            continue
        rows = Rows((view,), whole.reshape(-1), len(words))
        for said in ways(rows, Neighbourhood(view), source == largest):
            if not math.isnan(said.of_others[0]) and (best is None or said.of_others[0] > best.of_others[0]):
                best = said
    if best is None or math.isnan(best.agreement[0]):
        return
    against = contradicted(best, len(words))
    held = tables[largest].column(label)
    mine, theirs = int((source == largest).sum()), int((source != largest).sum())
    fact = NoisyLabels(
        files[largest], label, held.key if held is not None else None, partner[largest] if partner else "",
        tuple(file for file in files if file != files[largest]), len(words), mine, theirs, best.agreement[0],
        best.of_others[0], math.hypot(best.agreement[1], best.of_others[1]), best.sure, len(against),
    )  # fmt: skip
    yield fact, against


def ways(rows: Rows, space: Neighbourhood, mine: NDArray[Any]) -> Iterator[Said]:
    """By neighbours and by a linear model."""
    import numpy as np

    ours, theirs = np.flatnonzero(mine), np.flatnonzero(~mine)
    fold = np.random.default_rng(0).permutation(len(ours)) % FOLDS
    for scores_of in (_votes, line, _stiff_line):
        scores = np.zeros((len(ours), rows.classes or 0))
        for k in range(FOLDS):
            scores[fold == k] = scores_of(rows, space, ours[fold == k], ours[fold != k])
        others = scores_of(rows, space, theirs, ours)
        sure = [float(np.mean(ahead(one))) for one in (scores, others)]
        yield Said(
            scores.max(1) - scores[np.arange(len(ours)), rows.labels[ours]],
            agreed(scores.argmax(1), rows.labels[ours], rows.classes, 1.0),
            agreed(others.argmax(1), rows.labels[theirs], rows.classes, 1.0),
            sure[0] / max(1e-9, sure[1]),
        )


def _votes(rows: Rows, space: Neighbourhood, asked: NDArray[Any], among: NDArray[Any]) -> NDArray[Any]:
    near, _ = space.nearest(asked, among)
    return votes(rows, near)


def _stiff_line(rows: Rows, space: Neighbourhood, asked: NDArray[Any], among: NDArray[Any]) -> NDArray[Any]:
    return line(rows, space, asked, among, PENALTY)


def contradicted(said: Said, classes: int) -> NDArray[Any]:
    """The rows that the model contradicts most clearly, as many as must be wrong for the two to agree so much less."""
    import numpy as np

    wrong = max(0.0, 1 - max(0.0, said.agreement[0]) / said.of_others[0]) * (classes - 1) / classes
    surest = np.argsort(-said.against, kind="stable")[: round(wrong * len(said.against))]
    return np.sort(surest[said.against[surest] > 0])


def ahead(scores: NDArray[Any]) -> NDArray[Any]:
    """By how much the first class is ahead of the second."""
    import numpy as np

    ranked = np.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2]  # type: ignore[no-any-return]
