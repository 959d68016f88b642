"""Base and changed runs beside each other, on the same seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stetho.early import first_reason, outcome_decided
from stetho.executors.protocol import Progress, Ran
from stetho.experiment import Bound
from stetho.facts import LossCurve, RunEnd
from stetho.idea import Idea
from stetho.inquiry import BASE, Inquiry
from stetho.loading import judge_loading
from stetho.made import Made, keep
from stetho.outcome import Judged, judge_outcome
from stetho.parallel import Task, at_once, together
from stetho.proof import confounded, moved_streams, why_not_applied

SEED = "seed"


@dataclass(frozen=True)
class Changed:
    """A changed run on one seed, and what it came to."""

    judged: Judged
    made: Made
    moved: tuple[int, str] | None = None
    """The first step after which random numbers differ from the base's, and whose."""


class Pairs:
    """Base and changed runs on the same seeds, side by side as far as the cores go; each is run once."""

    def __init__(self, inquiry: Inquiry, symptom: str) -> None:
        self.inquiry = inquiry
        self.symptom = symptom
        self.first = inquiry.request.seed or 0
        end = inquiry.fact(RunEnd)
        assert end is not None
        facts = inquiry.facts(BASE)
        self.end = end
        self.at_once = at_once(facts)
        self.made: dict[tuple[str, int], Made] = {("", self.first): Made(inquiry.record(), facts, end)}

    def run(self, asked: Sequence[tuple[Idea | None, int]]) -> None:
        """Run what was asked for, ideas and bases on their seeds; one that cannot be run ends the attempt, once what
        the others left is kept."""
        inquiry = self.inquiry
        tasks = [self.task(idea, seed) for idea, seed in asked]
        results = together(tasks, inquiry.execute, self.at_once)
        for (idea, seed), ran in zip(asked, results, strict=True):
            if isinstance(ran, Ran):
                self.made[name_of(idea), seed] = keep(inquiry, inquiry.counted(ran))
        for failure in results:
            if isinstance(failure, Exception):
                raise failure

    def task(self, idea: Idea | None, seed: int) -> Task:
        """One run: the base or an idea on a seed; other seeds than the first are a change of their own."""
        inquiry, request = self.inquiry, self.inquiry.request
        changes: list[tuple[str, str, str]] = []
        if seed != self.first:
            changes.append((SEED, str(seed), inquiry.catalogue.interventions[SEED].path))
        command, environment = request.command, dict[str, str]()
        label = name_of(idea) + (f", seed {seed}" if idea is not None and seed != self.first else "")
        label = label or f"seed {seed}"
        if idea is not None:
            one = idea.intervention
            command, environment = one.prepare(request.command, {}, idea.value)
            changes.append((one.id, idea.value, one.path))
        inquiry.show(f"{'base' if idea is None else idea.kind:9}  {label}")
        job = inquiry.job(
            self.bound(idea), command=command, changes=tuple(changes), environment=environment,
            edits=idea.edits if idea is not None else (),
        )  # fmt: skip

        def watch(progress: Progress) -> str | None:
            inquiry.progress(f"{label}: step {progress.steps}, {progress.seconds:.0f} s")
            return None

        about_time = idea is not None and idea.intervention.alters == "time"
        return Task(job, first_reason(watch, outcome_decided(inquiry.facts(BASE))), alone=about_time)

    def bound(self, idea: Idea | None) -> Bound:
        """As many steps as the base took, or enough to see a NaN gone; as long as that may take under the change."""
        cost = idea.intervention.cost if idea is not None else 1.0
        curve = self.inquiry.fact(LossCurve)
        # One more than the base took: a program that ends by itself prints its results there.
        steps = self.end.steps + 1 if self.end.steps else None
        if curve is not None and curve.nonfinite_step is not None:
            steps = curve.nonfinite_step * 2 + 60
        return Bound(max(5.0, min(self.inquiry.remaining(), 30 + 4 * cost * self.end.seconds)), steps)

    def changed(self, idea: Idea, seed: int) -> Changed:
        """An idea on one seed, judged against the base on that seed."""
        base, made = self.made["", seed], self.made[idea.label, seed]
        one = idea.intervention
        moved = moved_streams(base.record, made.record)
        # On another seed the change of seed is counted, too, in both runs.
        beside = base.record if seed != self.first else None
        why_not = why_not_applied(made.record, beside, somewhere=one is not None and one.somewhere) or (
            "" if idea.edits else confounded(moved, one)
        )
        if idea.edits and made.end.code and not base.end.code:
            # An edit that keeps the program from running may do so before anything can be seen of it.
            why_not = ""
        if why_not:
            return Changed(Judged("not-applied", why_not), made, moved)
        judged = judge_loading(base.facts, made.record) or judge_outcome(
            base.facts, made.facts, self.inquiry.catalogue,
            symptom=self.symptom if seed == self.first else None,
            alters=made.record.applied.alters or one.alters, smoke=one.kind == "smoke",
        )  # fmt: skip
        if judged.outcome == "new-failure" and made.end.code and made.said:
            judged = replace(judged, detail=f"it fails: {made.said}")
        if made.end.stopped_by == "time":
            cut = f"{judged.detail}; cut off after {made.end.steps} steps by its time limit"
            judged = replace(judged, detail=cut)
        return Changed(judged, made, moved)

    def seeds(self, idea: Idea) -> tuple[int, ...]:
        """The seeds that an idea was run on."""
        return tuple(sorted(seed for label, seed in self.made if label == idea.label))


def name_of(idea: Idea | None) -> str:
    return "" if idea is None else idea.label
