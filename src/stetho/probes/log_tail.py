import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from stetho.amounts import duration, size
from stetho.artifact import Artifact, artifact_at
from stetho.facts import LogTail
from stetho.newest import SOURCES, Entry, walk
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.redaction import redact
from stetho.render.inert import on_one_line

TAIL = 32 * 1024
LINES = 10
LONGEST = 300
# A log beside metrics that were written at the same time says more in words.
TOGETHER = 120.0
LOGS = re.compile(
    r"\.(?:log|out|err|txt|stdout|stderr)(?:\.\d+)?$|(?:^|/)(?:nohup\.out|log|output|slurm-\d+.*|.*\.o\d+)$"
)
CONFIGS = (
    ".yaml",
    ".yml",
    ".toml",
    ".cfg",
    ".ini",
    ".lock",
    ".gitignore",
    ".html",
    ".css",
    ".js",
    ".json",
    ".sh",
    ".xml",
)
PROGRESS = (
    "epoch 3\n 10%|█         | 1/10 [00:01<00:09]\r 90%|█████████ | 9/10 [00:09<00:01]\r100%|██████████| 10/10\n"
    "\x1b[31mloss 0.31\x1b[0m\n\nlogin with api_key=abcd1234efgh5678\n"
)


def last_lines(text: str) -> tuple[str, ...]:
    """The last lines as a terminal would have left them, without sequences and secrets."""
    found: list[str] = []
    for line in reversed(text.split("\n")):
        # Of a progress bar that was drawn again and again, the last state is what counts.
        shown = next((part for part in reversed(line[-8 * LONGEST :].split("\r")) if part.strip()), "")
        shown = on_one_line(shown)
        if shown:
            found.append(redact(shown)[:LONGEST])
        if len(found) == LINES:
            break
    return tuple(reversed(found))


@probe(
    gives=LogTail,
    reads="the newest text file of the folder, its last 32 KB",
    limit=1.8,
    instead="ls -lt DIR | head; tail -n 20 LOG",
    examples={
        "a progress bar, colours and a key": Example(
            PROGRESS,
            last_lines,
            ("epoch 3", "100%|██████████| 10/10", "loss 0.31", "login with api_key=[redacted]"),
        )
    },
)
def log_tail(target: Target) -> Iterator[Piece]:
    """The newest text file of the run's folder: its age, whether it grows, and its last lines.

    ## What it reads
    Files that begin with text and are no source or settings. A log goes before metrics that were written with it.

    ## What it leaves
    What the lines mean; logs that are kept elsewhere.
    """
    found = walk(target.folder, 0.6)
    texts = list(_texts(found.entries))
    if not texts:
        what = "log" if found.entries or os.access(target.folder, os.R_OK) else "folder"
        why = "no text file that could be a log is in the folder" if what == "log" else "the folder cannot be read"
        yield Unknown(what, why, f"ls -lt {target.folder}", f"lstat of {len(found.entries)} files")
        return
    chosen = choose(texts)
    path = os.path.relpath(chosen.path, target.folder)
    begun = time.monotonic()
    lines = last_lines(chosen.part(max(0, chosen.size - TAIL), TAIL).decode("utf-8", "replace"))
    time.sleep(max(0.0, 0.5 - (time.monotonic() - begun)))
    later = artifact_at(chosen.path)
    growing = later is not None and later.size > chosen.size
    age = max(0.0, time.time() - (later or chosen).modified)
    fact = LogTail(path, round(age, 1), chosen.size, lines, growing, len(texts))
    said = f"{path}, {size(chosen.size)}, written {duration(age)} ago{', grows' if growing else ''}"
    yield Seen(fact, said, f"{chosen.path}, its last {min(chosen.size, TAIL)} bytes", lines[-5:])


def _texts(entries: Sequence[Entry]) -> Iterator[Artifact]:
    wanted = [one for one in entries if not one.path.endswith((*SOURCES, *CONFIGS)) and one.size]
    for one in sorted(wanted, key=lambda one: one.modified, reverse=True)[:60]:
        artifact = artifact_at(Path(one.path))
        if artifact is not None and b"\0" not in artifact.part(0, 4096):
            yield artifact


def choose(texts: Sequence[Artifact]) -> Artifact:
    """The newest, unless one that is called a log was written at about the same time."""
    newest = max(texts, key=lambda one: one.modified)
    together = [one for one in texts if newest.modified - one.modified <= TOGETHER]
    return max(together, key=lambda one: (bool(LOGS.search(str(one.path))), one.modified))
