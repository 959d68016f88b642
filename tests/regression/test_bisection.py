"""Which differences bring a failure, found with few questions and never by guessing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from stetho.regression.bisection import Answer, fewest, smallest, split, turn


class Asked:
    """A program that fails as long as the culprits are there; counts how often it was run."""

    def __init__(self, fails: Callable[[set[int]], Answer], count: int) -> None:
        self.fails, self.whole, self.runs = fails, set(range(count)), 0

    def __call__(self, undone: frozenset[int]) -> Answer:
        self.runs += 1
        return self.fails(self.whole - undone)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 33, 100])
def test_one_culprit_is_found_with_as_many_questions_as_halves(count: int) -> None:
    for culprit in {0, count // 2, count - 1}:
        ask = Asked(lambda left, c=culprit: "bad" if c in left else "good", count)
        found = smallest(range(count), ask)
        assert found.left == (culprit,) and found.whole
        assert ask.runs <= math.ceil(math.log2(count)) + 1 if count > 1 else ask.runs == 0
        assert culprit not in found.beside


def test_two_that_only_fail_together_are_told_apart_from_the_rest() -> None:
    ask = Asked(lambda left: "bad" if {3, 11} <= left else "good", 16)
    found = smallest(range(16), ask)
    assert found.left in ((3,), (11,))
    assert ask(frozenset(found.left) | found.beside) == "good" and ask(found.beside) == "bad"


def test_two_that_fail_each_by_itself_are_undone_together() -> None:
    ask = Asked(lambda left: "bad" if {3, 11} & left else "good", 16)
    first = smallest(range(16), ask)
    assert ask(frozenset(first.left)) == "bad"
    assert set(fewest(range(16), ask).left) == {3, 11}


def test_halves_that_break_are_taken_in_smaller_parts() -> None:
    """Pieces 4 and 9 rename something together: one without the other is another failure."""

    def fails(left: set[int]) -> Answer:
        if len(left & {4, 9}) == 1:
            return "unclear"
        return "bad" if 6 in left else "good"

    ask = Asked(fails, 12)
    assert smallest(range(12), ask).left == (6,)


def test_what_cannot_be_told_apart_stays_together() -> None:
    ask = Asked(lambda left: "bad" if {1, 2} <= left else "good" if not left & {1, 2} else "unclear", 4)
    assert set(smallest(range(4), ask).left) == {1, 2}
    assert set(fewest(range(4), ask).left) == {1, 2}


def test_it_stops_when_there_is_no_time() -> None:
    ask = Asked(lambda left: "bad" if 7 in left else "good", 64)
    found = smallest(range(64), ask, lambda: ask.runs < 2)
    assert ask.runs == 2 and not found.whole and len(found.left) == 16 and 7 in found.left
    ask.runs = 0
    assert not fewest(range(64), ask, lambda: ask.runs < 1).whole


def test_random_culprits_always_bring_the_failure() -> None:
    chance = random.Random(0)
    for _ in range(200):
        count = chance.randint(2, 40)
        needed = set(chance.sample(range(count), chance.randint(1, min(3, count))))
        ask = Asked(lambda left, n=needed: "bad" if n <= left else "good", count)
        found = smallest(range(count), ask)
        assert len(found.left) == 1 and set(found.left) <= needed
        assert ask(found.beside) == "bad" and ask(found.beside | frozenset(found.left)) == "good"
        either = Asked(lambda left, n=needed: "bad" if n & left else "good", count)
        assert set(fewest(range(count), either).left) == needed


@pytest.mark.parametrize("count", [1, 2, 7, 20])
def test_the_turn_in_a_row_of_versions(count: int) -> None:
    for first in range(count):
        asked: list[int] = []

        def ask(index: int, first: int = first, asked: list[int] = asked) -> Answer:
            asked.append(index)
            return "bad" if index >= first else "good"

        assert turn(count, ask) == (first - 1, first)
        assert len(asked) <= math.ceil(math.log2(count)) if count > 1 else not asked


def test_versions_that_do_not_run_are_passed_over() -> None:
    answers: list[Answer] = ["good", "unclear", "unclear", "bad", "bad"]
    assert turn(5, lambda i: answers[i]) == (0, 3)
    assert turn(5, lambda i: answers[i], lambda: False) == (-1, 4)


def test_groups_keep_their_order_and_leave_nothing_out() -> None:
    assert split("abcde", 2) == [("a", "b"), ("c", "d", "e")]
    assert [one for group in split(range(10), 4) for one in group] == list(range(10))
