"""Runs every program of the corpus and its fix: the fault really shows, the fix really helps, a healthy one learns.

    python -m bench.judge.verify [NAME ...] [--again] [--write]

Each is run on two seeds. What was found is kept in bench/results/verified.jsonl and not repeated while the case is as
it was, so that a run that was ended goes on where it stopped. --write also writes the table, docs/corpus.md.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from bench.judge import case as corpus
from bench.judge import store
from bench.judge.case import ROOT, Case, Shows
from bench.judge.progress import Bar
from bench.judge.running import Ran, run, scratch

KEPT = ROOT / "bench" / "results" / "verified.jsonl"
PAGE = ROOT / "docs" / "corpus.md"
SEEDS = (0, 1)
# A program may take so long; beside others on a loaded machine, it is given more before it is ended.
LONGEST, PATIENCE = 20.0, 90.0


@dataclass(frozen=True)
class Pair:
    """One seed: what the program showed, and what it showed with its fix, which healthy ones have none of."""

    seed: int
    base: float
    fixed: float | None
    good: bool
    why: str
    processor: float
    seconds: float


@dataclass(frozen=True)
class Verified:
    """What came of one case."""

    name: str
    digest: str
    family: str
    style: str
    good: bool
    why: str
    pairs: tuple[Pair, ...]


def seen(case: Case, *, fixed: bool, seed: int, patience: float = PATIENCE) -> Ran:
    """One run of a case, laid out anew."""
    with scratch() as folder:
        project = Path(folder) / case.name
        corpus.lay(case, project, fixed=fixed, seed=seed)
        return run(corpus.command_of(case, fixed=fixed), project, seconds=patience, offset=1000 * seed)


@cache
def least_memory() -> float:
    """What a program takes that does nothing but import torch, in megabytes."""
    with scratch() as folder:
        return run(("python", "-c", "import torch"), Path(folder), seconds=PATIENCE).peak


def effect(before: float, after: float, direction: str) -> float:
    """How far a number moves in a direction; one that is lost is worse than any."""
    lost_before, lost_after = not math.isfinite(before), not math.isfinite(after)
    if lost_before or lost_after:
        return 0.0 if lost_before and lost_after else math.inf if lost_before else -math.inf
    return after - before if direction == "higher" else before - after


def judged(shows: Shows, base: Ran, fixed: Ran, again: tuple[Ran, Ran] | None = None) -> tuple[float, float, bool, str]:
    """What is compared, before and after the fix, whether the fault shows and the fix helps, and why not."""
    if fixed.code != 0:
        ended = "did not end in time" if fixed.code is None else f"ended with {fixed.code}"
        return math.nan, math.nan, False, f"the fixed program {ended}: {fixed.output.strip()[-200:]!r}"
    if shows.kind == "metric":
        before, after = base.last(shows.pattern), fixed.last(shows.pattern)
        if math.isnan(after):
            return before, after, False, "the pattern finds no number in the fixed program's output"
        if math.isnan(before) and base.code == 0 and not _says_nan(base, shows.pattern):
            return before, after, False, "the pattern finds no number in the program's output"
        moved = effect(before, after, shows.fixed)
        return before, after, moved >= shows.by, f"it moves by {moved:.4g}, less than {shows.by:g}"
    if shows.kind == "exit":
        code = math.nan if base.code is None else float(base.code)
        why = "it did not end" if base.code is None else "it ended well"
        return code, 0.0, base.code not in (0, None), why
    if shows.kind == "hang":
        good = base.code is None and fixed.seconds < shows.seconds
        return (
            base.seconds,
            fixed.seconds,
            good,
            "it ended" if base.code is not None else "the fixed one takes too long",
        )
    if shows.kind == "slow":
        share = fixed.seconds / base.seconds
        return base.seconds, fixed.seconds, share <= shows.by, f"the fixed one takes {share:.2f} of its time"
    if shows.kind == "memory":
        before, after = base.peak - least_memory(), fixed.peak - least_memory()
        return before, after, after <= shows.by * before, f"the fixed one takes {after / before:.2f} of its memory"
    assert again is not None
    (a, b), (c, d) = ([one.last(shows.pattern) for one in pair] for pair in ((base, again[0]), (fixed, again[1])))
    return abs(a - b), abs(c - d), a != b and c == d, "equal runs give equal numbers" if a == b else "so do fixed ones"


def _says_nan(ran: Ran, pattern: str) -> bool:
    import re

    found = re.findall(pattern, ran.output)
    return bool(found) and found[-1].strip().lower().lstrip("+-") in ("nan", "inf", "infinity")


def pair(case: Case, seed: int) -> Pair:
    if case.measure is not None and case.healthy:
        base = seen(case, fixed=False, seed=seed)
        value = base.last(case.measure.pattern)
        good = base.code == 0 and case.measure.reached(value)
        why = f"{value:g} is not as good as {case.measure.good:g}" if base.code == 0 else f"ended with {base.code}"
        if base.code != 0:
            why += f": {base.output.strip()[-200:]!r}"
        return _timed(Pair(seed, value, None, good, "" if good else why, base.processor, base.seconds))
    assert case.shows is not None
    patience = case.shows.seconds if case.shows.kind == "hang" else PATIENCE
    base = seen(case, fixed=False, seed=seed, patience=patience)
    fixed = seen(case, fixed=True, seed=seed)
    again = None
    if case.shows.kind == "differs":
        again = seen(case, fixed=False, seed=seed), seen(case, fixed=True, seed=seed)
    before, after, good, why = judged(case.shows, base, fixed, again)
    return _timed(Pair(seed, before, after, good, "" if good else why, fixed.processor, fixed.seconds))


def _timed(one: Pair) -> Pair:
    if one.good and one.processor > LONGEST:
        return Pair(one.seed, one.base, one.fixed, False, f"it takes {one.processor:.0f} s", one.processor, one.seconds)
    return one


def verify(case: Case) -> Verified:
    """Run a case on every seed; a seed that fails is the last."""
    pairs: list[Pair] = []
    try:
        for seed in SEEDS:
            pairs.append(pair(case, seed))
            if not pairs[-1].good:
                break
    except corpus.Wrong as error:
        return Verified(case.name, case.digest(), case.family, case.style, False, str(error), tuple(pairs))
    why = next((f"seed {one.seed}: {one.why}" for one in pairs if not one.good), "")
    return Verified(case.name, case.digest(), case.family, case.style, not why, why, tuple(pairs))


def kept(path: Path = KEPT) -> dict[str, Verified]:
    """What earlier runs found, by name."""
    return {row["name"]: _read(row) for row in store.rows(path)}


def _read(row: dict[str, object]) -> Verified:
    pairs = row.pop("pairs")
    assert isinstance(pairs, list)
    return Verified(**row, pairs=tuple(Pair(**one) for one in pairs))  # type: ignore[arg-type]


def page(found: Sequence[Verified]) -> str:
    """The table of all cases."""
    good = [one for one in found if one.good]
    healthy = [one for one in good if one.family == corpus.HEALTHY]
    families = len({one.family for one in good if one not in healthy})
    rows = [
        f"| {one.name} | {one.family} | {one.style} | {_numbers(one)} | {max(p.processor for p in one.pairs):.0f} s |"
        for one in sorted(good, key=lambda one: (one.family == corpus.HEALTHY, one.family, one.name))
    ]
    return "\n".join(
        [
            "# The corpus, verified",
            "",
            "Written by `make corpus-verify`; do not edit. Every program was run with and without its fix, on two",
            "seeds. Numbers are what the case's own `[shows]` or `[measure]` looks at, on each seed.",
            "",
            f"{len(good) - len(healthy)} faulty programs of {families} families, {len(healthy)} healthy ones.",
            "",
            "| program | truth | style | without → with its fix | longest |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _numbers(one: Verified) -> str:
    return ", ".join(
        f"{pair.base:.3g}" if pair.fixed is None else f"{pair.base:.3g} → {pair.fixed:.3g}" for pair in one.pairs
    )


def todo(names: Iterable[str], known: dict[str, Verified], again: bool) -> list[Case]:
    cases = [corpus.load(name) for name in names]
    return [
        c for c in cases if again or c.name not in known or known[c.name].digest != c.digest() or not known[c.name].good
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--again", action="store_true", help="also what was found before and has not changed")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    begun = time.monotonic()
    known = kept()
    try:
        left = todo(chosen.names or corpus.names(), known, chosen.again)
    except corpus.Wrong as error:
        parser.error(str(error))
    bad = 0
    with Bar(len(left), "programs") as bar, ThreadPoolExecutor(chosen.jobs) as pool:
        for one in pool.map(verify, left):
            known[one.name] = one
            store.write(KEPT, [asdict(known[name]) for name in sorted(known)])
            bad += not one.good
            bar.step(f"{one.name}: {'good' if one.good else one.why}" + (f" ({_numbers(one)})" if one.pairs else ""))
    present = [known[name] for name in corpus.names() if name in known]
    failing = [one for one in present if not one.good]
    spent = time.monotonic() - begun
    print(f"{len(left)} run in {spent:.0f} s; {len(present) - len(failing)} verified, {len(failing)} not")
    for one in failing:
        print(f"  {one.name}: {one.why}")
    if chosen.write:
        PAGE.write_text(page(present), encoding="utf-8")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
