"""stetho's own answer to a subject: `stetho why`, as a user runs it, in a copy that knows nothing of the truth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.judge.answer import Answer
from bench.judge.case import ROOT, Place
from bench.judge.running import environment, run, scratch
from bench.judge.subject import Subject

from stetho import catalogue
from stetho.case import Case
from stetho.conclusion import rank
from stetho.inquiry import Inquiry

TOOL = "stetho"
BUDGET = 120
# Beyond its budget, a run that does not come back has failed.
PATIENCE = BUDGET * 3
PLAIN = 60.0


def version() -> str:
    """Which stetho this is: the commit, or the release where there is no repository."""
    import stetho

    told = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return f"{stetho.__version__}+{told.stdout.strip()}" if told.returncode == 0 else stetho.__version__


def answer(subject: Subject, version: str) -> Answer:
    """Run the program once as it is, and then stetho on it."""
    with scratch() as folder:
        plain = Path(folder) / "plain" / subject.base
        subject.lay(plain)
        alone = run(subject.command, plain, seconds=PLAIN)
        project = Path(folder) / "judged" / subject.base
        subject.lay(project)
        command = [sys.executable, "-m", "stetho", "why", "--json", "-q", "--budget", f"{BUDGET}s", "--"]
        begun = time.monotonic()
        out, processor = _bounded([*command, *subject.command], project)
        known = dict(
            tool=TOOL, version=version, subject=subject.id, digest=subject.digest, seconds=time.monotonic() - begun,
            processor=processor, plain=round(alone.processor, 2),
        )  # fmt: skip
        try:
            verdict = json.loads(out)
        except ValueError:
            return Answer(status="failed", said=out[-300:] or "no answer in time", **known)
        # The case is gone with the scratch.
        return Answer(**known, **_of(verdict), ranking=_ranking(verdict))


def _bounded(command: list[str], folder: Path) -> tuple[str, float]:
    """What a command prints, and the processor seconds of all its processes."""
    with (folder.parent / "out").open("w+b") as out, (folder.parent / "err").open("w+b") as err:
        process = subprocess.Popen(
            command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while True:
            pid, _, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = 0
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, 9)
                _, _, usage = os.wait4(process.pid, 0)
                process.returncode = -9
                break
            time.sleep(0.05)
        out.seek(0)
        err.seek(0)
        text = out.read().decode(errors="replace")
        return text or err.read().decode(errors="replace"), usage.ru_utime + usage.ru_stime


def _ranking(verdict: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """All causes with their probabilities, which a verdict shows the first of: calibration is about the last, too."""
    if not verdict["hypotheses"]:
        return ()
    folder = Path(verdict["case"])
    case = Case(folder.name, folder)
    with case.open_ledger(read_only=True) as ledger:
        request = ledger.request()
        assert request is not None
        _, now, _ = rank(Inquiry(case, ledger, request, catalogue.load(), lambda line: None, lambda line: None))
    return tuple((cause, float(f"{probability:.4g}")) for cause, probability in now.items())


def _of(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """What a verdict says, as far as it is scored."""
    claim = verdict["claim"]
    where = [] if claim is None else claim["where"]
    places = tuple(
        Place(p["file"], p.get("line"), *(None if p.get(k) is None else str(p[k]) for k in ("column", "key", "sample")))
        for p in where
        if p.get("file")
    )
    return dict(
        status=verdict["status"],
        claim=claim["cause"] if claim else "",
        confidence=round(claim["confidence"], 4) if claim else 0.0,
        places=places,
        fix=verdict["fix"]["kind"] if verdict["fix"] else "",
        runs=float(verdict["cost"]["runs"]),
        equivalents=float(verdict["cost"].get("equivalents", 0.0)),
        symptoms=tuple(sorted({s["id"] for s in verdict["symptoms"]})),
    )
