"""Which files belong to one run, and where a directory holds several: a sweep, ranks, restarts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from stetho.logged.roles import TRAINING, VALIDATION
from stetho.series import Series

if TYPE_CHECKING:
    from stetho.logged.known import Known
    from stetho.logged.walk import Left

RANK = re.compile(r"(^|[^a-z])(rank|local_rank|global_rank|worker|node|proc|process|gpu|default)[-_ ]?\d+([^a-z0-9]|$)")
# Two files tell the same story when this share of the shorter one's metrics is in the other, too.
OVERLAP = 0.5
TEXT = "text-log"
NOTEBOOK = "notebook"


@dataclass(frozen=True)
class Run:
    """One run: what is known of it, and where it lies."""

    name: str
    """Its folder or file, as far as it tells it from the others; empty when there is only one."""
    left: tuple[Left, ...]
    ranks: tuple[str, ...] = field(default=())
    """The ranks that wrote apart, where they did."""
    apart: tuple[tuple[int, str, Series], ...] = field(default=())
    """What each of them logged, with its number and the format that it was read from."""
    known: tuple[Known, ...] = field(default=())
    """All that is known of it, where that was worked out before some of its points and lines were left out."""

    @property
    def series(self) -> list[tuple[str, Series]]:
        """Its series, each with the format that it was read from; a folder named after a split names theirs, too."""
        return [
            (left.reader, replace(piece, name=f"{split}/{piece.name}") if split else piece)
            for left in self.left
            for split in (split_of(left),)
            for piece in left.pieces
            if isinstance(piece, Series)
        ]


def runs_in(root: Path, left: Sequence[Left]) -> list[Run]:
    """The runs that some artifacts are of; what belongs to none of several, as a kernel log, belongs to each."""
    left = without_lone_numbers(left)
    measured = [one for one in left if metrics(one)]
    by_folder = grouped(root, measured, PurePath())
    groups = dict(pair for name, part in by_folder.items() for pair in stored(name, part))
    if len(groups) <= 1:
        return [with_ranks(Run("", tuple(left)))]
    shared = [one for one in left if not metrics(one)]
    found = []
    for name, part in sorted(groups.items()):
        beside = [one for one in shared if belongs(root, one, name, [n for n in groups if n != name])]
        found.append(with_ranks(Run(name, (*part, *beside))))
    return found


def without_lone_numbers(left: Sequence[Left]) -> list[Left]:
    """Where something was logged over time, a text with a number or two, as a sample or a note, is no log of a run.

    Nor is a notebook beside it that trained nothing: what went wrong there was somebody's look at the results.
    """
    if not any(is_log(one) for one in left):
        return list(left)
    left = [one for one in left if one.reader != NOTEBOOK or is_log(one)]
    return [
        one if one.reader != TEXT or is_log(one) else
        replace(one, pieces=tuple(piece for piece in one.pieces if not isinstance(piece, Series)))
        for one in left
    ]  # fmt: skip


def is_log(left: Left) -> bool:
    return any(isinstance(piece, Series) and len(piece) > 1 for piece in left.pieces)


def metrics(left: Left) -> frozenset[str]:
    """The names of what an artifact logs."""
    return frozenset(piece.name for piece in left.pieces if isinstance(piece, Series))


def place_of(root: Path, left: Left) -> PurePath:
    try:
        return left.artifact.path.relative_to(root)
    except ValueError:
        return PurePath(left.artifact.path.name)


def grouped(root: Path, left: Sequence[Left], below: PurePath) -> dict[str, list[Left]]:
    """Artifacts by run, from the top down: a folder with a log of its own is a run, else its folders may be several."""
    depth = len(below.parts)
    own = [one for one in left if len(place_of(root, one).parts) <= depth + 1]
    if own:
        files = apart(root, own)
        return files if len(files) > 1 and len(own) == len(left) else {"/".join(below.parts): list(left)}
    children: dict[str, list[Left]] = defaultdict(list)
    for one in left:
        children[place_of(root, one).parts[depth]].append(one)
    if len(children) == 1:
        name = next(iter(children))
        return grouped(root, left, below / name)
    if not several(children) and not same_files(root, children, depth + 1):
        return {"/".join(below.parts): list(left)}
    found: dict[str, list[Left]] = {}
    for name, part in children.items():
        found |= grouped(root, part, below / name)
    return found


def apart(root: Path, own: Sequence[Left]) -> dict[str, list[Left]]:
    """Logs side by side in one folder: runs of their own, unless they are ranks, formats or parts of one run."""
    parts = {str(place_of(root, one)): [one] for one in own}
    return parts if several(parts) and not continued(own) else {"": list(own)}


def several(parts: dict[str, list[Left]]) -> bool:
    """Whether parts are runs: two of them log the same numbers in the same format, and are no splits and no ranks."""
    names = [name for name in parts if not is_split(name) and not RANK.search(PurePath(name).name.lower())]
    for number, name in enumerate(names):
        for other in names[:number]:
            if any(alike(a, b) for a in parts[name] for b in parts[other]):
                return True
    return False


def same_files(root: Path, children: Mapping[str, Sequence[Left]], depth: int) -> bool:
    """Whether two folders hold a log of one format under the same name, as runs of different programs do."""
    names = [name for name in children if not is_split(name) and not RANK.search(name.lower())]
    held = [{(one.reader, place_of(root, one).parts[depth:]) for one in children[name]} for name in names]
    counts = Counter(file for files in held for file in files)
    return any(count > 1 for count in counts.values())


def split_of(left: Left) -> str:
    """The part of the data that an artifact's folder is named after."""
    folder = left.artifact.path.parent.name
    return folder if is_split(folder) else ""


def is_split(name: str) -> bool:
    """Whether a folder is named after a part of the data."""
    return PurePath(name).stem.lower() in VALIDATION | TRAINING


def alike(one: Left, other: Left) -> bool:
    if one.reader != other.reader:
        return False
    mine, theirs = metrics(one), metrics(other)
    return len(mine & theirs) > OVERLAP * min(len(mine), len(theirs))


def continued(own: Sequence[Left]) -> bool:
    """Whether files follow on from each other, as those of a run that was taken up again."""
    spans = []
    for one in own:
        steps = [p.steps for p in one.pieces if isinstance(p, Series) and p.steps is not None and len(p)]
        if not steps:
            return False
        spans.append((min(int(s.min()) for s in steps), max(int(s.max()) for s in steps)))
    spans.sort()
    # A later part begins beyond the middle of the one before, where its last checkpoint was, and goes further.
    return all(
        b[0] > 0 and b[0] >= a[0] + (a[1] - a[0]) // 2 and b[1] >= a[1]
        for a, b in pairwise(spans)
    )  # fmt: skip


def stored(name: str, left: Sequence[Left]) -> list[tuple[str, list[Left]]]:
    """The runs that one file holds, as a data base of them does."""
    inside = {p.run for one in left for p in one.pieces if isinstance(p, Series) and p.run and not is_rank(p.run)}
    if len(inside) < 2:
        return [(name, list(left))]
    found = []
    for run in sorted(inside):
        parts = [
            replace(one, pieces=tuple(p for p in one.pieces if getattr(p, "run", "") in ("", run))) for one in left
        ]
        found.append((f"{name}:{run}" if name else run, parts))
    return found


def is_rank(run: str) -> bool:
    return bool(RANK.search(run.lower()))


def belongs(root: Path, one: Left, name: str, others: Sequence[str]) -> bool:
    """Whether something without numbers is of a run: it lies in its folder, or in none of the other runs'."""
    place = place_of(root, one)
    folders = [str(folder) for folder in place.parents]
    return name.split(":")[0] in folders or not any(other.split(":")[0] in folders for other in others)


def with_ranks(run: Run) -> Run:
    """The run by its first rank; what the others logged of the same numbers is told apart, not added."""
    marks: dict[int, str] = {}
    kept = []
    for one in run.left:
        own = {p.run for p in one.pieces if isinstance(p, Series) and is_rank(p.run)}
        names = (one.artifact.path.name, one.artifact.path.parent.name)
        # Where a log tells its ranks apart, its name says nothing of them.
        whole = None if own else next(filter(None, (RANK.search(name.lower()) for name in names)), None)
        mark = whole.group(0).strip("-_ ./[]") if whole is not None else ""
        for name in sorted(own | ({mark} if mark else set())):
            marks.setdefault(number_of(name), name)
        # A file without numbers, as a dump, does not speak for the run, whatever rank it is of.
        kept.append((one, number_of(mark) if mark and metrics(one) else None))
    if len(marks) < 2:
        return run
    speaking = {number for _, number in kept if number is not None} | {
        number_of(p.run) for one in run.left for p in one.pieces if isinstance(p, Series) and is_rank(p.run)
    }
    first = min(speaking or marks)
    left = []
    for one, number in kept:
        drop = number is not None and number != first
        pieces = tuple(
            p for p in one.pieces
            if not isinstance(p, Series) or not (drop or (is_rank(p.run) and number_of(p.run) != first))
        )  # fmt: skip
        left.append(replace(one, pieces=pieces))
    return replace(run, left=tuple(left), ranks=tuple(marks.values()), apart=others(kept))


def number_of(rank: str) -> int:
    return int(re.findall(r"\d+", rank)[0][:9])


def others(kept: Sequence[tuple[Left, int | None]]) -> tuple[tuple[int, str, Series], ...]:
    """What every rank logged of the same numbers, the first one included."""
    found = []
    for one, number in kept:
        for piece in one.pieces:
            if isinstance(piece, Series):
                own = number_of(piece.run) if is_rank(piece.run) else number
                if own is not None:
                    found.append((own, one.reader, piece))
    return tuple(found)
