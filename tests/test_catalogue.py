"""A package of somebody else's adds declarations by an entry point alone; a broken one is told in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from stetho import catalogue
from stetho.catalogue import Catalogue
from stetho.check import Check
from stetho.errors import UnknownName

CHECK = '''
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Machine


@check(
    reads=Machine,
    root="machine",
    fires={"one core": {"cores": 1, "memory_total": 8, "memory_free": 8, "disk_free": 8}},
    quiet={"two cores": {"cores": 2, "memory_total": 8, "memory_free": 8, "disk_free": 8}},
    given={"none/healthy": 0.05},
)
def lonely_core(machine: Machine) -> Iterator[Finding]:
    """The machine has a single core.

    ## Why it matters
    Loading data and training take turns.

    ## False alarms
    Small models hardly notice.
    """
    if machine.cores == 1:
        yield Finding(f"only {machine.cores} core")
'''

CAUSE = '''
"""The machine is too small.

## What happens
Everything waits.
"""

from stetho.cause import Cause

small = Cause(
    id="env/small-machine", share=0.01, symptoms={"none": 0.9}, predicts={"lonely-core": 0.9},
    mechanism=("lonely-core",), statement="the machine is too small", test="take a larger one", fix="take a larger one",
)
'''

Outcome = subprocess.CompletedProcess[str]
Stetho = Callable[..., Outcome]


class Guest:
    """An installed package, made by hand: modules and a dist-info, in a directory on PYTHONPATH."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.entries: dict[str, list[str]] = {}
        self.describe()

    def module(self, name: str, text: str) -> None:
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")

    def enter(self, room: str, entry: str) -> None:
        self.entries.setdefault(f"stetho.{room}", []).append(entry)
        self.describe()

    def describe(self) -> None:
        folder = self.home / "guest-1.0.dist-info"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n", encoding="utf-8")
        groups = "\n".join(f"[{group}]\n" + "\n".join(lines) for group, lines in self.entries.items())
        (folder / "entry_points.txt").write_text(groups, encoding="utf-8")

    def python(self, *arguments: str) -> Outcome:
        path = os.pathsep.join(filter(None, (str(self.home), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.home, env=environment, capture_output=True, text=True, timeout=60
        )

    def stetho(self, *arguments: str) -> Outcome:
        return self.python("-c", "from stetho.cli import main; main()", *arguments)


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    return Guest(tmp_path)


@pytest.fixture
def lonely(guest: Guest) -> Guest:
    """A package with one check file, in a folder that names its family."""
    guest.module("guest/__init__.py", "")
    guest.module("guest/machines/__init__.py", "")
    guest.module("guest/machines/lonely_core.py", CHECK)
    guest.enter("checks", "guest = guest.machines")
    return guest


def one_line(told: Outcome) -> str:
    """The one line of a mistake that is not stetho's: exit code 2, no traceback, nothing on stdout."""
    assert told.returncode == 2, told.stderr
    assert told.stdout == ""
    lines = told.stderr.splitlines()
    assert len(lines) == 1, told.stderr
    assert lines[0].startswith("stetho: ")
    return lines[0]


# --- found ---------------------------------------------------------------------------------------------------


def test_a_guests_check_is_explained(lonely: Guest) -> None:
    told = lonely.stetho("explain", "lonely-core", "--json")
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    assert document["type"] == "check"
    assert document["summary"] == "The machine has a single core."
    assert document["family"] == "machines"
    assert document["reads"] == ["machine"]
    assert document["given"] == {"none/healthy": 0.05}


def test_a_guests_check_is_in_the_list_and_in_the_reference(lonely: Guest) -> None:
    code = "from stetho.reference import pages; print({p.name: t for p, t in pages().items()}['checks.md'])"
    page = lonely.python("-c", code)
    assert page.returncode == 0, page.stderr
    assert "lonely-core" in page.stdout
    assert "Loading data and training take turns." in page.stdout
    assert "loss-flat" in page.stdout
    listed = lonely.stetho("explain")
    assert [line for line in listed.stdout.splitlines() if "lonely-core" in line] == [
        f"  {'lonely-core':28} The machine has a single core."
    ]


VERDICT = """
import json
from pathlib import Path

from stetho import catalogue
from stetho.case import Request, new_case
from stetho.codec import encode
from stetho.conclusion import verdict
from stetho.facts import LossCurve, Machine, RunEnd
from stetho.inquiry import Inquiry

request = Request(("python", "train.py"), str(Path.cwd()), 0, 600.0, None, False, 0.0)
case = new_case(Path("cases"), request)
with case.open_ledger() as ledger:
    machine = Machine(cores=CORES, memory_total=8, memory_free=8, disk_free=8)
    ledger.add_evidence("probe", "the machine", fact=machine, run="base")
    ledger.add_evidence("observation", "the end", fact=RunEnd(code=0, steps=60, seconds=1.0), run="base")
    curve = LossCurve(tuple(2.3 * 0.95**i for i in range(60)), chance=2.303)
    ledger.add_evidence("observation", "the loss", fact=curve, run="base")
    inquiry = Inquiry(case, ledger, request, catalogue.load(), print, print)
    print(json.dumps(encode(verdict(inquiry))))
"""


def test_what_a_guests_check_finds_is_in_the_verdict(lonely: Guest) -> None:
    said = {}
    for cores in (1, 2):
        told = lonely.python("-c", VERDICT.replace("CORES", str(cores)))
        assert told.returncode == 0, told.stderr
        said[cores] = json.loads(told.stdout)
    found = [f for f in said[1]["findings"] if f["check"] == "lonely-core"]
    assert found == [{"check": "lonely-core", "message": "only 1 core", "where": [], "evidence": ["E1"]}]
    assert [f["check"] for f in said[2]["findings"]] == []

    def odds(cores: int) -> float:
        found = {h["cause"]: h["probability"] for h in said[cores]["hypotheses"]}
        return float(found["none/healthy"] / found["none/slow-but-learning"])

    # The check speaks of health: under it, it fires five times in a hundred, by default two.
    assert odds(1) / odds(2) == pytest.approx((0.05 / 0.02) / (0.95 / 0.98))


def test_a_guests_cause_competes(lonely: Guest) -> None:
    lonely.module("guest/small.py", CAUSE)
    lonely.enter("causes", "guest = guest.small")
    told = lonely.stetho("explain", "env/small-machine")
    assert told.returncode == 0, told.stderr
    assert "the machine is too small" in told.stdout
    concluded = lonely.python("-c", VERDICT.replace("CORES", "1"))
    assert concluded.returncode == 0, concluded.stderr
    verdict = json.loads(concluded.stdout)
    small = next(h for h in verdict["hypotheses"] if h["cause"] == "env/small-machine")
    assert small["supports"] == ["E1"]
    assert small["reason"] == "only 1 core"


def test_without_the_package_there_is_no_such_check(guest: Guest) -> None:
    assert "there is no" in one_line(guest.stetho("explain", "lonely-core"))


def test_a_single_module_can_be_an_entry(guest: Guest) -> None:
    guest.module("lonely_core.py", CHECK)
    guest.enter("checks", "guest = lonely_core")
    told = guest.stetho("explain", "lonely-core")
    assert told.returncode == 0, told.stderr


def test_a_guest_that_imports_a_cause_leaves_its_story_alone(guest: Guest) -> None:
    guest.module(
        "guest.py",
        '''
        """Something else."""
        from stetho.causes.hp.lr_too_high import lr_too_high
        ''',
    )
    guest.enter("causes", "guest = guest")
    told = guest.stetho("explain", "hp/lr-too-high")
    assert told.returncode == 0, told.stderr
    assert "Steps overshoot" in told.stdout


# --- refused -------------------------------------------------------------------------------------------------


def test_an_id_that_is_taken_is_refused(guest: Guest) -> None:
    guest.module("guest/__init__.py", "")
    guest.module("guest/flat.py", CHECK.replace("lonely_core", "loss_flat"))
    guest.enter("checks", "guest = guest.flat")
    line = one_line(guest.stetho("explain", "loss-flat"))
    assert "guest.flat" in line and "'loss-flat' is declared twice" in line
    code = """
        from stetho import catalogue
        from stetho.errors import DeclarationError
        try:
            catalogue.load()
        except DeclarationError as error:
            print("refused")
    """
    assert guest.python("-c", textwrap.dedent(code)).stdout == "refused\n"


def test_two_entries_for_one_package_declare_nothing_twice(lonely: Guest) -> None:
    lonely.enter("checks", "again = guest.machines.lonely_core")
    assert lonely.stetho("explain", "lonely-core").returncode == 0


def test_an_intervention_with_a_name_left_out_is_refused(guest: Guest) -> None:
    guest.module("guest/__init__.py", "")
    guest.module(
        "guest/halve.py", 'kind = "control"\nbackgrounds = {"": {"same": 1.0}}\n\ndef apply(run, value): ...\n'
    )
    guest.enter("interventions", "guest = guest.halve")
    line = one_line(guest.stetho("explain", "halve"))
    assert "halve.py" in line and "question" in line


def test_an_entry_that_is_not_there_is_told_in_one_line(guest: Guest) -> None:
    guest.enter("checks", "guest = nowhere_to_be_found.checks")
    line = one_line(guest.stetho("explain", "loss-flat"))
    assert "'guest'" in line and "nowhere_to_be_found" in line


def test_an_entry_whose_import_fails_is_told_in_one_line(guest: Guest) -> None:
    guest.module("guest.py", "import nowhere_to_be_found")
    guest.enter("causes", "guest = guest")
    line = one_line(guest.stetho("explain", "loss-flat"))
    assert "'guest'" in line and "nowhere_to_be_found" in line


NOT_CAUGHT = "catalogue catches an ImportError of the entry itself and nothing else: the user sees a traceback"


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        pytest.param("def f(:", "guest = guest", id="a syntax error"),
        pytest.param("undefined", "guest = guest", id="a name error"),
        pytest.param("", "guest = guest:checks", id="an attribute that is not there"),
    ],
)
def test_an_entry_that_fails_otherwise_is_told_in_one_line(guest: Guest, text: str, entry: str) -> None:
    guest.module("guest.py", text)
    guest.enter("checks", entry)
    assert "'guest'" in one_line(guest.stetho("explain", "loss-flat"))


def test_a_module_inside_an_entry_that_fails_is_told_in_one_line(guest: Guest) -> None:
    guest.module("guest/__init__.py", "")
    guest.module("guest/broken.py", "import nowhere_to_be_found")
    guest.enter("checks", "guest = guest")
    assert "guest" in one_line(guest.stetho("explain", "loss-flat"))


# --- looking up ----------------------------------------------------------------------------------------------


def test_a_variant_finds_its_intervention() -> None:
    found = catalogue.load()
    assert found.find("lr=x10").id == "lr"
    assert found.intervention("lr=x10") is found.interventions["lr"]
    assert isinstance(found.find("loss-flat"), Check)


@pytest.mark.parametrize(("typo", "meant"), [("loss-falt", "loss-flat"), ("softmax", "softmax")])
def test_an_unknown_name_comes_with_near_ones(typo: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=f"there is no .* '{typo}'.* Did you mean .*{meant}"):
        catalogue.load().find(typo)


def test_everything_comes_in_reading_order() -> None:
    found = catalogue.load()
    kinds = list(dict.fromkeys(kind for kind, _ in found.everything()))
    assert kinds == list(catalogue.KINDS)
    assert sum(1 for _ in found.everything()) == sum(len(getattr(found, kind)) for kind in catalogue.KINDS)


def test_an_empty_catalogue_has_no_near_names() -> None:
    with pytest.raises(UnknownName) as error:
        Catalogue({}, {}, {}, {}, {}, {}).find("x")
    assert str(error.value).endswith("'x'.")
