"""Runs stetho and its peers over programs with known truth, and writes what that says: docs/scoreboard.md.

    python -m bench.judge.scoreboard [--sample 100] [--side test|tune|all] [--tools stetho,…] [--only TEXT]
    python -m bench.judge.scoreboard --score        # from what was stored, without running anything

Every answer is stored in bench/results/ as soon as it is there: TOOL.jsonl for the test side, TOOL-tune.jsonl for the
tune side. A run that was ended goes on where it stopped. An answer counts for the version of a subject that it was
given to. `--again` asks anew.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from types import ModuleType

from bench.judge import answer as answers
from bench.judge import stetho, store
from bench.judge.answer import Answer
from bench.judge.case import ROOT
from bench.judge.page import write
from bench.judge.peers import peers
from bench.judge.progress import Bar
from bench.judge.scoring import Scored, scored
from bench.judge.split import TEST, TUNE
from bench.judge.subject import Subject, of_side, sample, subjects

RESULTS = ROOT / "bench" / "results"


def tools() -> dict[str, ModuleType]:
    return {stetho.TOOL: stetho, **peers()}


def answers_of(tool: str, side: str, folder: Path = RESULTS) -> Path:
    """The file of a tool's answers to one side, named as files are; what numbers are chosen on is kept apart."""
    name = re.sub("[^a-z0-9]+", "-", tool.lower())
    return folder / (f"{name}.jsonl" if side == TEST else f"{name}-{side}.jsonl")


def stored(tool: str, sides: Sequence[str] = (TEST, TUNE), folder: Path = RESULTS) -> dict[str, Answer]:
    """The last answer of a tool to each subject."""
    rows = (row for side in sides for row in store.rows(answers_of(tool, side, folder)))
    return {row["subject"]: answers.read(row) for row in rows}


def ask(tool: ModuleType, wanted: Sequence[Subject], jobs: int, again: bool) -> None:
    """Have a tool answer all that it has not answered yet; of a tool that takes minutes for each, fewer are asked."""
    wanted = sample(wanted, getattr(tool, "MOST", len(wanted)))
    known = stored(tool.TOOL)
    left = [one for one in wanted if again or one.id not in known or known[one.id].digest != one.digest]
    if not left:
        return
    try:
        version = tool.version()
    except RuntimeError as error:
        # A peer that cannot be had here is said to be missing, and keeps nobody else from answering.
        print(f"{tool.TOOL}: {error}")
        return

    def one(subject: Subject) -> Answer:
        try:
            return tool.answer(subject, version)
        except Exception as error:  # noqa: BLE001 - one tool's failure on one program must not lose the others
            return Answer(tool.TOOL, version, subject.id, subject.digest, "failed", said=repr(error)[:300])

    with Bar(len(left), f"programs by {tool.TOOL}") as bar, ThreadPoolExecutor(jobs) as pool:
        asked = {pool.submit(one, subject): subject for subject in left}
        for done in as_completed(asked):
            found, subject = done.result(), asked[done]
            store.append(answers_of(tool.TOOL, subject.side), found.row())
            row = Scored(subject, found)
            bar.step(
                f"{tool.TOOL}: {row.outcome:30} {subject.id:44} {found.claim or found.status} {found.seconds:.0f} s"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0, help="so many of them, with the shares of all")
    parser.add_argument("--side", choices=("test", "tune", "all"), default="test")
    parser.add_argument("--tools", default="", help="names, separated by commas; all when not given")
    parser.add_argument("--only", default="", help="subjects whose id has this text")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--score", action="store_true", help="run nothing")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    begun = time.monotonic()
    everything = subjects()
    known = tools()
    names = chosen.tools.split(",") if chosen.tools else list(known)
    if strange := sorted(set(names) - set(known)):
        parser.error(f"no such tool: {', '.join(strange)}; there are {', '.join(known)}")
    if not chosen.score:
        wanted = [one for one in of_side(everything.values(), chosen.side) if chosen.only in one.id]
        wanted = sample(wanted, chosen.sample) if chosen.sample else wanted
        for name in names:
            ask(known[name], wanted, chosen.jobs, chosen.again)
    found = {name: scored(everything, stored(name).values()) for name in known}
    for line in write({name: rows for name, rows in found.items() if rows}, everything):
        print(line)
    print(f"in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
