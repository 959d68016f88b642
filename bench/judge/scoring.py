"""What a tool's answers are worth: detection, category, cause and place apart; silence better than a wrong claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.judge.answer import Answer, points_to
from bench.judge.interval import Mean, Share, mean
from bench.judge.subject import Subject

# Up to which rank a cause counts as among the first.
FEW = 3
BINS = 10
# The confidence from which a claim is made.
SURE = 0.9


@dataclass(frozen=True)
class Scored:
    """One answer beside the truth."""

    subject: Subject
    answer: Answer

    @property
    def right(self) -> frozenset[str]:
        return self.subject.accepted

    @property
    def first_right(self) -> bool:
        return self.is_right(self.answer.first[0])

    def is_right(self, cause: str) -> bool:
        """For a healthy program any `none/…` is right: which of them is a matter of taste."""
        return cause.startswith("none/") if self.subject.healthy else cause in self.right

    @property
    def among_few(self) -> bool:
        return any(self.is_right(cause) for cause, _ in self.answer.ranking[:FEW])

    @property
    def category_right(self) -> bool:
        return self.answer.first[0].split("/")[0] in {cause.split("/")[0] for cause in self.right}

    @property
    def needless(self) -> bool:
        """A planted fault without a visible effect, named all the same: neither a false alarm nor asked for."""
        planted = self.subject.planted
        named = {self.answer.claim, self.answer.first[0]} - {""}
        return self.subject.healthy and bool(planted) and self.answer.alarmed and bool(named & planted)

    @property
    def false_alarm(self) -> bool:
        return self.subject.healthy and self.answer.alarmed and not self.needless

    @property
    def wrong_claim(self) -> bool:
        if not self.answer.claim or self.needless:
            return False
        return self.subject.healthy or self.answer.claim not in self.right

    @property
    def established(self) -> bool:
        return not self.subject.healthy and self.answer.claim in self.right

    @property
    def place_right(self) -> bool:
        return points_to(self.answer.places, self.subject.places)

    @property
    def outcome(self) -> str:
        """In one word, the worst first."""
        if self.answer.status == "failed":
            return "no answer"
        if self.wrong_claim:
            return "wrong claim"
        if self.false_alarm:
            return "false alarm"
        if self.subject.healthy:
            return "named without need" if self.needless else "clear"
        if self.established:
            return "established"
        if not self.answer.alarmed:
            return "missed"
        return "not established, ranked first" if self.first_right else "not established"


@dataclass(frozen=True)
class Scores:
    """A tool over some subjects."""

    tool: str
    version: str
    detection: Share
    category: Share
    first: Share
    few: Share
    established: Share
    wrong: Share
    alarms: Share
    place: Share
    place_of_established: Share
    brier: Mean
    calibration: float
    """The mean distance of what was said from what came true, over bins of what was said."""
    cost: float
    runs: float
    equivalents: float
    """The median of what was run, in steps of the plain run; 0 where a tool does not tell."""
    answered: Share
    minutes: float
    """What all its answers took together, one after the other, with the plain run before each."""


def scored(subjects: Mapping[str, Subject], answers: Iterable[Answer]) -> list[Scored]:
    """Answers to subjects as they are now; what answers another version of a subject is left out."""
    found = []
    for answer in answers:
        subject = subjects.get(answer.subject)
        if subject is not None and subject.digest == answer.digest:
            found.append(Scored(subject, answer))
    return found


def scores(rows: Sequence[Scored]) -> Scores:
    """All figures of one tool."""
    faulty = [row for row in rows if not row.subject.healthy]
    healthy = [row for row in rows if row.subject.healthy]
    done = [row for row in faulty if row.established]

    def share(rows: Sequence[Scored], name: str) -> Share:
        return Share(sum(bool(getattr(row, name)) for row in rows), len(rows))

    costs = [row.answer.multiple for row in rows if row.answer.multiple]
    runs = [row.answer.runs for row in rows if row.answer.runs]
    steps = [row.answer.equivalents for row in rows if row.answer.equivalents]
    return Scores(
        rows[0].answer.tool if rows else "",
        rows[0].answer.version if rows else "",
        Share(sum(row.answer.alarmed for row in faulty), len(faulty)),
        share(faulty, "category_right"),
        share(faulty, "first_right"),
        share(faulty, "among_few"),
        share(faulty, "established"),
        share(rows, "wrong_claim"),
        share(healthy, "false_alarm"),
        share(faulty, "place_right"),
        share(done, "place_right"),
        mean([brier(row) for row in rows]),
        calibration_error(rows),
        median(costs) if costs else 0.0,
        median(runs) if runs else 0.0,
        median(steps) if steps else 0.0,
        Share(sum(row.answer.status != "failed" for row in rows), len(rows)),
        sum(row.answer.seconds + row.answer.plain for row in rows) / 60,
    )


def brier(row: Scored) -> float:
    """How far the whole ranking is from the truth: what the right causes lack of one, and what each wrong one has.

    Both are squared and added up. No answer is as bad as none of it right: who says little gains nothing by it.
    """
    held = sum(probability for cause, probability in row.answer.ranking if row.is_right(cause))
    wrong = sum(probability**2 for cause, probability in row.answer.ranking if not row.is_right(cause))
    return float((1 - held) ** 2 + wrong)


@dataclass(frozen=True)
class Bin:
    """Answers whose first hypothesis was given about this probability, and how many of these were right."""

    said: float
    came_true: Share


def reliability(rows: Sequence[Scored], bins: int = BINS) -> list[Bin]:
    """Said and true, by tenths of what was said."""
    held: dict[int, list[Scored]] = {}
    for row in rows:
        if row.answer.ranking:
            held.setdefault(min(bins - 1, int(row.answer.first[1] * bins)), []).append(row)
    return [
        Bin(
            sum(row.answer.first[1] for row in found) / len(found),
            Share(sum(row.first_right for row in found), len(found)),
        )
        for _, found in sorted(held.items())
    ]


def calibration_error(rows: Sequence[Scored]) -> float:
    found = reliability(rows)
    total = sum(one.came_true.total for one in found)
    return sum(abs(one.said - one.came_true.value) * one.came_true.total for one in found) / total if total else 0.0


def claims_right(rows: Iterable[Scored], least: float = SURE) -> Share:
    """Of the claims that were made with this much confidence, those that are right, healthy programs included."""
    claims = [row for row in rows if row.answer.claim and row.answer.confidence >= least]
    return Share(sum(not row.wrong_claim for row in claims), len(claims))


def confusion(rows: Iterable[Scored]) -> dict[tuple[str, str], int]:
    """What was true and what stood first, where these differ."""
    found: dict[tuple[str, str], int] = {}
    for row in rows:
        if not row.first_right:
            pair = (row.subject.family, row.answer.first[0] or "nothing")
            found[pair] = found.get(pair, 0) + 1
    return found
