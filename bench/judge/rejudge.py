"""Judges runs that were recorded once by the checks and causes as they are now, in seconds and without running them.

    python -m bench.judge.rejudge --record [--side tune] [--only TEXT]   # observe each program once, nothing changed
    python -m bench.judge.rejudge [--only TEXT] [--quiet-healthy]        # what fires now, and what is ranked first

Recordings are kept in .recorded (or $STETHO_RECORDED), one folder for each program with the program itself. Facts are
measured anew from them; what only a newer observer writes down needs `--record --again`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.judge.case import ROOT
from bench.judge.progress import Bar
from bench.judge.running import environment
from bench.judge.subject import Subject, of_side, subjects

from stetho import catalogue, files, measure
from stetho.case import Case
from stetho.catalogue import Catalogue
from stetho.context import circumstances
from stetho.facts import LossCurve
from stetho.inquiry import BASE, Inquiry, gravest, judge_all
from stetho.logged.live import OUTPUT, facts_of_output
from stetho.reason import Seen, posterior

FOLDER = Path(os.environ.get("STETHO_RECORDED", ROOT / ".recorded"))
PATIENCE = 200.0


def record(subject: Subject, again: bool) -> str:
    """Observe a program once."""
    folder = FOLDER / subject.id
    mark = folder / "digest"
    if mark.exists() and mark.read_text() == subject.digest and not again:
        return "kept"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subject.lay(folder / subject.base)
    command = [sys.executable, "-m", "stetho", "why", "--no-experiments", "-q", "--budget", "90s", "--fresh"]
    with (folder / "said.txt").open("wb") as out:
        try:
            subprocess.run(
                [*command, "--case", str(folder / "cases"), "--", *subject.command], cwd=folder / subject.base,
                env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=PATIENCE,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "no answer in time"
    mark.write_text(subject.digest)
    return "recorded"


def inquiry_of(subject: Subject, known: Catalogue) -> Iterator[Inquiry]:
    """The recorded investigation of a program, with its facts measured anew."""
    for folder in sorted((FOLDER / subject.id / "cases").glob("[0-9]*-*"))[-1:]:
        case = Case(folder.name, folder)
        with case.open_ledger(read_only=True) as ledger:
            request = ledger.request()
            if request is not None:
                yield Inquiry(case, ledger, request, known, lambda line: None, lambda line: None)


def judged(subject: Subject, known: Catalogue) -> Iterator[tuple[str, list[str], list[tuple[str, float]]]]:
    """The gravest symptom, the checks that fire, and the first hypotheses."""
    for inquiry in inquiry_of(subject, known):
        facts = inquiry.facts()
        facts.update({type(fact): ("", fact) for fact, _ in measure.facts(inquiry.record(BASE))})
        _, curve = facts.get(LossCurve, ("", None))
        if isinstance(curve, LossCurve):
            output = inquiry.case.recordings / BASE / OUTPUT
            facts.update({type(one.fact): ("", one.fact) for one in facts_of_output(output, known, curve) if one.fact})
        known_facts = {kind: fact for kind, (_, fact) in facts.items()}
        cwd = str(FOLDER / subject.id / subject.base)
        facts.update({type(fact): ("", fact) for fact, _ in files.facts(inquiry.record(BASE), cwd, known_facts)})
        judgements = judge_all(known, facts)
        failed = [f"{j.check}: {m}" for j in judgements for m in j.missing if m.startswith("the check itself")]
        seen = Seen(gravest(known, judgements), judgements, (), circumstances(facts))
        fired = [f"{j.check}: {j.findings[0].message}" for j in judgements if j.outcome == "fired"]
        yield seen.symptom, fired + failed, list(posterior(known, seen).items())[:4]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--side", choices=("test", "tune", "all"), default="tune")
    parser.add_argument("--only", default="", help="ids or families that have this text")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    wanted = [s for s in of_side(subjects().values(), chosen.side) if chosen.only in s.id or chosen.only in s.family]
    if chosen.record:
        wanted.sort(key=lambda one: (one.kind != "case", one.kind, one.id))
        with Bar(len(wanted), "programs") as bar, ThreadPoolExecutor(chosen.jobs) as pool:
            for one, said in zip(wanted, pool.map(lambda s: record(s, chosen.again), wanted), strict=True):
                bar.step(f"{one.id}: {said}")
        return
    known = catalogue.load()
    for subject in wanted:
        for symptom, fired, first in judged(subject, known):
            ranked = ", ".join(f"{cause} {probability:.2f}" for cause, probability in first)
            print(f"{subject.id} [{subject.family}] {symptom}\n    {ranked}")
            for one in fired:
                print(f"    fired {one[:170]}")


if __name__ == "__main__":
    main()
