import os
import re
import time
from collections.abc import Iterator, Sequence

from stetho.amounts import duration, size
from stetho.facts import CheckpointFile, CheckpointFiles
from stetho.newest import Entry, walk
from stetho.probe import Piece, Seen, Target, probe

MOST = 8
WEIGHTS = re.compile(
    r"\.(?:pt|pth|ckpt|safetensors|h5|keras|msgpack|distcp|orbax)$|(?:pytorch_model|model|optim|adapter)[\w-]*\.bin$"
)
FOLDER = re.compile(
    r"^(?:checkpoint|ckpt|global_step|step|epoch|iter)[-_=]?\d+$|\.ckpt$|^(?:checkpoint|ckpt)[-_]\w{1,40}$"
)
UNDER_WAY = re.compile(r"(?:^|/)tmp[-_.]|\.(?:tmp|temp|part|partial|incomplete)(?:[-_.]\w*)?(?:/|$)|(?:^|/)\.tmp")


@probe(
    gives=CheckpointFiles,
    reads="names, sizes and times of the folder's files",
    limit=1.5,
    instead="ls -lt DIR; du -sh DIR/checkpoint*",
)
def checkpoints(target: Target) -> Iterator[Piece]:
    """The checkpoints of the run's folder: the newest, their sizes and ages, and saves that were under way.

    ## What it reads
    The file system only; files that belong together, as shards in one folder, are one checkpoint.

    ## What it leaves
    What is inside them.
    """
    found = walk(target.folder, 0.8)
    fact = gather(found.entries, str(target.folder), time.time())
    partly = "" if found.whole else ", of the files that could be looked at in time"
    told = f"{fact.count} checkpoints, {size(fact.size)}{partly}" if fact.count else f"none{partly}"
    if fact.newest:
        told += f"; the newest, {fact.newest[0].path}, {duration(fact.newest[0].age)} ago"
    lines = tuple(f"{one.path}: {size(one.size)}, {duration(one.age)} ago" for one in fact.newest[:4])
    begun = tuple(f"{name}: a save was under way" for name in fact.temporary[:3])
    yield Seen(fact, told, f"lstat of {len(found.entries)} files below {target.folder}", lines + begun)


def gather(entries: Sequence[Entry], folder: str, now: float) -> CheckpointFiles:
    """Files that belong together as one checkpoint each, the newest first."""
    groups: dict[str, list[Entry]] = {}
    temporary = []
    for one in entries:
        path = os.path.relpath(one.path, folder)
        if UNDER_WAY.search(path):
            if WEIGHTS.search(UNDER_WAY.sub("", path)) or "checkpoint" in path or "ckpt" in path:
                temporary.append(path)
        elif (name := group_of(path)) is not None:
            groups.setdefault(name, []).append(one)
    made = [
        CheckpointFile(
            name,
            sum(one.size for one in files),
            round(max(0.0, now - max(one.modified for one in files)), 1),
            len(files),
        )
        for name, files in groups.items()
    ]
    made.sort(key=lambda one: one.age)
    return CheckpointFiles(
        tuple(made[:MOST]), len(made), sum(one.size for one in made), tuple(sorted(temporary)[:MOST])
    )


def group_of(path: str) -> str | None:
    """The checkpoint that a file belongs to: the outermost folder that is named like one, else the file itself."""
    parts = path.split("/")
    for depth, part in enumerate(parts[:-1], 1):
        if FOLDER.search(part):
            return "/".join(parts[:depth])
    return path if WEIGHTS.search(path) else None
