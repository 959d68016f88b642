"""The smallest difference that matters: commits first, then files, hunks, lines and words, undone by halves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from stetho.evidence import Place
from stetho.facts import Crash, Divergence
from stetho.inquiry import Inquiry
from stetho.patch import MOST
from stetho.regression.bisection import Answer, fewest, smallest, turn
from stetho.regression.history import Commit, restricted
from stetho.regression.pieces import Piece
from stetho.regression.reference import Files, Reference
from stetho.regression.runs import Runs, Seen
from stetho.regression.state import Difference, State, carried, differences, edits_of, finer, names, without

# Lines within which a difference stands where the runs part.
NEAR, MOST_GUESSED = 3, 2
ALONE = "Does undoing this alone cure it?"


@dataclass(frozen=True)
class Found:
    """What the search came to."""

    left: tuple[Difference, ...]
    now: Files
    """The version that they are differences of: files that are others than on disk."""
    commits: tuple[Commit, ...] = ()
    """Those that they came with; several where those between cannot be told apart."""
    alone: Seen | None = None
    """The version on disk with nothing but them undone."""
    whole: bool = True
    """Whether everything was asked that could narrow it further."""
    uncommitted: bool = False
    """Whether it turns only with what is in no commit yet."""


class Search:
    """One search through what differs between the good version and the failing one."""

    def __init__(self, runs: Runs, reference: Reference, used: Sequence[str]) -> None:
        self.runs, self.reference, self.used = runs, reference, used
        self.command = runs.inquiry.request.command
        self.cwd = os.path.realpath(runs.inquiry.request.cwd)
        self.whole = True
        self.places = parting_places(runs.inquiry)

    def find(self) -> Found:
        """Narrow it down, and try what is left by itself on what is there now."""
        now, then, commits = self.between_commits()
        known = differences(now, then, self.command, self.reference.command if now == {} else self.command)
        left, beside = self.narrowed(known, now)
        here = [carried(one, now) if isinstance(one, Piece) else one for one in left]
        placed = tuple(one for one in here if one is not None)
        if len(placed) < len(left):
            return Found(tuple(left), now, commits, None, self.whole)
        uncommitted = bool(self.reference.commits) and not commits and not now
        alone = self.tried_alone(placed)
        if alone.answer == "good" or not self.runs.time_left():
            return Found(placed, {}, commits, alone, self.whole, uncommitted)
        # Something else that differs fails as well: the fewest that must be undone together.
        every = differences({}, self.reference.files, self.command, self.reference.command)
        start = tuple(beside) + placed if not now else tuple(every)
        return self.together(start, commits if not now else ())

    def between_commits(self) -> tuple[Files, Files, tuple[Commit, ...]]:
        """The two neighbouring versions between which it turns; without a history, the two ends."""
        reference, commits = self.reference, self.reference.commits
        repository = reference.repository
        if not commits or repository is None or reference.command != self.command:
            return {}, reference.files, ()
        tree = cache(lambda i: restricted(repository.files(commits[i]), self.cwd, self.used, MOST))
        last = len(commits) - 1
        # What is not committed yet is a version of its own, after all commits.
        count = len(commits) + bool(edits_of(tree(last), reference.like))

        def version(index: int) -> Files:
            return {} if index == count - 1 else tree(index) if index >= 0 else reference.files

        def ask(index: int) -> Answer:
            state = State(edits_of(version(index), reference.like), self.command)
            return self.runs.ask(state, f"as of {commits[index].short}").answer

        good, bad = turn(count, ask, self.more)
        came_with = commits[good + 1 : bad + 1]
        self.whole = self.whole and bad - good == 1
        return version(bad), version(good), came_with

    def suspect(self, known: list[Difference], now: Files) -> list[Difference]:
        """One difference that alone makes it good, where one stands just where the runs part; else all of them."""
        small = [one for one in finer(known) if isinstance(one, Piece)]
        near = [min(small, key=lambda one: self.away(one, place)) for place in self.places if small]
        close = [one for one, place in zip(near, self.places, strict=False) if self.away(one, place) <= NEAR]
        for one in list(dict.fromkeys(close))[: MOST_GUESSED if len(small) > 2 else 0]:
            if self.more() and self.answer(frozenset([one]), now) == "good":
                return [one]
        return known

    def away(self, one: Piece, place: Place) -> int:
        """How many lines a difference is away from a place; another file is far."""
        if place.line is None or place.file != os.path.relpath(one.file, self.cwd):
            return NEAR + 1
        last = one.line + (one.now or "").rstrip("\n").count("\n")
        return max(one.line - place.line, place.line - last, 0)

    def narrowed(self, known: list[Difference], now: Files) -> tuple[list[Difference], frozenset[Difference]]:
        """Halves of the differences, then of their parts, as long as there is time and something to halve."""
        known = self.suspect(known, now)
        left: list[Difference] = known if len(known) > 1 else finer(known)
        beside: frozenset[Difference] = frozenset()
        while True:
            found = smallest(left, lambda chosen: self.answer(chosen, now), self.more, beside)
            smaller = finer(found.left)
            beside = found.beside
            if len(smaller) == len(found.left) or not found.whole:
                self.whole = self.whole and found.whole
                return smaller if found.whole else list(found.left), beside
            left = smaller

    def answer(self, chosen: frozenset[Difference], now: Files) -> Answer:
        state = without(chosen, now, self.command, self.reference.like)
        return self.runs.ask(state, f"without {names(_in_order(chosen), self.cwd)}").answer

    def tried_alone(self, found: Sequence[Difference]) -> Seen:
        state = without(found, {}, self.command, self.reference.like)
        return self.runs.ask(state, f"without {names(found, self.cwd)}", "trial fix", ALONE)

    def together(self, start: tuple[Difference, ...], commits: tuple[Commit, ...]) -> Found:
        pieces = tuple(finer(start)) if len(start) == 1 else start
        while True:
            found = fewest(pieces, lambda chosen: self.answer(chosen, {}), self.more)
            smaller = finer(found.left)
            if len(smaller) == len(found.left) or not found.whole:
                break
            pieces = tuple(smaller)
        left = tuple(smaller) if found.whole else found.left
        self.whole = self.whole and found.whole
        return replace(Found(left, {}, commits, self.tried_alone(left)), whole=self.whole)

    def more(self) -> bool:
        return self.runs.time_left()


def parting_places(inquiry: Inquiry) -> list[Place]:
    """The lines that an exception came through, innermost first, and where the two runs part."""
    found, crash = inquiry.fact(Divergence), inquiry.fact(Crash)
    parts = [one for one in found.parts if one.state == "differs"] if found is not None else []
    frames = reversed(crash.frames) if crash is not None else ()
    return [*frames, *(one.where for one in parts if one.where is not None)]


def _in_order(chosen: frozenset[Difference]) -> list[Difference]:
    return sorted(chosen, key=lambda one: (getattr(one, "file", ""), one.start, one.order))
