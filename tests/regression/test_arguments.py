"""Two command lines, option by option."""

from __future__ import annotations

import shlex

import pytest

from stetho.regression.arguments import between, options, undone


@pytest.mark.parametrize(
    ("now", "then", "told"),
    [
        ("python t.py --lr 3 --wd 1", "python t.py --lr 1 --wd 1", [("--lr 3", "--lr 1")]),
        ("python t.py --wd 1 --lr 3", "python t.py --lr 1 --wd 1", [("--lr 3", "--lr 1")]),
        ("python t.py --lr=3", "python t.py --lr=1", [("--lr=3", "--lr=1")]),
        ("python t.py --fast", "python t.py", [("--fast", "")]),
        ("python t.py", "python t.py --clip -1", [("", "--clip -1")]),
        ("python t.py a.yaml", "python t.py b.yaml", [("a.yaml", "b.yaml")]),
        ("python t.py opt.lr=3 x=1", "python t.py opt.lr=1 x=1", [("opt.lr=3", "opt.lr=1")]),
        ("python3 t.py", "python t.py", [("python3", "python")]),
        ("python t.py --a 1 2 --b", "python t.py --b --a 1 3", [("--a 1 2", "--a 1 3")]),
        ("python -m pkg.a --x 1", "python -m pkg.b --x 1", [("-m pkg.a", "-m pkg.b")]),
    ],
)
def test_what_differs(now: str, then: str, told: list[tuple[str, str]]) -> None:
    found = between(shlex.split(now), shlex.split(then))
    assert [(" ".join(one.now), " ".join(one.then)) for one in found] == told
    undo = undone(shlex.split(now), found)
    assert sorted(undo) == sorted(shlex.split(then))
    assert not between(undo, shlex.split(then))


def test_each_option_can_be_undone_by_itself() -> None:
    now, then = shlex.split("python t.py --lr 3 --batch 8 --fast"), shlex.split("python t.py --lr 1 --batch 4 --slow")
    for one in between(now, then):
        assert len(between(undone(now, [one]), now)) == 1


def test_an_assignment_after_an_option_is_none_of_its_values() -> None:
    assert options(shlex.split("python t.py --config c.yaml lr=3")) == [
        ("python",), ("t.py",), ("--config", "c.yaml"), ("lr=3",)
    ]  # fmt: skip
    assert options(shlex.split("t.py --set lr=3")) == [("t.py",), ("--set", "lr=3")]
