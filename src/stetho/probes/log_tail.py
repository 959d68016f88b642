import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from stetho.amounts import duration, size
from stetho.artifact import Artifact, artifact_at
from stetho.facts import LogTail
from stetho.newest import SOURCES, Entry, Walk, walk
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.redaction import redact
from stetho.relatives import below
from stetho.render.inert import on_one_line

TAIL = 32 * 1024
LINES = 10
LONGEST = 300
# A log beside metrics that were written at the same time says more in words.
TOGETHER = 120.0
# Texts that lie in every project and are written by nobody's run.
NOT_LOGS = re.compile(
    r"(?:^|/)(?:\.[^/]*|requirements[^/]*\.txt|(?:vocab|merges|labels|classes|CMakeLists)[^/]*\.txt|LICEN[CS]E[^/]*|README[^/]*"
    r"|Makefile|Dockerfile|SOURCES\.txt|top_level\.txt)$"
)
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
    reads="what the trainer's output goes to (/proc/PID/fd), else the newest text file of the folder; its last 32 KB",
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
    """The run's log: its age, whether it grows, and its last lines.

    ## What it reads
    The file that the trainer's output goes to, wherever it is. Else the newest file of the folder that begins with text
    and is no source or settings; a log goes before metrics that were written with it.

    ## What it leaves
    What the lines mean. Output to a terminal is not kept anywhere.
    """
    found = walk(target.folder, 0.6) if target.reachable else Walk((), False)
    texts = list(_outputs(target)) or list(_texts(found.entries))
    if not texts:
        why = "no text file that could be a log is in the folder"
        if not target.reachable or not os.access(target.folder, os.R_OK):
            why = "the folder cannot be read"
        yield Unknown("log", why, f"ls -lt {target.folder}", f"lstat of {len(found.entries)} files")
        return
    chosen = choose(texts)
    inside = below(str(chosen.path), str(target.folder))
    path = os.path.relpath(chosen.path, target.folder) if inside else str(chosen.path)
    begun = time.monotonic()
    lines = last_lines(chosen.part(max(0, chosen.size - TAIL), TAIL).decode("utf-8", "replace"))
    time.sleep(max(0.0, 0.5 - (time.monotonic() - begun)))
    later = artifact_at(chosen.path)
    growing = later is not None and later.size > chosen.size
    age = max(0.0, time.time() - (later or chosen).modified)
    fact = LogTail(path, round(age, 1), chosen.size, lines, growing, len(texts))
    said = f"{path}, {size(chosen.size)}, written {duration(age)} ago{', grows' if growing else ''}"
    yield Seen(fact, said, f"{chosen.path}, its last {min(chosen.size, TAIL)} bytes", lines[-5:])


def _outputs(target: Target) -> Iterator[Artifact]:
    """The files that the trainer's output and errors go to."""
    for stream in (1, 2) if target.trainer is not None else ():
        try:
            path = os.readlink(f"/proc/{target.trainer}/fd/{stream}")
        except OSError:
            continue
        if path.startswith("/") and not path.startswith(("/dev/", "/proc/")):
            artifact = artifact_at(Path(path))
            if artifact is not None and artifact.size:
                yield artifact


def _texts(entries: Sequence[Entry]) -> Iterator[Artifact]:
    passed = (*SOURCES, *CONFIGS)
    wanted = [e for e in entries if e.size and not e.path.endswith(passed) and not NOT_LOGS.search(e.path)]
    for one in sorted(wanted, key=lambda one: one.modified, reverse=True)[:60]:
        artifact = artifact_at(Path(one.path))
        if artifact is not None and b"\0" not in artifact.part(0, 4096):
            yield artifact


def choose(texts: Sequence[Artifact]) -> Artifact:
    """The newest, unless one that is called a log was written at about the same time."""
    newest = max(texts, key=lambda one: one.modified)
    together = [one for one in texts if newest.modified - one.modified <= TOGETHER]
    return max(together, key=lambda one: (bool(LOGS.search(str(one.path))), one.modified))
