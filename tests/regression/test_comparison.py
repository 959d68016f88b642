"""A run that was fine beside the one that fails: what is found, and what is said when nothing can be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stetho.conclusion import verdict
from stetho.facts import Divergence, SmallestDifference

from .fake import EXPLODES, LEARNS, SLOWLY, TRAIN, Seen, Went, asked, commit


def by_rate(seen: Seen) -> Went:
    """Explodes at a large rate; needs a batch that is no text."""
    rate = seen.number("lr")
    return Went(EXPLODES if rate > 1 else LEARNS, rate=rate)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".gitignore").write_text(".stetho\n")
    commit(folder, "first", train_py=TRAIN)
    return folder


def test_the_commit_and_the_line_are_found(project: Path) -> None:
    commit(project, "other name", train_py=TRAIN.replace("'a'", "'b'"))
    commit(project, "larger rate", train_py=TRAIN.replace("'a'", "'b'").replace("0.1", "9.0").replace("32", "64"))
    commit(project, "notes", notes_md="nothing\n")
    (project / "train.py").write_text("# a comment\n" + (project / "train.py").read_text())
    with asked(project, "HEAD~3", by_rate) as inquiry:
        found = inquiry.fact(SmallestDifference)
        told = verdict(inquiry)
    assert found is not None and found.outcome == "isolated"
    assert found.commit.endswith("(larger rate)")
    (one,) = found.differences
    assert one.told == "train.py:2 lr = 0.1 → 9.0" and one.where is not None and one.where.line == 2
    assert "the smallest difference that matters: commit" in found.told and f"{found.cure})" in found.told
    assert told.status in ("suspected", "unknown", "established") and told.exit_code in (1, 3)
    assert told.regression is not None and told.regression.first is not None
    assert told.regression.first.part == "learning rate" and told.regression.first.summary == "0.1 → 9"
    assert told.fix is not None and told.fix.diff.count("\n+") == 2 and "+lr = 0.1" in told.fix.diff
    assert all(x.predicted == {} for x in told.experiments)
    if told.claim is None:
        assert "train.py:2 lr = 0.1 → 9.0" in told.not_claimed and "train.py:2" in told.next[0].test


def test_what_is_not_committed_is_said(project: Path) -> None:
    commit(project, "other name", train_py=TRAIN.replace("'a'", "'b'"))
    (project / "train.py").write_text(TRAIN.replace("'a'", "'b'").replace("0.1", "9.0"))
    with asked(project, "HEAD~1", by_rate) as inquiry:
        found = inquiry.fact(SmallestDifference)
    assert found is not None and "not committed yet, train.py:1 lr = 0.1 → 9.0" in found.told


def test_another_folder_and_a_file_that_was_left_there(project: Path, tmp_path: Path) -> None:
    good = tmp_path / "good"
    shutil.copytree(project, good)
    (project / "data.csv").write_text("1,2\n3,nan\n5,6\n")
    (good / "data.csv").write_text("1,2\n3,4\n5,6\n")
    (project / "train.py").write_text(TRAIN.replace("'a'", "'c'"))
    nan_in_data = lambda seen: Went(EXPLODES if "nan" in "".join(seen.files.values()) else LEARNS)  # noqa: E731
    with asked(project, str(good), nan_in_data) as inquiry:
        found = inquiry.fact(SmallestDifference)
    assert found is not None and [one.told for one in found.differences] == ["data.csv:2 4 → nan"]
    assert found.differences[0].kind == "data"


def test_another_command_line_and_another_file(project: Path) -> None:
    good = "python train.py --batch 8 --lr 0.1"
    command = ("python", "train.py", "--lr", "9", "--batch", "16", "--fast")
    with asked(project, good, by_rate, *command) as inquiry:
        found, told = inquiry.fact(SmallestDifference), verdict(inquiry)
    assert found is not None and [one.told for one in found.differences] == ["command line: --lr 0.1 → --lr 9"]
    assert told.fix is not None and told.fix.command == (*command[:3], "0.1", *command[4:])
    (project / "old.yaml").write_text("width: 3\nlr: 0.1\n")
    (project / "new.yaml").write_text("width: 4\nlr: 9.0\n")
    rate = lambda seen: Went(  # noqa: E731
        EXPLODES if "9.0" in next(t for p, t in seen.files.items() if p.endswith("new.yaml")) else LEARNS
    )
    with asked(project, "old.yaml", rate, "python", "train.py", "--config=new.yaml") as inquiry:
        found, parts = inquiry.fact(SmallestDifference), inquiry.fact(Divergence)
    assert found is not None and [one.told for one in found.differences] == ["new.yaml:2 lr: 0.1 → 9.0"]
    assert parts is not None and parts.first is not None
    assert (parts.first.part, parts.first.told) == ("config keys", "lr 0.1 → 9.0, width 3 → 4")


def test_two_faults_that_fail_each_by_itself_are_named_together(project: Path) -> None:
    commit(project, "one", train_py=TRAIN.replace("0.1", "9.0"))
    commit(project, "two", train_py=TRAIN.replace("0.1", "9.0").replace("32", "1"))
    either = lambda seen: Went(EXPLODES if seen.number("lr") > 1 or seen.number("batch") < 2 else LEARNS)  # noqa: E731
    with asked(project, "HEAD~2", either) as inquiry:
        found = inquiry.fact(SmallestDifference)
    assert found is not None and found.outcome == "isolated" and found.commit == ""
    assert [one.told for one in found.differences] == ["train.py:1 lr = 0.1 → 9.0", "train.py:2 batch = 32 → 1"]


def test_half_a_change_that_fails_otherwise_is_no_answer(project: Path) -> None:
    (project / "model.py").write_text("def build(): pass\n")
    commit(project, "a model", train_py=TRAIN + "uses = 'build'\n")
    (project / "model.py").write_text("def make(): pass\n")
    commit(project, "renamed", train_py=TRAIN.replace("0.1", "9.0") + "uses = 'make'\n")

    def goes(seen: Seen) -> Went:
        text = "".join(seen.files.values())
        if ("def build" in text) != ("'build'" in text):
            return Went([], 1, "ImportError: no such name")
        return Went([], 1, "ValueError: too large") if "9.0" in text else Went(LEARNS)

    with asked(project, "HEAD~1", goes) as inquiry:
        found = inquiry.fact(SmallestDifference)
    assert found is not None and [one.told for one in found.differences] == ["train.py:1 lr = 0.1 → 9.0"]


def test_a_run_that_is_only_worse_is_a_problem_too(project: Path) -> None:
    commit(project, "slower", train_py=TRAIN.replace("0.1", "0.01").replace("'a'", "'b'"))
    slowly = lambda seen: Went(SLOWLY if seen.number("lr") < 0.1 else LEARNS)  # noqa: E731
    with asked(project, "HEAD~1", slowly) as inquiry:
        told = verdict(inquiry)
    assert told.regression is not None and told.regression.outcome == "isolated"
    assert told.status != "clear" and told.exit_code == 3
    assert "lr = 0.1 → 0.01" in told.regression.statement


@pytest.mark.parametrize(
    ("goes", "outcome", "said"),
    [
        (lambda seen: Went(EXPLODES), "both-fail", "shows loss-nonfinite, too"),
        (lambda seen: Went(LEARNS), "neither-fails", "neither run fails"),
        (
            lambda seen: Went(LEARNS) if "'b'" in seen.files[max(seen.files)] else Went([], 1, "ValueError: no"),
            "good-fails",
            "does not run well itself",
        ),
        (
            lambda seen: Went(SLOWLY) if "'a'" in seen.files[max(seen.files)] else Went(LEARNS),
            "good-fails",
            "does worse than this run",
        ),
    ],
)
def test_what_cannot_be_decided_is_said(project: Path, goes, outcome: str, said: str) -> None:
    commit(project, "other name", train_py=TRAIN.replace("'a'", "'b'"))
    with asked(project, "HEAD~1", goes) as inquiry:
        found, told = inquiry.fact(SmallestDifference), verdict(inquiry)
    assert found is not None and found.outcome == outcome and said in found.told
    assert not found.differences and not found.experiments
    assert told.fix is None and told.regression is not None and told.regression.outcome == outcome


def test_without_experiments_it_is_compared_and_not_searched(project: Path) -> None:
    commit(project, "larger rate", train_py=TRAIN.replace("0.1", "9.0"))
    with asked(project, "HEAD~1", by_rate, experiments=False) as inquiry:
        found, parts = inquiry.fact(SmallestDifference), inquiry.fact(Divergence)
        assert inquiry.runs == 2
    assert found is not None and found.outcome == "not-tried"
    assert parts is not None and parts.first is not None and parts.first.part == "learning rate"


def test_it_is_not_searched_twice(project: Path) -> None:
    from stetho.regression.comparison import compare

    commit(project, "larger rate", train_py=TRAIN.replace("0.1", "9.0"))
    with asked(project, "HEAD~1", by_rate) as inquiry:
        before = len(inquiry.ledger.evidence())
        compare(inquiry)
        assert len(inquiry.ledger.evidence()) == before
