"""The good run and the failing one on other seeds, where one seed cannot tell them apart."""

from __future__ import annotations

from stetho.cost import expected_seconds
from stetho.fixes import Cure
from stetho.inquiry import Inquiry
from stetho.made import Made, keep
from stetho.outcome import Judged
from stetho.pairs import SEED
from stetho.proof import moved_streams, why_not_applied
from stetho.regression.runs import Runs
from stetho.regression.state import State
from stetho.repeats import judge_over_seeds, noise_decides
from stetho.trial import prepared

OTHERS = 2


def over_seeds(inquiry: Inquiry, runs: Runs, state: State, good: Made, judged: Judged) -> Judged:
    """What the good run does beside the failing one, on as many seeds as noise asks for and time allows."""
    moved = moved_streams(inquiry.record(), good.record) is not None
    if not noise_decides(judged, moved=moved or None):
        return judged
    each, first = [judged], inquiry.request.seed or 0
    for seed in range(first + 1, first + 1 + OTHERS):
        if inquiry.remaining() < 3 * expected_seconds(inquiry):
            break
        inquiry.show(f"{'base':9}  both runs on seed {seed}")
        base = _on_seed(inquiry, runs, State((), inquiry.request.command), seed)
        other = _on_seed(inquiry, runs, state, seed)
        if not (why_not_applied(base.record) or why_not_applied(other.record)):
            each.append(runs.beside(base.facts, other.facts, None, runs.altered(other)))
    return judge_over_seeds(each) if len(each) > 1 else judged


def _on_seed(inquiry: Inquiry, runs: Runs, state: State, seed: int) -> Made:
    change = (SEED, str(seed), inquiry.catalogue.interventions[SEED].path)
    cure = Cure("", state.edits, state.command)
    task = prepared(inquiry, changes=(change,), cure=cure, steps=runs.bound())
    return keep(inquiry, inquiry.counted(inquiry.execute(task.job, task.watch)))
