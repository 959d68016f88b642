"""Runs of the failing command with differences undone, each made once and judged beside both known runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import median

from stetho.cost import expected_seconds, step_bound
from stetho.errors import ScratchError
from stetho.evidence import Source
from stetho.experiment import Change, Experiment, ExperimentKind
from stetho.facts import LossCurve, PathPart, RunEnd
from stetho.fixes import Cure
from stetho.inquiry import BASE, Facts, Inquiry, gravest, judge_all, thinned
from stetho.made import Made, keep, last_words
from stetho.outcome import FAILURES, Judged, judge_outcome
from stetho.regression.alignment import along
from stetho.regression.bisection import Answer
from stetho.regression.state import State, broken
from stetho.regression.track import Track
from stetho.trial import prepared
from stetho.yardstick import fact_in

QUESTION = "Does it still fail with these differences undone?"
# Steps beyond the failing one that a run must take to have come past a crash.
BEYOND = 20
# A loss so many times as high is another level, whatever the noise.
FAR = 2.0
GOOD = "good"


@dataclass(frozen=True)
class Seen:
    """One version that was run: its answer, what was judged, and the experiment that says so."""

    answer: Answer
    judged: Judged
    experiment: str = ""
    facts: Facts | None = None


class Runs:
    """The runs of one comparison; a version that was run before is not run again."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.base = inquiry.facts(BASE)
        self.symptom = gravest(inquiry.catalogue, judge_all(inquiry.catalogue, self.base))
        self.said = last_words(inquiry.case.recordings / BASE / "output.txt")
        self.good: Facts = {}
        self.seen: dict[State, Seen] = {}
        self.experiments: list[str] = []

    def observe(self, state: State) -> Made:
        """The run that is said to be good, kept whole in the case."""
        return self._made(state, GOOD)

    def _made(self, state: State, name: str = "") -> Made:
        task = prepared(self.inquiry, cure=Cure("", state.edits, state.command), steps=self.bound())
        return keep(self.inquiry, self.inquiry.counted(self.inquiry.execute(task.job, task.watch)), name)

    def bound(self) -> int | None:
        """As far as other experiments go; past the step of a crash, where there is one."""
        end = self.inquiry.fact(RunEnd)
        if end is not None and self.symptom in (*FAILURES, "hang"):
            return 2 * end.steps + BEYOND
        return step_bound(self.inquiry)

    def time_left(self) -> bool:
        """Whether another run fits, with one kept for trying what was found by itself."""
        return self.inquiry.remaining() > 2 * expected_seconds(self.inquiry)

    def ask(self, state: State, label: str, kind: ExperimentKind = "control", question: str = QUESTION) -> Seen:
        """Run a version and put it on record; one that cannot even be read is no good and no failure."""
        if state not in self.seen:
            why_not = broken(state)
            if why_not:
                self.seen[state] = Seen("unclear", Judged("not-applied", why_not))
            else:
                self.inquiry.show(f"{kind:9}  {label}")
                self.seen[state] = self._asked(state, label, kind, question)
        return self.seen[state]

    def _asked(self, state: State, label: str, kind: ExperimentKind, question: str) -> Seen:
        try:
            made = self._made(state)
        except ScratchError as error:
            return Seen("unclear", Judged("not-applied", str(error)))
        answer, judged = self.judged(made)
        change = Change(label, edits=state.edits, command=self._command(state))
        id = self._put(made, judged, change, kind, question)
        return Seen(answer, judged, id, made.facts)

    def _command(self, state: State) -> tuple[str, ...] | None:
        return state.command if state.command != self.inquiry.request.command else None

    def _put(self, made: Made, judged: Judged, change: Change, kind: ExperimentKind, question: str) -> str:
        ledger, end = self.inquiry.ledger, made.end
        curve = fact_in(made.facts, LossCurve)
        number = ledger.next_experiment_id()
        summary = f"{change.name}, {end.steps} steps: {judged.outcome}, {judged.detail}"
        source = Source(command=" ".join(change.command or self.inquiry.request.command))
        fact = thinned(curve) if curve is not None else None
        evidence = ledger.add_evidence("experiment", summary, source=source, fact=fact, run=number)
        experiment = Experiment(
            number, kind, change, question, {}, judged.outcome, judged.detail, round(end.seconds, 2), end.steps,
            judged.before, judged.after, (evidence.id,), measure=judged.measure,
        )  # fmt: skip
        ledger.add_experiment(experiment)
        self.experiments.append(number)
        return number

    def good_beside(self, facts: Facts, parts: list[PathPart]) -> Judged:
        """What the good run does beside the failing one; without a symptom and at a far lower level it is better,
        however noisy the failing one is."""
        judged = self.beside(self.base, facts, self.symptom, self.kept_apart(parts))
        own = gravest(self.inquiry.catalogue, judge_all(self.inquiry.catalogue, facts))
        before, after = judged.before, judged.after
        if judged.outcome != "undecided" or self.symptom == "none" or own != "none" or judged.measure != "loss":
            return judged
        if before is None or after is None or not before > FAR * after > 0:
            return judged
        detail = f"final loss {before:.4g} -> {after:.4g}, {self.symptom} gone"
        return replace(judged, outcome="symptom-gone", detail=detail)

    def judged(self, made: Made) -> tuple[Answer, Judged]:
        """Whether a run fails as the failing one does, or is as good as the good one; half-way is unclear."""
        judged = self.beside(self.base, made.facts, self.symptom, self.altered(made))
        if judged.outcome == "new-failure" and made.end.code and made.said:
            judged = replace(judged, detail=f"it fails: {made.said}")
        if judged.outcome in ("same", "worse"):
            if self.symptom in FAILURES and error_of(made.said) != error_of(self.said):
                return "unclear", Judged("new-failure", f"it fails in another way: {made.said}")
            return "bad", judged
        if judged.outcome == "symptom-gone":
            return "good", judged
        if judged.outcome not in ("better", "undecided"):
            return "unclear", judged
        answer = self.half_way(made, judged)
        if judged.outcome == "undecided" and answer != "unclear":
            return answer, self.by_level(judged, answer)
        return answer, judged

    def by_level(self, judged: Judged, answer: Answer) -> Judged:
        """The outcome where the failing run's own noise would hide it."""
        head = f"final loss {judged.before:.4g} -> {judged.after:.4g}"
        if answer == "bad":
            return replace(judged, outcome="same", detail=f"{head}, still {self.symptom}")
        own = level(self.good)
        detail = f"{head}, {self.symptom} gone, near the good run's {own:.4g}"
        return replace(judged, outcome="symptom-gone", detail=detail)

    def half_way(self, made: Made, judged: Judged) -> Answer:
        """What is better, or lost in the failing run's noise, by its own symptom and by whose level it is nearer to."""
        if self.symptom == "none":
            reached = self.beside(self.good, made.facts, None, "")
            as_good = judged.outcome == "better" and reached.outcome not in ("worse", "new-failure")
            return "good" if as_good else "unclear"
        own = gravest(self.inquiry.catalogue, judge_all(self.inquiry.catalogue, made.facts))
        near = nearer(judged.before, judged.after, level(self.good)) if judged.measure == "loss" else None
        if own == "none" and near:
            return "good"
        return "bad" if own == self.symptom and near is False else "unclear"

    def beside(self, one: Facts, two: Facts, symptom: str | None, alters: str) -> Judged:
        if symptom == "hang":
            return _past_hang(self.inquiry, one, two)
        return judge_outcome(one, two, self.inquiry.catalogue, symptom=symptom, alters=alters)

    def altered(self, made: Made) -> str:
        """What two runs must not be compared by: the loss where it is another one, its level on other data."""
        return self.kept_apart(list(along(Track(made.record), Track(self.inquiry.record()))))

    def kept_apart(self, parts: list[PathPart]) -> str:
        return "time" if self.symptom == "slow-training" else alters(parts)


def alters(parts: list[PathPart]) -> str:
    """What cannot be compared as it is, from where two runs part at their first step."""
    at_first = {one.part for one in parts if one.state == "differs" and not one.step}
    if "loss" in at_first and not at_first & {"inputs", "targets", "outputs", "initial weights"}:
        return "loss"
    return "data" if at_first & {"inputs", "targets"} else ""


def level(facts: Facts) -> float | None:
    curve = fact_in(facts, LossCurve)
    return median(curve.values[-max(1, len(curve.values) // 5) :]) if curve is not None and curve.values else None


def nearer(bad: float | None, value: float | None, good: float | None) -> bool | None:
    """Whether a loss is nearer to that of the good run than to that of the failing one, in factors; None where losses
    have none."""
    known = [one for one in (bad, value, good) if one is not None and math.isfinite(one) and one > 0]
    if len(known) < 3:
        return None
    below, own, above = map(math.log, known)
    return abs(own - above) < abs(own - below)


def error_of(said: str) -> str:
    """The kind of error that a last line names."""
    return said.partition(":")[0].strip()


def _past_hang(inquiry: Inquiry, one: Facts, two: Facts) -> Judged:
    """A run that hangs is cured by one that comes past the step at which it hung."""
    before, after = fact_in(one, RunEnd), fact_in(two, RunEnd)
    now = gravest(inquiry.catalogue, judge_all(inquiry.catalogue, two))
    if before is None or after is None:
        return Judged("undecided", "how it ended is not known")
    if after.steps > before.steps or after.code == 0:
        return Judged("symptom-gone", f"hang gone, {after.steps} steps")
    return Judged("same" if now in ("hang", "none") else "new-failure", f"{now}, {after.steps} steps")
