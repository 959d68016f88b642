"""What a word after --good means, and what is said of one that means nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stetho import snapshot
from stetho.case import Request, new_case
from stetho.errors import BadRequest
from stetho.facts import RunEnd
from stetho.regression.history import Repository, restricted
from stetho.regression.reference import only_now, resolve

from .fake import TRAIN, commit, git

COMMAND = ("python", "train.py", "--config", "new.yaml")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    commit(folder, "first", train_py=TRAIN, new_yaml="a: 1\n")
    git(folder, "tag", "fine")
    commit(folder, "second", train_py=TRAIN + "x = 1\n")
    return folder


def case_of(project: Path, command: tuple[str, ...] = COMMAND, *, ran: bool = True) -> Path:
    request = Request(command, str(project), 0, 60.0, symptom=None, experiments=True, created=0.0)
    case = new_case(project / ".stetho", request)
    with case.open_ledger() as ledger:
        if ran:
            ledger.add_evidence("observation", "ran", fact=RunEnd(0, None, 3, 1.0), run="base")
    snapshot.keep(case.path, command, str(project))
    return case.path


def test_commits_branches_and_tags(project: Path) -> None:
    git(project, "branch", "yesterday", "fine")
    for name in ("fine", "HEAD~1", "yesterday", "refs/tags/fine"):
        found = resolve(name, COMMAND, str(project), project / ".stetho")
        assert found.kind == "commit" and found.label.endswith("(first)")
        assert dict(found.files) == {str(project / "train.py"): TRAIN.encode()}
        assert [one.title for one in found.commits] == ["second"]


def test_a_commit_of_another_branch_has_no_row_of_commits(project: Path) -> None:
    git(project, "checkout", "-q", "-b", "other", "fine")
    commit(project, "elsewhere", train_py=TRAIN.replace("0.1", "0.2"))
    git(project, "checkout", "-q", "main")
    found = resolve("other", COMMAND, str(project), project / ".stetho")
    assert found.kind == "commit" and found.commits == ()


def test_git_is_asked_without_a_trace(project: Path) -> None:
    os.utime(project / "train.py")
    index = (project / ".git" / "index").read_bytes()
    repository = Repository.of(str(project))
    assert repository is not None
    first = repository.commit("fine")
    assert first is not None and repository.files(first)
    assert (project / ".git" / "index").read_bytes() == index
    assert repository.commit("--all") is None and repository.commit("") is None
    assert Repository.of(str(project.parent)) is None


def test_files_that_came_and_went_links_and_pointers(project: Path) -> None:
    (project / "link").symlink_to("train.py")
    (project / "large.bin").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    commit(project, "third", gone_py="y = 1\n")
    third = git_id(project)
    for name in ("link", "large.bin", "gone.py"):
        (project / name).unlink()
    commit(project, "fourth", new_py="z = 1\n")
    repository = Repository.of(str(project))
    assert repository is not None
    then = repository.commit(third)
    assert then is not None
    assert repository.files(then) == {str(project / "gone.py"): b"y = 1\n", str(project / "new.py"): None}


def git_id(project: Path) -> str:
    repository = Repository.of(str(project))
    head = repository.commit("HEAD") if repository is not None else None
    assert head is not None
    return head.id


def test_cases_by_number_id_and_folder(project: Path) -> None:
    path = case_of(project)
    (project / "train.py").write_text(TRAIN)
    (project / "late.py").write_text("q = 1\n")
    for name in ("1", "0001-train", str(path), ".stetho/0001-train"):
        found = resolve(name, ("python", "train.py"), str(project), project / ".stetho")
        assert found.kind == "case" and found.command == COMMAND
        assert found.files[str(project / "train.py")] == (TRAIN + "x = 1\n").encode()
    assert only_now(found, ["late.py", "/usr/bin/env"], str(project)) == {str(project / "late.py"): None}


def test_another_folder(project: Path, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.mkdir()
    (good / "train.py").write_text(TRAIN)
    (good / "new.yaml").write_text("a: 1\n")
    found = resolve("../good", COMMAND, str(project), project / ".stetho")
    assert found.kind == "folder" and dict(found.files) == {str(project / "train.py"): TRAIN.encode()}
    (project / "cache.pt").write_bytes(b"\0")
    assert only_now(found, ["cache.pt", "train.py"], str(project)) == {str(project / "cache.pt"): None}


def test_another_file_and_another_command(project: Path) -> None:
    (project / "old.yaml").write_text("a: 2\n")
    found = resolve("old.yaml", COMMAND, str(project), project / ".stetho")
    assert found.kind == "file" and dict(found.files) == {str(project / "new.yaml"): b"a: 2\n"}
    found = resolve("python train.py --lr '0 1'", COMMAND, str(project), project / ".stetho")
    assert found.kind == "command" and found.command == ("python", "train.py", "--lr", "0 1")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nowhere", "it is no case, commit, branch, tag, folder, file or command line here"),
        ("7", "there is no case '7'"),
        ("HEAD", "no file that git keeps was another one then"),
        (".", "this is the folder itself"),
        ("", "this is the folder itself"),
        ("../same", "no file in it differs"),
        ("new.yaml", "it does not differ from new.yaml"),
        ("old.toml", "the command names no file like it (.toml)"),
        ("python train.py --config new.yaml", "this is the command itself"),
        ("nosuchprogram train.py", "it is no case"),
        ("python 'train.py", "it is no case"),
        ("--all", "it is no case"),
        ("2", "holds no run of a command to compare with"),
    ],
)
def test_what_is_wrong_is_one_line(project: Path, given: str, said: str) -> None:
    case_of(project)
    case_of(project, ran=False)
    (project.parent / "same").mkdir()
    (project.parent / "same" / "new.yaml").write_text("a: 1\n")
    (project / "old.toml").write_text("a = 1\n")
    with pytest.raises(BadRequest) as error:
        resolve(given, COMMAND, str(project), project / ".stetho")
    assert said in str(error.value) and "\n" not in str(error.value)
    assert str(error.value).startswith(f"--good {given}")


def test_of_very_many_files_those_that_may_matter_are_taken() -> None:
    files: dict[str, bytes | None] = {"/r/a/x.py": b"", "/r/b/y.py": b"", "/r/c/z.py": b""}
    assert restricted(files, "/r/a", ["../b/y.py"], 3) == files
    assert set(restricted(files, "/r/a", ["../b/y.py"], 2)) == {"/r/a/x.py", "/r/b/y.py"}
