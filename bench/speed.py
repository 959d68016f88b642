"""The page about reading speed: formats, text logs, and a whole run directory.

    python bench/speed.py [--size 300] [--rounds 3] [--write]

`--write` puts it into docs/speed.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

BENCH = Path(__file__).parent
sys.path.insert(0, str(BENCH))

import run_directory  # noqa: E402
import text_logs  # noqa: E402

import readers  # noqa: E402

PAGE = BENCH.parent / "docs" / "speed.md"


def page(size: int, rounds: int) -> Iterator[str]:
    """The page, line by line, as it is measured."""
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    yield "# The speed table\n"
    yield "Written by `make speed`; do not edit. Seconds are processor seconds of one core; the best round counts."
    yield f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load} when it began: on a machine that"
    yield "does other things as well, speeds are lower than they could be, and only ratios can be compared.\n"
    found = run_directory.measured(size, rounds)
    yield "## From a run directory to a verdict\n"
    yield "`stetho why DIR --json`, start included: a text log, TensorBoard events, rows of JSON, a table, checkpoints"
    yield f"([bench/run_directory.py](../bench/run_directory.py)). {found.verdict / found.copied:.0f} times what `cat`"
    yield f"takes for the same files, {found.peak:.0f} MB of memory.\n"
    yield from run_directory.lines(found)
    yield "\n## Text logs\n"
    yield f"Logs of {size} MB, each in a process of its own ([bench/text_logs.py](../bench/text_logs.py)).\n"
    yield from text_logs.table(list(text_logs.STYLES), size)
    yield "\n## Formats\n"
    yield "Beside the libraries that are installed here ([bench/readers.py](../bench/readers.py)); more than 1 in the"
    yield "last column: that library takes longer.\n"
    yield from readers.rows_of(list(readers.CASES), rounds, size / 300)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=300, help="megabytes of each log and of the directory")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    made = []
    for line in page(given.size, given.rounds):
        made.append(line)
        print(line, flush=True)
    if given.write:
        PAGE.write_text("\n".join(made) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
