"""The corpus is written down as it should be, gives nothing away, and is split as it says."""

from __future__ import annotations

import json
import math
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench.judge import case, running, split, subject, verify
from bench.judge.case import Shows, Wrong
from bench.judge.running import Ran

NAMES = case.names()
CAUSES = set((case.ROOT / "tests" / "vocabulary.txt").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_written_down_as_it_should_be(name: str) -> None:
    one = case.load(name)
    assert one.accepted <= CAUSES, "a cause that is none"
    assert one.task and one.command
    if one.healthy:
        assert all(cause.startswith("none/") for cause in one.accepted)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_a_case_names_its_fault(name: str) -> None:
    """Not its id, nor that there is one; what else gives it away, only a reader can say."""
    one = case.load(name)
    told = re.compile(r"stetho|planted|\bbuggy\b|\bbug\b|\bfaulty\b|\bbroken on purpose\b|\bTODO\b|\bFIXME\b", re.I)
    for path in one.folder.rglob("*"):
        if path.suffix not in (".py", ".sh", ".md", ".json", ".toml", ".yaml", ".txt", ".cfg", ".ini"):
            continue
        if path.relative_to(one.folder).as_posix() in case.HIDDEN or "__pycache__" in path.parts:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        assert not told.search(text), f"{path.name}: {told.search(text)}"
        assert one.healthy or one.family not in text


def test_what_gives_the_answer_away_is_not_laid_out(tmp_path: Path) -> None:
    one = case.load(next(name for name in NAMES if case.load(name).fix == "fix.patch"))
    case.lay(one, tmp_path / "plain")
    case.lay(one, tmp_path / "fixed", fixed=True)
    for folder in ("plain", "fixed"):
        assert not [path for path in (tmp_path / folder).rglob("*") if path.name in case.HIDDEN]
    differing = [
        path
        for path in (tmp_path / "plain").rglob("*.*")
        if path.is_file()
        and path.read_bytes() != (tmp_path / "fixed" / path.relative_to(tmp_path / "plain")).read_bytes()
    ]
    assert differing, "the fix changes nothing"


def test_no_program_and_no_family_that_is_held_out_is_on_both_sides() -> None:
    parts = split.load()
    assert parts.tune <= set(NAMES), "a program that is not there"
    held = subject.subjects().values()
    tune, test = ([one for one in held if one.side == side] for side in ("tune", "test"))
    assert not {one.base for one in tune} & {one.base for one in test}
    assert not {one.family for one in tune} & parts.held_out
    assert parts.held_out <= {one.family for one in test}, "a family that nothing tests"


def test_a_split_keeps_mutants_with_their_base() -> None:
    parts = split.Split(frozenset(["a"]), frozenset(["num/overflow"]))
    assert (parts.side("a"), parts.side("b")) == ("tune", "test")
    assert not parts.allows("a", "num/overflow")
    assert parts.allows("b", "num/overflow") and parts.allows("a", "num/log-of-zero")


def ran(output: str = "", code: int | None = 0, seconds: float = 1.0, peak: float = 0.0) -> Ran:
    return Ran(output, code, seconds, seconds, peak)


METRIC = Shows("metric", r"acc ([0-9.]+|nan)", "higher", 0.2)


@pytest.mark.parametrize(
    ("shows", "base", "fixed", "good"),
    [
        (METRIC, ran("acc 0.5"), ran("acc 0.9"), True),
        (METRIC, ran("acc 0.9\nacc 0.5"), ran("acc 0.1\nacc 0.9"), True),
        (METRIC, ran("acc 0.8"), ran("acc 0.9"), False),
        (METRIC, ran("acc 0.9"), ran("acc 0.5"), False),
        (METRIC, ran("acc nan"), ran("acc 0.5"), True),
        (METRIC, ran("nothing"), ran("acc 0.5"), False),
        (METRIC, ran("acc 0.5"), ran("nothing"), False),
        (METRIC, ran("acc 0.5", code=1), ran("acc 0.5"), True),
        (METRIC, ran("acc 0.1"), ran("acc 0.9", code=1), False),
        (Shows("metric", r"acc ([0-9.]+)", "lower", 0.2), ran("acc 0.99"), ran("acc 0.7"), True),
        (Shows("exit"), ran(code=1), ran(), True),
        (Shows("exit"), ran(code=0), ran(), False),
        (Shows("exit"), ran(code=None), ran(), False),
        (Shows("hang", seconds=5.0), ran(code=None, seconds=5.0), ran(seconds=2.0), True),
        (Shows("hang", seconds=5.0), ran(code=None, seconds=5.0), ran(seconds=6.0), False),
        (Shows("hang", seconds=5.0), ran(code=1), ran(seconds=2.0), False),
        (Shows("slow", by=0.5), ran(seconds=10.0), ran(seconds=4.0), True),
        (Shows("slow", by=0.5), ran(seconds=10.0), ran(seconds=6.0), False),
    ],
)  # fmt: skip
def test_a_fault_shows_and_its_fix_helps_or_not(shows: Shows, base: Ran, fixed: Ran, good: bool) -> None:
    assert verify.judged(shows, base, fixed)[2] is good


def test_a_number_that_is_lost_is_worse_than_any() -> None:
    assert verify.effect(math.nan, 0.1, "higher") == math.inf
    assert verify.effect(math.nan, 5.0, "lower") == math.inf
    assert verify.effect(0.1, math.nan, "higher") == -math.inf
    assert verify.effect(math.nan, math.nan, "lower") == 0.0


def test_a_program_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("sleep 1000 & echo $! > pid\nsleep 1000\n")
    found = running.run(("bash", "run.sh"), tmp_path, seconds=1.0)
    assert found.code is None
    assert _ended(int((tmp_path / "pid").read_text()))


def _ended(pid: int) -> bool:
    """A process that was killed needs a moment to be gone, or to be left to its parent."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


SEEDED = """
import json, random
import numpy as np
import torch
random.seed(3); np.random.seed(3); torch.manual_seed(3)
g = torch.Generator().manual_seed(3)
print(json.dumps([random.random(), np.random.rand(), np.random.default_rng(3).random(), torch.rand(1).item(),
                  torch.rand(1, generator=g).item()]))
"""


def test_another_seed_reaches_every_generator_without_an_edit(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SEEDED)
    drawn = [
        json.loads(running.run(("python", "train.py"), tmp_path, seconds=120, offset=offset).output)
        for offset in (0, 1000, 1000)
    ]
    assert drawn[1] == drawn[2]
    assert all(a != b for a, b in zip(drawn[0], drawn[1], strict=True))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('family = "loss/wrong-sign"', 'family = "loss/other"'), "not accepted"),
        (lambda text: text.replace("kind", "kin"), "unexpected keyword"),
        (lambda text: text.replace('"metric"', '"magic"'), "needs a kind"),
        (lambda text: text.replace("by = 0.5", ""), "needs by"),
        (lambda text: text.replace("lines", "nolines"), "where the fault is"),
        (lambda text: text.replace('fix = "fix.patch"', ""), "fix and fix_command"),
        (lambda text: text.replace("3]]", "99]]"), "there is no train.py:99"),
    ],
)
def test_a_case_that_is_written_down_wrongly_is_refused(
    tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    folder = tmp_path / "some-task"
    folder.mkdir()
    (folder / "train.py").write_text("a\nb\nc\n")
    truth = (
        'task = "t"\ncommand = ["python", "train.py"]\nstyle = "sliced"\naccepted = ["loss/wrong-sign"]\n'
        'family = "loss/wrong-sign"\nlines = [["train.py", 3]]\nfix = "fix.patch"\n\n'
        '[shows]\nkind = "metric"\npattern = \'x ([0-9])\'\nfixed = "higher"\nby = 0.5\n'
    )
    (folder / "truth.toml").write_text(truth)
    assert case.load("some-task", tmp_path).family == "loss/wrong-sign"
    (folder / "truth.toml").write_text(change(truth))
    with pytest.raises(Wrong, match=re.escape(said)):
        case.load("some-task", tmp_path)


def test_lay_refuses_a_folder_that_is_there(tmp_path: Path) -> None:
    done = subprocess.run(
        ["python", "-m", "bench.judge.lay", NAMES[0], str(tmp_path)], cwd=case.ROOT, capture_output=True, text=True,
        env=running.environment(),
    )  # fmt: skip
    assert done.returncode == 2 and "is there already" in done.stderr
