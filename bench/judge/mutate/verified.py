"""Runs mutants beside their bases: which planted faults show, which do not, and which changes mean nothing.

    python -m bench.judge.mutate.verified [--only PATTERN] [--limit N] [--faults N --preserving N] [--write]

A fault is run on two seeds, on the second only when it shows on the first; it shows when it is worse (of leaks:
better) than its base on the same seed by more than twice the base's spread over three seeds and 5 % of its number.
What was found is kept in bench/results/mutants.jsonl and not repeated while base and mutant are as they were, so that
a run that was ended goes on where it stopped. --faults and --preserving say how many of each are enough; operators and
bases take turns, so that any number covers both evenly. --write also writes the table, docs/mutants.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import math
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.judge import case as corpus
from bench.judge import store
from bench.judge.case import ROOT, Case
from bench.judge.mutate import plan
from bench.judge.mutate.judgement import Level, shown
from bench.judge.mutate.operator import operators
from bench.judge.preloaded import Preloaded
from bench.judge.progress import Bar
from bench.judge.running import Ran, scratch
from bench.judge.running import run as ordinary
from bench.judge.verify import PATIENCE, SEEDS

KEPT = ROOT / "bench" / "results" / "mutants.jsonl"
LEVELS = ROOT / "bench" / "results" / "bases.jsonl"
PAGE = ROOT / "docs" / "mutants.md"
SPREAD_SEEDS = (*SEEDS, 2)
# Every thread has a process of its own to start programs from.
OWN = threading.local()
Row = dict[str, Any]
Turn = list[plan.Mutant]
# So many at a time are begun together, so that not many more than enough are run.
TOGETHER = 12


class Bases:
    """What bases reach, each found out once, here or in an earlier run."""

    def __init__(self, path: Path = LEVELS) -> None:
        self.path = path
        self.rows = {row["name"]: row for row in store.rows(path)}
        self.locks: dict[str, threading.Lock] = {}
        self.lock = threading.Lock()

    def level(self, case: Case) -> Level:
        with self.lock:
            own = self.locks.setdefault(case.name, threading.Lock())
        with own:
            row = self.rows.get(case.name)
            if row is None or row["digest"] != case.digest():
                row = self._found(case)
                with self.lock:
                    self.rows[case.name] = row
                    store.write(self.path, [self.rows[name] for name in sorted(self.rows)])
        return Level(tuple(row["values"]), row["processor"], row["peak"])

    def _found(self, case: Case) -> Row:
        assert case.measure is not None
        runs = [alone(case, seed) for seed in SPREAD_SEEDS]
        values = [one.last(case.measure.pattern) for one in runs]
        if not all(map(math.isfinite, values)):
            raise corpus.Wrong(f"{case.name} does not end with a number on every seed: {values}")
        most = max(one.processor for one in runs), max(one.peak for one in runs)
        return {"name": case.name, "digest": case.digest(), "values": values, "processor": most[0], "peak": most[1]}


def starter() -> Preloaded:
    """The process that this thread starts programs from."""
    if not hasattr(OWN, "starter"):
        OWN.starter = Preloaded()
    return OWN.starter


def started(case: Case, project: Path, seed: int) -> Ran:
    """One run in a folder. Programs that start interpreters of their own need one of their own."""
    run = ordinary if case.style == "ranks" else starter().run
    return run(case.command, project, seconds=PATIENCE, offset=1000 * seed)


def alone(case: Case, seed: int) -> Ran:
    """One run of a base, started as its mutants are."""
    with scratch() as folder:
        project = Path(folder) / case.name
        corpus.lay(case, project, seed=seed)
        return started(case, project, seed)


def once(mutant: plan.Mutant, seed: int) -> Ran:
    """One run of a mutant, laid out anew."""
    with scratch() as folder:
        project = Path(folder) / mutant.base.name
        plan.lay(mutant, project, seed)
        return started(mutant.base, project, seed)


def verified(mutant: plan.Mutant, bases: Bases) -> Row:
    """What came of one mutant."""
    operator, measure = mutant.operator, mutant.base.measure
    assert measure is not None
    said, why, numbers = "", "", []
    try:
        level = bases.level(mutant.base)
        for seed in SEEDS:
            ran = once(mutant, seed)
            said, why = shown(operator.effect, measure, level, ran, seed)
            numbers.append(_numbers(level, ran, seed, ran.last(measure.pattern)))
            if said != "visible":
                break
    except corpus.Wrong as error:
        said, why = "broken", str(error)
    kind = {"visible": "preserving" if operator.preserving else "fault"}.get(said, said)
    return {
        "id": mutant.id, "base": mutant.base.name, "operator": operator.id, "family": operator.family,
        "accepted": sorted(operator.accepted), "places": [_told(place) for place in mutant.places], "kind": kind,
        "why": why, "numbers": numbers, "digest": mutant.digest(),
    }  # fmt: skip


def _numbers(level: Level, ran: Ran, seed: int, value: float) -> Row:
    return {
        "seed": seed, "base": level.values[seed], "value": value if math.isfinite(value) else str(value),
        "margin": level.margin(seed), "code": ran.code, "seconds": round(ran.seconds, 1), "peak": round(ran.peak),
    }  # fmt: skip


def _told(place: corpus.Place) -> Row:
    return {key: value for key, value in asdict(place).items() if value is not None}


def kept(path: Path = KEPT) -> dict[str, Row]:
    """What earlier runs found, by id."""
    return {row["id"]: row for row in store.rows(path)}


def todo(found: Iterable[plan.Mutant], known: dict[str, Row], again: bool) -> list[plan.Mutant]:
    return [one for one in found if again or one.id not in known or known[one.id]["digest"] != one.digest()]


def in_turn(left: Sequence[plan.Mutant], known: dict[str, Row], enough: Mapping[str, int], size: int) -> Iterator[Turn]:
    """A few at a time, those left out of which there are enough already."""
    ahead = list(left)
    while ahead:
        counts = Counter(row["kind"] for row in known.values())
        ahead = [one for one in ahead if counts[kind_of(one)] < enough.get(kind_of(one), len(left) + len(known))]
        turn, ahead = ahead[:size], ahead[size:]
        if turn:
            yield turn


def kind_of(mutant: plan.Mutant) -> str:
    """What it is when it does as it should."""
    return "preserving" if mutant.operator.preserving else "fault"


def page(rows: Sequence[Row]) -> str:
    """The table of all operators."""
    kinds = ("fault", "silent", "preserving", "broken")
    counts = {operator.id: Counter[str]() for operator in operators()}
    for row in rows:
        if row["operator"] in counts:
            counts[row["operator"]][row["kind"]] += 1
    total = Counter(row["kind"] for row in rows)
    lines = [
        f"| {one.id} | {one.family} | {one.story} | {' | '.join(str(counts[one.id][kind]) for kind in kinds)} |"
        for one in operators()
    ]
    return "\n".join(
        [
            "# Mutants, verified",
            "",
            "Written by `make mutants`; do not edit. Each healthy program of the corpus with one change, run beside",
            "the program itself. Faults that do not show are silent, and count as healthy.",
            "",
            ", ".join(f"{total[kind]} {kind}" for kind in kinds) + ".",
            "",
            "| operator | cause | what it does | fault | silent | preserving | broken |",
            "|---|---|---|---|---|---|---|",
            *lines,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="ids such as 'copy-gpt~*'")
    parser.add_argument("--limit", type=int, help="so many, then stop")
    parser.add_argument("--faults", type=int, help="so many faults that show are enough")
    parser.add_argument("--preserving", type=int, help="so many changes that mean the same are enough")
    parser.add_argument("--again", action="store_true", help="also what was found before and has not changed")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    begun, known, bases = time.monotonic(), kept(), Bases()
    try:
        found = [one for one in plan.planned() if fnmatch.fnmatch(one.id, chosen.only)]
    except corpus.Wrong as error:
        parser.error(str(error))
    left = todo(found, known, chosen.again)[: chosen.limit]
    enough = {k: n for k, n in (("fault", chosen.faults), ("preserving", chosen.preserving)) if n is not None}
    ran = 0
    with Bar(len(left), "mutants") as bar, ThreadPoolExecutor(chosen.jobs) as pool:
        for turn in in_turn(left, known, enough, TOGETHER):
            for row in pool.map(lambda one: verified(one, bases), turn):
                known[row["id"]] = row
                ran += 1
                store.write(KEPT, [known[name] for name in sorted(known)])
                bar.step(f"{row['id']}: {row['kind']} {row['why']}".rstrip())
    counts = Counter(known[one.id]["kind"] for one in found if one.id in known)
    print(f"{ran} run in {time.monotonic() - begun:.0f} s; of {len(found)}: {dict(sorted(counts.items()))}")
    for one in found:
        if one.operator.preserving and known.get(one.id, {}).get("kind") == "broken":
            print(f"  dropped: {one.id}: {known[one.id]['why']}")
    if chosen.write:
        planned = {one.id for one in plan.planned()}
        PAGE.write_text(page([row for name, row in sorted(known.items()) if name in planned]), encoding="utf-8")


if __name__ == "__main__":
    main()
