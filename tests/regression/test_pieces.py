"""Differences taken apart, undone one by one, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.regression import pieces
from stetho.regression.pieces import Piece, between, finer, undone
from stetho.regression.state import broken, carried, differences, edits_of, without
from stetho.regression.telling import change, located, on_lines

THEN = "import a\n\nlr = 3e-4\nbatch = 32\n\nfor x in data:\n    opt.zero_grad()\n    step(x)\n"
NOW = "import a\nimport b\n\nlr = 3e-2\nbatch = 64\n\nfor x in data:\n    step(x)\n"


def parts(now: str, then: str) -> list[Piece]:
    return finer(between("/w/train.py", now, then))


@pytest.mark.parametrize(
    ("now", "then"),
    [(NOW, THEN), ("a\n", "b"), ("", "x\ny\n"), ("x\ny\n", ""), ("f(g(x), y)\n", "f(x, y)\n"), ("a\nb\nc\n", "a\nd\n")],
)
def test_all_pieces_undone_give_the_version_that_worked(now: str, then: str) -> None:
    found = parts(now, then)
    assert undone(now, found) == then
    while (smaller := [part for one in found for part in finer(one)]) != found:
        found = smaller
        assert undone(now, found) == then
    assert undone(now, []) == now


def test_pieces_become_hunks_lines_and_words() -> None:
    added, changed, removed = parts(NOW, THEN)
    assert [one.line for one in (added, changed, removed)] == [2, 4, 8]
    rate, size = finer(changed)
    assert (rate.now, rate.then, rate.line) == ("lr = 3e-2\n", "lr = 3e-4\n", 4)
    assert undone(NOW, [rate]) == NOW.replace("3e-2", "3e-4")
    assert undone(NOW, [size]) == NOW.replace("64", "32")
    assert finer(finer(rate)[0]) == finer(rate)


def test_a_file_that_came_or_went_is_one_piece() -> None:
    new, gone = between("/w/cache.pt", "\0bytes", None), between("/w/x.py", None, "x = 1\n")
    assert finer(new) == [new] and finer(gone) == [gone]
    assert undone("\0bytes", [new]) is None and undone(None, [gone]) == "x = 1\n"
    assert pieces.kind_of("/w/cache.pt") == "data" and pieces.kind_of("a/b.YAML") == "config"


def test_a_change_is_told_with_its_name() -> None:
    told = [change(NOW, word) for one in parts(NOW, THEN) for line in finer(one) for word in finer(line)]
    assert told == ["import b added", "lr = 3e-4 → 3e-2", "batch = 32 → 64", "opt.zero_grad() removed"]
    call = "opt = SGD(net.parameters(), lr=0.05, momentum=0.9)\n"
    (one,) = parts(call.replace("0.05", "5.0"), call)
    assert change(call.replace("0.05", "5.0"), one) == "lr=0.05 → 5.0"
    (one,) = parts("x = f(a, 1)\n", "x = f(a,)\n")
    assert change("x = f(a, 1)\n", one) == "x = f(a,) → x = f(a, 1)"
    (one,) = parts("net = Linear(5, 2)\n", "net = Linear(6, 2)\n")
    assert change("net = Linear(5, 2)\n", one) == "net = Linear(6, 2) → net = Linear(5, 2)"


def test_words_of_one_line_that_matter_together_are_told_as_the_line(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("loss = ce(softmax(net(x)), y)\n")
    words = finer(between(str(file), file.read_text(), "loss = ce(net(x), y)\n"))
    assert len(words) == 2
    (line,) = on_lines(words, {})
    assert (line.then, line.now) == ("loss = ce(net(x), y)", "loss = ce(softmax(net(x)), y)")
    (told,) = located(words, {}, str(tmp_path))
    assert told.told == "train.py:1 loss = ce(net(x), y) → loss = ce(softmax(net(x)), y)"


def test_half_a_change_that_cannot_be_read_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("loss = ce(softmax(net(x)), y)\n")
    words = finer(between(str(file), file.read_text(), "loss = ce(net(x), y)\n"))
    assert "train.py cannot be read" in broken(without(words[:1], {}, ("python", "train.py"), "as before"))
    assert not broken(without(words, {}, ("python", "train.py"), "as before"))


def test_a_state_is_the_edits_that_make_it(tmp_path: Path) -> None:
    code, new = tmp_path / "train.py", tmp_path / "new.py"
    code.write_text(NOW)
    new.write_text("x = 1\n")
    then = {str(code): THEN.encode(), str(new): None, str(tmp_path / "old.csv"): b"1\n"}
    command, good = ("python", "train.py", "--lr", "3"), ("python", "train.py", "--lr", "1")
    found = differences({}, then, command, good)
    assert [one.kind for one in found] == ["command", "data", "code", "code"]
    state = without(found, {}, command, "as before")
    assert state.command == good and state.edits == edits_of(then, "as before")
    assert {Path(e.file).name: (e.after, e.removed) for e in state.edits} == {
        "train.py": (THEN, False),
        "new.py": ("", True),
        "old.csv": ("1\n", False),
    }
    assert without([], {}, command, "as before").edits == ()


def test_a_piece_of_an_earlier_version_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("# later\n# lines\n" + NOW)
    now = {str(file): NOW.encode()}
    rate = finer(finer(between(str(file), NOW, THEN))[1])[0]
    moved = carried(rate, now)
    assert moved is not None and moved.line == rate.line + 2
    assert undone(file.read_text(), [moved]) == "# later\n# lines\n" + NOW.replace("3e-2", "3e-4")
    file.write_text(NOW.replace("lr = 3e-2", "lr = 3e-2 * scale"))
    assert carried(rate, now) is None
