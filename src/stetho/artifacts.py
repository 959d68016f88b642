"""What a dead run left on disk, or a log that was pasted: lines for the readers, with where they came from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stetho.artifact import artifact_at
from stetho.errors import BadRequest
from stetho.evidence import Source
from stetho.facts import Crash, RunEnd
from stetho.reader import Reading

if TYPE_CHECKING:
    from stetho.inquiry import Inquiry

# A text file has none of these bytes in its first part; what has them is passed over.
NOT_TEXT = b"\x00"
MOST_FILES = 200
# A launcher may still say a word or two after the traceback that ended a program.
LINES_AFTER_THE_END = 3


@dataclass(frozen=True)
class Artifacts:
    """Text files to be read; the name is how the user knows them."""

    files: tuple[tuple[str, Path], ...]

    def put(self, inquiry: Inquiry) -> None:
        """Everything the readers find, as evidence of the one run that left it."""
        crashed, found = False, 0
        for name, file in self.files:
            for reading in inquiry.catalogue.read(artifact_at(file, name)):
                if isinstance(reading, Reading):
                    found += 1
                    source = Source(file=name, line=reading.line)
                    inquiry.ledger.add_evidence(
                        "reading", f"{name}: {reading.summary}", source=source, fact=reading.fact, run="base"
                    )
                    ended = isinstance(reading.fact, Crash) and reading.fact.lines_after <= LINES_AFTER_THE_END
                    crashed = crashed or ended
        if crashed:
            # An exception that nothing catches ends Python with code 1.
            summary = "a traceback ends the log: the program did not end by itself"
            inquiry.ledger.add_evidence("reading", summary, fact=RunEnd(code=1), run="base")
        elif not found:
            names = ", ".join(name for name, _ in self.files[:3]) or "nothing"
            inquiry.ledger.add_note(
                f"read {names}: no reader found anything that it knows, which says nothing about health"
            )


def is_text(file: Path) -> bool:
    try:
        with file.open("rb") as handle:
            head = handle.read(4096)
    except OSError:
        return False
    return bool(head) and NOT_TEXT not in head


@contextmanager
def read_target(target: str) -> Iterator[Artifacts]:
    """The text files that a target names: one log, the logs of a directory, or standard input."""
    path = Path(target)
    if target == "-":
        import tempfile

        with tempfile.NamedTemporaryFile(prefix="stetho-", suffix=".log") as file:
            file.write(sys.stdin.buffer.read())
            file.flush()
            yield Artifacts((("standard input", Path(file.name)),))
        return
    if not path.exists():
        raise BadRequest(
            f"there is no file or directory '{target}'. A command to run goes after --: stetho why -- {target} …"
        )
    if path.is_dir():
        found = [Path(f, n) for f, _, names in os.walk(path) for n in sorted(names)][:MOST_FILES]
        logs = [f for f in found if f.suffix not in (".py", ".json", ".yaml", ".toml") and is_text(f)]
        if not logs:
            raise BadRequest(f"'{target}' holds no text log to read")
        yield Artifacts(tuple((str(f), f) for f in logs))
    elif not os.access(path, os.R_OK):
        raise BadRequest(f"'{target}' cannot be read: permission denied")
    else:
        yield Artifacts(((target, path),))
