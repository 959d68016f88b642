"""Files as the cures that are carried leave them, and their lines as the user knows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho import edited
from stetho.experiment import Edit
from stetho.source.code import read

TEXT = "a = 1\nb = 2\nc = 3\n"


def test_what_is_carried_is_read_and_the_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(TEXT)
    with edited.applied([Edit(str(file), TEXT, "a = 9\n", 1, "nine")]):
        code = read(str(file))
        assert code is not None and code.text == "a = 9\n"
    assert file.read_text() == TEXT
    assert edited.content(file) == TEXT.encode()


def test_a_file_that_is_taken_away_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "cache.csv"
    file.write_text("1\n")
    gone = Edit(str(file), "1\n", "", 1, "stale", removed=True)
    with edited.applied([gone]), pytest.raises(FileNotFoundError):
        edited.content(file)


def test_edits_on_top_of_each_other_are_one() -> None:
    first, then = Edit("/p/t.py", "a\n", "b\n", 1, "b"), Edit("/p/t.py", "b\n", "c\n", 1, "c")
    other = Edit("/p/o.py", "x\n", "y\n", 1, "y")
    assert [(e.file, e.before, e.after) for e in edited.together([first], [then, other])] == [
        ("/p/t.py", "a\n", "c\n"),
        ("/p/o.py", "x\n", "y\n"),
    ]


def test_lines_are_told_as_the_user_has_them(tmp_path: Path) -> None:
    edit = Edit(str(tmp_path / "train.py"), TEXT, "a = 1\nnew = 0\nb = 2\nc = 4\n", 2, "more")
    assert [edited.users_line(edit, line) for line in (1, 3, 4)] == [1, 2, 3]
    told = edited.in_users_lines("at train.py:4, not at other_train.py:4", [edit], str(tmp_path))
    assert told == "at train.py:3, not at other_train.py:4"
