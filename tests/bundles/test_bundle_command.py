"""`stetho probe DIR -o FILE` and `stetho why FILE`, as a user calls them."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest
from bundling import CRASH, LOG, a_run, contents

from conftest import stetho


def test_from_a_folder_to_a_verdict_elsewhere(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    a_run(here / "runs" / "7")
    probed = stetho("probe", "runs/7", "-o", "bundle.tgz", cwd=here)
    assert probed.code == 0 and "log-tail" in probed.out
    assert probed.err.startswith("stetho: wrote bundle.tgz, ") and "go on with: stetho why bundle.tgz" in probed.err
    os.rename(here / "bundle.tgz", there / "sent.by-mail")
    mine = stetho("why", "runs/7", "--json", cwd=here)
    theirs = stetho("why", "sent.by-mail", "--json", cwd=there)
    assert theirs.code == mine.code == 1 and theirs.err == mine.err
    same = ("status", "symptoms", "findings", "hypotheses", "claim", "not_claimed", "evidence", "next", "notes")
    assert {key: theirs.verdict[key] for key in same} == {key: mine.verdict[key] for key in same}
    assert any(one["source"]["file"] == "runs/7/train.log" for one in theirs.verdict["evidence"])
    assert theirs.verdict["target"] == {"path": "sent.by-mail"}
    piped = stetho("why", "-", "--json", cwd=there, stdin=(there / "sent.by-mail").read_bytes())
    assert piped.verdict["claim"] == mine.verdict["claim"]


def test_what_was_seen_is_shown_again(tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    first = stetho("probe", "run", "-o", "b.tgz", "--json", cwd=tmp_path)
    again = stetho("probe", "b.tgz", "--json", cwd=tmp_path)
    assert first.code == again.code == 0 and json.loads(again.out) == json.loads(first.out)
    assert json.loads(contents(tmp_path / "b.tgz")["probe.json"])["schema"] == "stetho.probe/1"


def test_several_runs(tmp_path: Path) -> None:
    for name in ("a", "b"):
        a_run(tmp_path / "sweep" / name, LOG if name == "a" else LOG + CRASH)
    assert stetho("probe", "sweep", "-o", "b.tgz", "-q", cwd=tmp_path).err == ""
    mine, theirs = (stetho("why", target, cwd=tmp_path) for target in ("sweep", "b.tgz"))
    assert "2 runs, 1 with a problem" in mine.out and mine.code == theirs.code == 1
    # The last line names the case, which is another one.
    assert mine.out.splitlines()[:-1] == theirs.out.splitlines()[:-1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("probe", "gone", "-o", "b.tgz"), "there is no directory 'gone'"),
        (("probe", "empty", "-o", "b.tgz"), "'empty' holds nothing that a reader knows"),
        (("probe", "run", "-o", "run"), "'run' is a directory; name the file to write"),
        (("probe", "run", "-o", "there.tgz"), "'there.tgz' exists already"),
        (("probe", "run", "-o", "no/such/b.tgz"), "there is no directory"),
        (("probe", "run", "-o", "/dev/null"), "'/dev/null' is no ordinary file"),
        (("probe", "run", "-o", "b.tgz", "--size", "lots"), "'lots' is no amount"),
        (("probe", "run", "-o", "b.tgz", "--size", "1K"), "a bundle needs at least 64 KB, not 1 KB"),
        (("probe", "run", "--size", "1M"), "name its file with -o"),
        (("probe", "run/train.log", "-o", "b.tgz"), "'run/train.log' is a file; give the run's directory"),
        (("why", "archive.tgz"), "is packed, and no bundle of stetho's"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    (tmp_path / "there.tgz").write_text("mine")
    with tarfile.open(tmp_path / "archive.tgz", "w:gz") as made:
        made.add(tmp_path / "run", "run")
    answer = stetho(*arguments, cwd=tmp_path)
    assert answer.code == 2 and answer.out == ""
    assert answer.err.startswith("stetho: ") and says in answer.err and answer.err.count("\n") == 1
    assert (tmp_path / "there.tgz").read_text() == "mine" and not (tmp_path / "b.tgz").exists()
