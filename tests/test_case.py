"""Cases are numbered once, found by any name a person would use, and listed even when one is broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stetho.case import Case, CaseSummary, Request, list_cases, new_case, open_case, writable_root
from stetho.commands.cases import command
from stetho.errors import LedgerError, UnknownName
from stetho.verdict import Claim, Hypothesis, Verdict

SRC = Path(__file__).parents[1] / "src"


def request(*words: str) -> Request:
    return Request(words or ("python", "train.py"), "/work", 0, 600.0, None, True, 86400.0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".stetho"


@pytest.fixture
def three(root: Path) -> Path:
    """A root with three cases."""
    for script in ("train.py", "train.py", "evaluate.py"):
        new_case(root, request("python", script))
    return root


def test_a_case_has_a_ledger_with_its_request_and_a_place_for_recordings(root: Path) -> None:
    case = new_case(root, request("python", "-u", "my train.py", "--lr", "0.1"))
    assert case == Case("0001-my-train", root / "0001-my-train")
    assert case.recordings.is_dir()
    assert case.ledger_path == case.path / "ledger.sqlite"
    with case.open_ledger() as ledger:
        assert ledger.request() == request("python", "-u", "my train.py", "--lr", "0.1")
        assert ledger.add_evidence("probe", "x").id == "E1"


def test_a_relative_root_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case = new_case(Path(".stetho"), request())
    found = open_case(Path(".stetho"), "last")
    monkeypatch.chdir("/")
    assert case == found
    found.open_ledger().close()


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        ("python train.py", "train"),
        ("torchrun --nproc-per-node 2 src/Train_GPT.py --out x", "train-gpt"),
        ("python -m torch.distributed.run train.py", "train"),
        ("python -m package.finetune --lr 1", "finetune"),
        ("bash scripts/run.sh", "run"),
        ("/usr/bin/accelerate", "accelerate"),
        ("./漢字.py", "run"),
        ("../...", "run"),
        (f"python {'a' * 90}.py", "a" * 40),
    ],
)
def test_a_case_is_named_after_the_script(root: Path, words: str, stem: str) -> None:
    assert new_case(root, request(*words.split())).id == f"0001-{stem}"


def test_a_case_without_a_command_has_a_name_too(root: Path) -> None:
    empty = Request((), "/work", 0, 600.0, None, True, 0.0)
    assert new_case(root, empty).id == "0001-run"


def test_numbers_go_on_after_the_highest(root: Path) -> None:
    new_case(root, request())
    (root / "0041-other").mkdir()
    (root / "0050").mkdir()  # a case whose making was killed
    (root / "notes-99").mkdir()
    assert new_case(root, request()).id == "0051-train"
    (root / "9999-x").mkdir()
    assert new_case(root, request()).id == "10000-train"
    assert open_case(root, "last").id == "10000-train"


def test_a_number_filed_in_the_meantime_is_given_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_case(root, request())
    mkdir = Path.mkdir

    def slow(path: Path, *args: object, **options: object) -> None:
        if path.name == "0002":  # another process was faster: it has reserved, filled and renamed
            mkdir(root / "0002-evaluate")
        mkdir(path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", slow)
    assert new_case(root, request()).id == "0003-train"
    assert sorted(os.listdir(root)) == [".gitignore", "0001-train", "0002-evaluate", "0003-train"]


def test_a_case_that_cannot_be_filled_leaves_nothing(root: Path) -> None:
    with pytest.raises(LedgerError, match="cannot keep"):
        new_case(root, Request(("a",), "/", 0, 1.0, b"bytes", True, 0.0))  # type: ignore[arg-type]
    assert os.listdir(root) == [".gitignore"]


MAKE_CASES = """
import sys
from pathlib import Path
from stetho.case import Request, new_case
print("ready", flush=True)
sys.stdin.readline()
for n in range(15):
    request = Request(("python", f"{sys.argv[2]}.py"), sys.argv[2], n, 1.0, None, True, 0.0)
    print(new_case(Path(sys.argv[1]), request).id)
"""


def test_processes_at_the_same_time_get_different_cases(root: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE_CASES, str(root), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
        )
        for name in ("one", "two", "one")
    ]
    for maker in makers:
        assert maker.stdout and maker.stdout.readline() == "ready\n"
    for maker in makers:
        assert maker.stdin
        print(file=maker.stdin, flush=True)
    ids = [id for maker in makers for id in maker.communicate()[0].split()]
    assert [maker.returncode for maker in makers] == [0, 0, 0]
    assert len({id.partition("-")[0] for id in ids}) == len(ids) == 45
    assert [case.id for case in list_cases(root)] == sorted(ids)
    for id in ids:
        with open_case(root, id).open_ledger(read_only=True) as ledger:
            made = ledger.request()
        assert made is not None and made.cwd == id.partition("-")[2]


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("0002-train", "0002-train"),
        ("0002", "0002-train"),
        ("2", "0002-train"),
        ("0003-ev", "0003-evaluate"),
        ("last", "0003-evaluate"),
    ],
)
def test_a_case_is_found_by_id_number_prefix_and_last(three: Path, name: str, id: str) -> None:
    assert open_case(three, name) == Case(id, three / id)


def test_an_id_is_found_before_longer_ones_that_begin_with_it(root: Path) -> None:
    new_case(root, request("train.py"))
    (root / "0001-train-2").mkdir()
    assert open_case(root, "0001-train").id == "0001-train"


def test_a_case_is_found_by_its_folder(three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.chdir(three)
    for name in (str(three / "0002-train"), "./0002-train", f"{three / '0002-train'}/"):
        assert open_case(elsewhere, name) == Case("0002-train", three / "0002-train")
    monkeypatch.chdir(three / "0002-train")
    assert open_case(elsewhere, ".").id == "0002-train"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("0002-trian", "there is no case '0002-trian'. Did you mean 0002-train or 0001-train?"),
        ("evalaute", "there is no case 'evalaute'. Did you mean 0003-evaluate?"),
        ("000", "there is no case '000'. Did you mean 0001-train or 0002-train or 0003-evaluate?"),
        ("4", "there is no case '4'."),
        ("", "there is no case ''."),
        ("no\0such/\udc80" + "x" * 5000, None),
    ],
)
def test_an_unknown_case_names_those_that_are_near(three: Path, name: str, message: str | None) -> None:
    with pytest.raises(UnknownName) as caught:
        open_case(three, name)
    assert message is None or str(caught.value) == message


def test_without_cases_nothing_is_found(root: Path) -> None:
    assert list_cases(root) == []
    with pytest.raises(UnknownName):
        open_case(root, "last")
    assert not root.exists(), "looking makes no folder"


def test_cases_are_listed_with_their_verdicts(three: Path) -> None:
    with open_case(three, "1").open_ledger() as ledger:
        ledger.add_evidence("probe", "x")
        ledger.add_verdict(Verdict({}, "0001-train", "unknown"))
        hypotheses = (Hypothesis("hp/lr-too-low", 0.1, 0.6, "likely"),)
        ledger.add_verdict(Verdict({}, "0001-train", "suspected", hypotheses=hypotheses))
    with open_case(three, "2").open_ledger() as ledger:
        claim = Claim("loss/double-softmax", 0.98, "it is", (), ())
        ledger.add_verdict(Verdict({}, "0002-train", "established", hypotheses=hypotheses, claim=claim))
    train, evaluate = ("python", "train.py"), ("python", "evaluate.py")
    assert list_cases(three) == [
        CaseSummary("0001-train", 86400.0, train, "suspected", "hp/lr-too-low", 1),
        CaseSummary("0002-train", 86400.0, train, "established", "loss/double-softmax", 0),
        CaseSummary("0003-evaluate", 86400.0, evaluate, "unfinished", None, 0),
    ]


def test_a_broken_case_hides_no_other(three: Path) -> None:
    good = list_cases(three)
    breakages: tuple[Callable[[Path], object], ...] = (
        Path.mkdir,
        Path.touch,
        lambda path: path.write_bytes(b"rubbish" * 999),
        lambda path: path.symlink_to(path),
        lambda path: None,
    )
    for number, breakage in enumerate(breakages, start=4):
        case = three / f"{number:04d}-broken"
        case.mkdir()
        breakage(case / "ledger.sqlite")
    (three / "0009-broken").write_text("a file")
    wrong = new_case(three, request())
    with wrong.open_ledger() as ledger:
        ledger.add_request(replace(request(), command=None))  # type: ignore[arg-type]
    listed = list_cases(three)
    assert listed[:3] == good
    assert [case.status for case in listed[3:]] == ["unreadable"] * 7
    assert run("--case", str(three)).exit_code == 0


def test_the_root_hides_itself_from_git(root: Path) -> None:
    new_case(root, request())
    assert (root / ".gitignore").read_text() == "*\n"


def test_a_folder_of_the_users_is_not_hidden_from_git(tmp_path: Path) -> None:
    new_case(tmp_path, request())
    assert not (tmp_path / ".gitignore").exists()


def test_a_root_that_is_a_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path / "file", tmp_path / "file" / ".stetho"):
        with pytest.raises(LedgerError) as caught:
            new_case(root, request())
        assert "\n" not in str(caught.value)
        with pytest.raises(LedgerError):
            list_cases(root)


def test_the_wanted_root_is_taken_when_it_can_be(root: Path) -> None:
    assert writable_root(root) == (root, None)
    assert writable_root(root) == (root, None)
    assert os.listdir(root) == [".gitignore"]


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """A root that not even root can make."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / ".stetho"


def test_another_root_is_taken_and_said(unwritable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root, said = writable_root(unwritable)
    assert root == tmp_path / "state" / "stetho"
    assert said == f"{unwritable} cannot be written (Not a directory), so the case is kept in {root}."
    assert new_case(root, request()).path.is_dir()

    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert writable_root(unwritable)[0] == tmp_path / "home" / ".local" / "state" / "stetho"

    monkeypatch.setenv("HOME", str(unwritable))
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    root, said = writable_root(unwritable)
    assert root.parent == tmp_path and root.is_dir()
    assert said is not None and str(root) in said

    monkeypatch.setattr("tempfile.tempdir", str(unwritable))
    with pytest.raises(LedgerError, match="no other place"):
        writable_root(unwritable)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that takes no files")
def test_a_folder_that_takes_no_files_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    root, said = writable_root(Path("/proc"))
    assert root == tmp_path / "stetho"
    assert said is not None and said.startswith("/proc cannot be written")


def run(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_the_list_is_an_aligned_table_newest_last(three: Path) -> None:
    new_case(three, request("python", "train.py", "a b", "\x1b[2J\n\udc80"))
    lines = run("--case", str(three)).output.splitlines()
    assert [line.split()[0] for line in lines] == [
        "case",
        "0001-train",
        "0002-train",
        "0003-evaluate",
        "0004-train",
    ]
    column = lines[0].index("command")
    assert lines[1][column:] == "python train.py"
    assert lines[4][column:] == r"python train.py 'a b' '\x1b[2J\n\udc80'"
    listed = json.loads(run("--case", str(three), "--json").output)
    assert [case["id"] for case in listed] == [case.id for case in list_cases(three)]
    assert listed[3]["command"][3] == "\x1b[2J\n\udc80"


def test_an_empty_list_says_so(root: Path) -> None:
    assert run("--case", str(root)).output == "no cases yet\n"
    assert run("--case", str(root), "--json").output == "[]\n"


def test_an_unfinished_case_shows_its_evidence(three: Path) -> None:
    with open_case(three, "1").open_ledger() as ledger:
        ledger.add_evidence("reading", "loss is \x1b[31mnan", data=[float("nan")])
    for words in (["--case", str(three), "show", "1"], ["show", "1", "--case", str(three)]):
        text = run(*words).output
        assert "no verdict yet" in text
        assert r"- E1: loss is \x1b[31mnan" in text
    document = json.loads(run("show", "1", "--case", str(three), "--json").output)
    assert (document["status"], document["evidence"][0]["id"]) == ("unfinished", "E1")


def test_a_finished_case_shows_its_newest_verdict(three: Path) -> None:
    pytest.importorskip("stetho.render.document")
    with open_case(three, "1").open_ledger() as ledger:
        ledger.add_verdict(Verdict({}, "0001-train", "unknown"))
        ledger.add_verdict(Verdict({}, "0001-train", "clear"))
    document = json.loads(run("show", "1", "--case", str(three), "--json").output)
    assert (document["case"], document["status"]) == ("0001-train", "clear")


def test_one_piece_of_evidence_is_printed_in_full(three: Path) -> None:
    with open_case(three, "1").open_ledger() as ledger:
        ledger.add_evidence("reading", "the loss", data={"values": [1.5]})
    result = run("evidence", "1", "e1", "--case", str(three), "--json")
    record = json.loads(result.output)
    assert (record["id"], record["data"]) == ("E1", {"values": [1.5]})
    assert run("evidence", "1", "E1", "--case", str(three)).output.startswith("E1 (reading): the loss\n")
    assert isinstance(run("evidence", "1", "E9", "--case", str(three)).exception, UnknownName)


def test_without_a_number_all_evidence_is_listed(three: Path) -> None:
    with open_case(three, "1").open_ledger() as ledger:
        ledger.add_evidence("reading", "loss is \x1b[31mnan", data=[1.0])
        ledger.add_evidence("observation", "memory went from 1 MB to 2 MB")
    assert run("evidence", "1", "--case", str(three)).output.split("\n")[:2] == [
        r"  E1  loss is \x1b[31mnan", "  E2  memory went from 1 MB to 2 MB",
    ]  # fmt: skip
    listed = json.loads(run("evidence", "1", "--case", str(three), "--json").output)
    assert [record["id"] for record in listed] == ["E1", "E2"]
