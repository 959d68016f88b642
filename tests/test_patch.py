"""Diffs as people make them, and edited copies of a tree, become edits; what does not fit is refused in one line."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest

from stetho import patch
from stetho.errors import BadRequest

OLD = "".join(f"line {n}\n" for n in range(1, 41))


def diff(old: str, new: str, one: str = "a/train.py", two: str = "b/train.py", context: int = 3) -> str:
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), one, two, n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "lib").mkdir(parents=True)
    (folder / "train.py").write_text(OLD)
    (folder / "lib" / "model.py").write_text(OLD)
    return folder


def edits(tree: Path, text: str | bytes) -> dict[str, str]:
    file = tree.parent / "change.diff"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    found = patch.from_diff(file, str(tree))
    return {str(Path(e.file).relative_to(tree.resolve())): e.after for e in found}


@pytest.mark.parametrize(
    "new",
    [
        OLD.replace("line 3\n", "line three\n"),
        OLD.replace("line 3\n", ""),
        OLD + "more\n",
        "first\n" + OLD,
        OLD.replace("line 2\n", "x\ny\n").replace("line 30\n", ""),
        OLD.rstrip("\n"),
        "",
    ],
)
@pytest.mark.parametrize("context", [0, 1, 3])
def test_what_difflib_writes_is_read_back(tree: Path, new: str, context: int) -> None:
    assert edits(tree, diff(OLD, new, context=context)) == {"train.py": new}


def test_names_with_and_without_prefix_and_with_times(tree: Path) -> None:
    new = OLD.replace("line 7\n", "seven\n")
    for one, two in (
        ("train.py", "train.py"),
        ("a/train.py", "b/train.py"),
        ("train.py\t2026-01-01", "train.py\t2026"),
    ):
        assert edits(tree, diff(OLD, new, one, two)) == {"train.py": new}
    assert edits(tree, diff(OLD, new, "x/y/lib/model.py", "x/y/lib/model.py")) == {"lib/model.py": new}


def test_a_hunk_finds_lines_that_have_moved(tree: Path) -> None:
    (tree / "train.py").write_text("# new\n# lines\n" + OLD)
    new = OLD.replace("line 20\n", "twenty\n")
    assert edits(tree, diff(OLD, new)) == {"train.py": "# new\n# lines\n" + new}


def test_what_git_writes_with_several_files_and_a_new_one(tree: Path) -> None:
    def git(*arguments: str) -> bytes:
        words = ["git", "-c", "user.name=x", "-c", "user.email=x@y", *arguments]
        return subprocess.run(words, cwd=tree, capture_output=True, check=True).stdout

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "x")
    (tree / "lib" / "model.py").write_text(OLD.replace("line 9\n", "neun ä\n"))
    (tree / "lib" / "extra.py").write_text("x = 1\n")
    (tree / "train.py").write_bytes(OLD.replace("line 1\n", "1\r\n").encode())
    git("add", "-A")
    change = git("diff", "--cached")
    wanted = {name: (tree / name).read_bytes().decode() for name in ("lib/model.py", "lib/extra.py", "train.py")}
    git("reset", "-q", "--hard")
    assert edits(tree, change) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello\n", "holds no change"),
        (diff("other\n" * 5, "others\n" * 5), "does not fit"),
        (diff(OLD, "x\n", "a/none.py", "b/none.py"), "which is not there"),
        (diff(OLD, "", "a/train.py", "/dev/null"), "deletes"),
        (diff(OLD, OLD + "x\n")[:-30], "in the middle of a hunk"),
        ("GIT binary patch\nliteral 3\n", "binary"),
        (diff("", "x\n", "/dev/null", "b/../../etc/passwd"), "outside"),
    ],
)
def test_what_cannot_be_applied_is_refused(tree: Path, text: str, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        edits(tree, text)
    assert (tree / "train.py").read_text() == OLD


def test_an_edited_copy_is_its_differences(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "mine"
    (other / "lib").mkdir(parents=True)
    (other / "__pycache__").mkdir()
    (other / "__pycache__" / "x.pyc").write_bytes(b"\x00")
    (other / "train.py").write_text(OLD)
    (other / "lib" / "model.py").write_bytes(b"\xff\xfe new\r\n")
    (other / "conf.yaml").write_text("lr: 1\n")
    found = {Path(e.file).name: e for e in patch.from_tree(other, str(tree))}
    assert set(found) == {"model.py", "conf.yaml"}
    assert found["model.py"].after.encode("utf-8", "surrogateescape") == b"\xff\xfe new\r\n"
    with pytest.raises(BadRequest, match="does not differ"):
        patch.from_tree(tree, str(tree))
    with pytest.raises(BadRequest, match="no folder"):
        patch.from_tree(tree / "train.py", str(tree))
