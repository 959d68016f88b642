"""Late failures: back to the state that a real run kept shortly before its numbers stopped being finite."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from stetho import recording
from stetho.case import Case
from stetho.evidence import Source
from stetho.experiment import Bound
from stetho.facts import LearningRate, LossCurve, NonfiniteOrigin, RunEnd
from stetho.inquiry import BASE, Inquiry, thinned
from stetho.made import Made, keep
from stetho.observation import AFTER_NAN, symptom_clear
from stetho.trial import restored

CHANGE = "from-ring"
AGAIN = "from-kept-state"
# What experiments are compared with; all else that is known of the run is in its own recording.
COMPARED = (LossCurve, LearningRate, NonfiniteOrigin)


@dataclass(frozen=True)
class Kept:
    """A failure that can be gone back to: the record that names its files, and its steps."""

    record: Path
    step: int
    failing: int

    @property
    def expected(self) -> int:
        """The step of a run from the kept state at which the failure is due: its own first step is its step 0."""
        return self.failing - self.step + 1


def folder_of(case: Case) -> Path:
    """Where a real run keeps its recent state."""
    return case.path / "ring"


def kept(case: Case) -> Kept | None:
    """The newest failure of which everything that belongs to it is there."""
    found = []
    for record in folder_of(case).glob("*-failure.json"):
        try:
            body = json.loads(record.read_text(encoding="utf-8"))
            whole = all((record.parent / body[key]).is_file() for key in ("checkpoint", "batches"))
            one = Kept(record, int(body["step"]), int(body["failing"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if whole:
            found.append((record.stat().st_mtime, one))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def go_back(inquiry: Inquiry) -> bool:
    """Run the program from the kept state; if it fails as it did, experiments begin there."""
    if inquiry.seen().symptom != "loss-nonfinite":
        return False
    one = kept(inquiry.case)
    command = inquiry.request.command[0]
    if one is not None and not _found(inquiry, command):
        inquiry.ledger.add_note(f"not reproduced from the kept state: '{command}' is not there any more")
        return False
    if one is None:
        for reason in _why_not(inquiry):
            inquiry.ledger.add_note(f"no state was kept to go back to: {reason}")
        return False
    inquiry.restores = ((CHANGE, str(one.record), inquiry.catalogue.interventions[CHANGE].path),)
    why_not = _run_again(inquiry, one)
    if why_not:
        inquiry.restores = ()
        inquiry.ledger.add_note(f"not reproduced from the kept state: {why_not}; only what was recorded is judged")
        return False
    inquiry.ground = AGAIN
    inquiry.ledger.add_note(
        f"experiments begin from the state that the run kept after {one.step} steps: their step 1 is step {one.step} "
        f"of the run, and the failure at step {one.failing} is theirs at step {one.expected}"
    )
    return True


def _found(inquiry: Inquiry, command: str) -> bool:
    """Whether the program can still be started; a path counts from the directory that the run was in."""
    whole = os.path.join(inquiry.request.cwd, command) if os.sep in command else command
    return shutil.which(whole) is not None


def _why_not(inquiry: Inquiry) -> list[str]:
    """What the observer says of the state that it did not keep."""
    events = recording.read(inquiry.case.recordings / BASE).of("ring")
    return [str(e["off"]) for e in events if e.get("off")]


def _run_again(inquiry: Inquiry, one: Kept) -> str:
    """The unchanged program from the kept state, on record under a name of its own; why it is not the same failure."""
    request = inquiry.request
    inquiry.show(f"observing  {' '.join(request.command)}, from step {one.step}")
    bound = Bound(max(5.0, inquiry.remaining() / 3), one.expected + AFTER_NAN)
    ran = inquiry.run(bound, symptom_clear(inquiry))
    made = keep(inquiry, ran, AGAIN, relate=False)
    why_not = _other(made, one)
    for kind in (*COMPARED, RunEnd) if not why_not else ():
        if kind not in made.facts:
            continue
        fact, told = made.facts[kind][1], f"from the state kept after step {one.step}: {made.told[kind]}"
        whole = thinned(fact) if isinstance(fact, LossCurve) else fact
        inquiry.ledger.add_evidence(
            "observation", told, source=Source(command=" ".join(request.command)), fact=whole, run=AGAIN
        )
    return why_not


def _other(made: Made, one: Kept) -> str:
    """In what the run from the kept state differs from the one that kept it; empty when it fails in the same way."""
    if not restored(made.record):
        reasons = [str(body.get("why")) for body in made.record.of("restored")]
        return reasons[0] if reasons else "the program did not come to the end of its first step"
    if any(body.get("same") is False for body in made.record.of("resumed")):
        return "the program goes on with other data than the run had"
    curve = made.facts.get(LossCurve)
    failed = curve[1].nonfinite_step if curve is not None and isinstance(curve[1], LossCurve) else None
    if failed is None:
        return f"{one.expected} steps later the loss is still finite"
    if failed not in (one.expected, one.expected + 1):
        return f"the loss stops being finite at step {failed}, where step {one.expected} was due"
    return ""
