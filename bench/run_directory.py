"""How long it takes from a large run directory to its verdict, and where the time goes.

    python bench/run_directory.py [--size 300] [--rounds 3]

The directory is made anew: half of it a text log, a sixth each of TensorBoard events, rows of JSON and checkpoints, and
a table. `stetho why DIR --json` is run as a user runs it, its start included. `cat` reads the same files in the same
round: what it takes is what the machine needs at least, and a loaded machine slows down both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

import text_logs  # noqa: E402

import readers  # noqa: E402

MEGA = 1_000_000


@dataclass(frozen=True)
class Part:
    """Files of one kind, and what it took to read them."""

    name: str
    megabytes: float
    seconds: float


@dataclass(frozen=True)
class Measured:
    """What one directory took."""

    parts: tuple[Part, ...]
    verdict: float
    """Processor seconds of the command, its start included; on a machine of its own, these are its seconds."""
    start: float
    """Processor seconds of a command that reads next to nothing."""
    copied: float
    """Seconds that `cat` takes."""
    peak: float
    """Megabytes of memory."""

    @property
    def megabytes(self) -> float:
        return sum(part.megabytes for part in self.parts)


def make(folder: Path, size: int) -> dict[str, list[Path]]:
    """The files of a run, in megabytes as given, by their kind."""
    text, events, rows, table = folder / "train.log", folder / "events.out", folder / "rows.jsonl", folder / "table.csv"
    text_logs.write("mixed", size * MEGA // 2, text)
    readers.event_file(events, size * 2900)
    readers.json_lines(rows, size * 1700)
    readers.table(table, size * 100)
    saved = [folder / f"step-{step}.pt" for step in (1000, 2000)]
    for path in saved:
        checkpoint(path, size * MEGA // 12)
    return {"text log": [text], "TensorBoard": [events], "JSON Lines": [rows], "CSV": [table], "checkpoints": saved}


def checkpoint(path: Path, size: int) -> None:
    """One tensor of this size, laid down as torch.save lays it down, without torch."""
    import numpy as np

    count = size // 4
    weights = np.random.default_rng(0).standard_normal(count, dtype=np.float32)
    pickle = (
        b"\x80\x02}q\x00X\x06\x00\x00\x00weightq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X\x07\x00\x00\x00storageq\x03"
        b"ctorch\nFloatStorage\nq\x04X\x01\x00\x00\x000q\x05X\x03\x00\x00\x00cpuq\x06J" + count.to_bytes(4, "little")
        + b"tq\x07QK\x00J" + count.to_bytes(4, "little") + b"\x85q\x08K\x01\x85q\x09\x89"
        b"ccollections\nOrderedDict\nq\x0a)Rq\x0btq\x0cRq\x0ds."
    )  # fmt: skip
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in (
            ("data.pkl", pickle), ("byteorder", b"little"), ("data/0", weights.tobytes()), ("version", b"3\n"),
        ):  # fmt: skip
            archive.writestr(f"{path.stem}/{name}", content)


def timed(command: list[str], **given: object) -> tuple[float, float]:
    """Processor seconds of a command, and the most memory that it had, in megabytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **given)  # type: ignore[call-overload]
    said = process.stderr.read()
    _, code, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(code) not in (0, 1, 3):
        raise RuntimeError(said.decode("utf-8", "replace"))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def read_each(kinds: dict[str, list[Path]], rounds: int) -> Iterator[Part]:
    """What each kind takes by itself, in processor seconds of this process."""
    from stetho import catalogue
    from stetho.artifact import artifact_at

    known = catalogue.load()
    for name, files in kinds.items():
        best = float("inf")
        for _ in range(rounds):
            begin = time.process_time()
            for file in files:
                list(known.read(artifact_at(file)))
            best = min(best, time.process_time() - begin)
        yield Part(name, sum(file.stat().st_size for file in files) / MEGA, best)


def measured(size: int, rounds: int) -> Measured:
    """The best of some rounds; in each, `cat` and the command read the same files."""
    with tempfile.TemporaryDirectory() as made:
        folder, cases = Path(made, "run"), Path(made, "cases")
        folder.mkdir()
        kinds = make(folder, size)
        small = Path(made, "small.log")
        small.write_text("step 1 loss 0.5\n")
        files = [str(file) for some in kinds.values() for file in some]

        def why(target: Path) -> list[str]:
            return [sys.executable, "-m", "stetho", "why", str(target), "--json", "--case", str(cases)]

        copied = [timed(["cat", *files])[0] for _ in range(rounds)]
        starts = [timed(why(small))[0] for _ in range(rounds)]
        found = [timed(why(folder)) for _ in range(rounds)]
        parts = tuple(read_each(kinds, rounds))
    return Measured(parts, min(s for s, _ in found), min(starts), min(copied), max(m for _, m in found))


def lines(found: Measured) -> list[str]:
    """The table."""
    made = ["| part | MB | seconds | MB/s |", "|---|---|---|---|"]
    for part in found.parts:
        speed = part.megabytes / part.seconds
        made.append(f"| {part.name} | {part.megabytes:.0f} | {part.seconds:.2f} | {speed:.0f} |")
    made.append(f"| start of the command | | {found.start:.2f} | |")
    total = f"{found.megabytes:.0f} | **{found.verdict:.2f}** | {found.megabytes / found.verdict:.0f}"
    return [*made, f"| **directory to verdict** | {total} |"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=300, help="megabytes of the directory")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measured(given.size, given.rounds)
    if given.json:
        print(json.dumps({"verdict": found.verdict, "cat": found.copied, "peak": found.peak}))
        return
    print("\n".join(lines(found)))
    print(f"\n{found.verdict / found.copied:.0f} times `cat` ({found.copied:.2f} s), {found.peak:.0f} MB of memory")


if __name__ == "__main__":
    main()
