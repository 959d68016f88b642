"""The diff that is shown is one that `patch` takes, and it gives exactly what was tried."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from stetho.experiment import Edit
from stetho.fixes import Grounds, cures, diff

needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")


def patched(folder: Path, before: str, after: str) -> str:
    """The file after `patch -p1`, as a user would apply the diff."""
    file = folder / "src" / "train.py"
    file.parent.mkdir()
    file.write_bytes(before.encode("utf-8"))
    text = diff([Edit(str(file), before, after, 1, "")], str(folder))
    command = ["patch", "--binary", "-p1", "--no-backup-if-mismatch", "-d", str(folder)]
    done = subprocess.run(command, input=text.encode("utf-8"), capture_output=True)
    assert done.returncode == 0, done.stdout.decode() + text
    return file.read_bytes().decode("utf-8")


def test_a_diff_names_the_file_from_the_working_directory(tmp_path: Path) -> None:
    edit = Edit(str(tmp_path / "src" / "train.py"), "a\nb\nc\n", "a\nB\nc\n", 2, "")
    assert diff([edit], str(tmp_path)) == ("--- a/src/train.py\n+++ b/src/train.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")


def test_several_files_are_one_diff(tmp_path: Path) -> None:
    edits = [Edit(str(tmp_path / name), "a\n", "b\n", 1, "") for name in ("one.py", "two.json")]
    text = diff(edits, str(tmp_path))
    assert text.count("\n@@ ") == 2
    assert text.index("a/one.py") < text.index("a/two.json")


def test_no_change_is_no_diff(tmp_path: Path) -> None:
    assert diff([Edit(str(tmp_path / "x.py"), "a\n", "a\n", 1, "")], str(tmp_path)) == ""
    assert diff([], str(tmp_path)) == ""


LONG = "".join(f"line {n}\n" for n in range(40))


@needs_patch
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a\nb\n", "a\nB\n", id="a line"),
        pytest.param(LONG, LONG.replace("line 3\n", "").replace("line 30\n", "30\n31\n"), id="two places"),
        pytest.param("größe = '日本'\n", "größe = '本日'\n", id="non-ASCII"),
        pytest.param("a\r\n\tb\r\n", "a\r\n\tB\r\n", id="CRLF and tabs"),
        pytest.param("a\nb", "A\nb", id="an untouched last line without an end"),
    ],
)
def test_patch_gives_what_was_tried(tmp_path: Path, before: str, after: str) -> None:
    assert patched(tmp_path, before, after) == after


@needs_patch
@pytest.mark.parametrize(("before", "after"), [("a\nb", "a\nB"), ("a\nb", "a\nb\nc\n"), ("a\nb\n", "a\nB")])
def test_patch_takes_a_change_at_a_last_line_without_an_end(tmp_path: Path, before: str, after: str) -> None:
    assert patched(tmp_path, before, after) == after


@needs_patch
@pytest.mark.parametrize("separator", ["\x0c", "\u2028"], ids=ascii)
def test_patch_takes_a_file_with_what_looks_like_a_line_end(tmp_path: Path, separator: str) -> None:
    before = f"a()\n# {separator} section\nb()\n"
    assert patched(tmp_path, before, before.replace("b()", "c()")) == before.replace("b()", "c()")


def test_a_cause_without_a_cure_has_none(tmp_path: Path) -> None:
    assert list(cures("none/healthy", Grounds({}, (), str(tmp_path)))) == []
    assert list(cures("no/such-cause", Grounds({}, (), str(tmp_path)))) == []
