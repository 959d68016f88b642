"""Where numbers stop being finite: the first origin names the step, the phase, the operation, the module and the line.

Each program in `sources_of_nan` says in a `# truth:` line what is true of it and marks the lines that count with
`# <- here` and `# <- or here` (a layer of the library may be named by the line that calls or the one that builds it).
The observer gets a copy without them. An infinity that is masked out again is no origin: what counts is where the
value arose that reached the loss, a gradient or a parameter. `op` and `module` list what is right, `*` is anything;
`root` is the class of the model when the operation is in its own forward; `replay=out-of-reach` lets the observer say
that it does not know, but nothing wrong, and `why` is a word of what it then says. `threads` is how many torch may use.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import environment
from stetho.executors.local import INJECT

FOLDER = Path(__file__).parent / "sources_of_nan"
TRUTH = re.compile(r"^# truth: (.*)$", re.MULTILINE)
MARK = re.compile(r"  # <-( or)? here$")
FIELDS = {"step", "op", "phase", "site", "low", "high", "zeros", "size", "divisor_zeros", "graph", "replayed"}
# One operation has several names, depending on how it was called.
SPELLINGS = {
    "truediv": "div", "rtruediv": "div", "itruediv": "div", "true_divide": "div", "divide": "div",
    "multiply": "mul", "imul": "mul", "rpow": "pow", "ipow": "pow", "rmatmul": "matmul",
}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """One program, and what its own lines say about it."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.parent.name if self.path.name == "train.py" else self.path.stem

    @property
    def files(self) -> list[Path]:
        return sorted(self.path.parent.glob("*.py")) if self.path.name == "train.py" else [self.path]

    @property
    def truth(self) -> dict[str, str]:
        """The words of the truth line by their keys; none for a program that is healthy."""
        found = TRUTH.search(self.path.read_text())
        assert found, f"{self.path} says nothing of its truth"
        return dict(word.split("=") for word in found[1].split()) if found[1] != "none" else {}

    @property
    def places(self) -> set[tuple[str, int]]:
        """File name and number of each marked line."""
        return {
            (file.name, number)
            for file in self.files
            for number, line in enumerate(file.read_text().splitlines(), 1)
            if MARK.search(line)
        }

    def copy(self, folder: Path) -> Path:
        """The program with the same line numbers and without the answers."""
        for file in self.files:
            lines = [MARK.sub("", line) for line in file.read_text().splitlines()]
            (folder / file.name).write_text("\n".join("" if TRUTH.match(line) else line for line in lines) + "\n")
        return folder / self.path.name


PROGRAMS = [Program(path) for path in sorted([*FOLDER.glob("*.py"), *FOLDER.glob("*/train.py")])]
HEALTHY = [p for p in PROGRAMS if not p.truth]
OUT_OF_REACH = [p for p in PROGRAMS if "replay" in p.truth]
FAULTY = [p for p in PROGRAMS if p.truth and "replay" not in p.truth]


@dataclass(frozen=True)
class Recorded:
    """What the observer wrote, by rank, and what the program printed with and without it."""

    events: dict[int, list[dict[str, Any]]]
    printed: str
    plain: str

    def of(self, kind: str, rank: int | None = None) -> list[dict[str, Any]]:
        return [e for r, events in self.events.items() if rank in (None, r) for e in events if e["e"] == kind]

    def place(self, origin: dict[str, Any], rank: int) -> tuple[str, int]:
        """The innermost user's line of an origin."""
        frames = next(e["frames"] for e in self.of("site", rank) if e["id"] == origin["site"])
        return (Path(frames[0][0]).name, frames[0][1]) if frames else ("", 0)


def run(command: list[str], folder: Path, **variables: str) -> str:
    # A process that is ended by a signal says where it was.
    variables = {**environment(), "PYTHONFAULTHANDLER": "1", **variables}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def observed(program: Program, folder: Path) -> Recorded:
    """Run the program alone and under the observer, without any window in which it looks closely."""
    work, recording = folder / "work", folder / "recording"
    work.mkdir()
    recording.mkdir()
    script = program.copy(work)
    plan = folder / "plan.json"
    plan.write_text(json.dumps({"recording": str(recording), "seed": 0, "steps": None, "changes": [], "trace": []}))
    command = [sys.executable, str(script)]
    if program.truth.get("launch") == "torchrun":
        command[1:1] = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    threads = program.truth.get("threads", "1")
    plain = run(command, work, OMP_NUM_THREADS=threads)
    printed = run(command, work, OMP_NUM_THREADS=threads, STETHO_PLAN=str(plan), PYTHONPATH=str(INJECT))
    events: dict[int, list[dict[str, Any]]] = {}
    for file in sorted(recording.glob("*.jsonl")):
        rank = int(file.name.split("-")[0].removeprefix("r"))
        events.setdefault(rank, []).extend(map(json.loads, file.read_text().splitlines()))
    return Recorded(events, printed, plain)


def names(op: object) -> set[str]:
    """The plain names of an operation: `SqrtBackward0`, `sqrt_` and `torch.sqrt` are all `sqrt`."""
    parts = (re.sub(r"backward\d*$", "", part).strip("_") for part in str(op).lower().split("."))
    return {SPELLINGS.get(part, part) for part in parts}


def disagreements(program: Program, record: Recorded, rank: int) -> list[str]:
    """What the first origin says otherwise than the truth does."""
    truth, origin = program.truth, record.of("origin", rank)[0]
    wrong = [f"no {field}" for field in sorted(FIELDS - origin.keys())]
    wrong += [
        f"{key} {origin.get(key)!r}, not {truth[key]}"
        for key in ("step", "phase", "sample", "zeros", "divisor_zeros")
        if key in truth and str(origin.get(key)) != truth[key]
    ]
    if "op" in truth and not names(origin.get("op")) & set(truth["op"].split(",")):
        wrong.append(f"op {origin.get('op')!r}, not {truth['op']}")
    place = record.place(origin, rank)
    if place not in program.places:
        wrong.append(f"line {place}, not {sorted(program.places)}")
    if "module" in truth or truth["phase"] in ("forward", "backward"):
        # The model as a whole has no path inside itself; its class says the same.
        wanted = {*truth.get("module", "").split(","), *truth.get("root", "").split()}
        if "*" not in wanted and (origin.get("module") or "") not in wanted:
            wrong.append(f"module {origin.get('module')!r}, not one of {sorted(wanted)}")
    return wrong


def check_harmless(record: Recorded) -> None:
    assert record.printed == record.plain
    assert record.of("attached")
    assert not record.of("fault")


@pytest.mark.parametrize("program", FAULTY, ids=lambda p: p.name)
def test_the_first_origin_is_the_true_one(program: Program, tmp_path: Path) -> None:
    record = observed(program, tmp_path)
    check_harmless(record)
    rank = int(program.truth.get("rank", 0))
    assert record.of("origin", rank), f"nothing found; {record.of('unlocalised')}"
    assert not disagreements(program, record, rank), record.of("origin", rank)[0]
    others = [o for r in record.events if r != rank for o in record.of("origin", r)]
    assert not others, "gradients that came from another rank have no origin here"


@pytest.mark.parametrize("program", HEALTHY, ids=lambda p: p.name)
def test_infinities_that_belong_there_have_no_origin(program: Program, tmp_path: Path) -> None:
    record = observed(program, tmp_path)
    check_harmless(record)
    assert not record.of("origin")
    assert not record.of("unlocalised")


@pytest.mark.parametrize("program", OUT_OF_REACH, ids=lambda p: p.name)
def test_what_cannot_be_replayed_is_called_unlocalised_or_named_rightly(program: Program, tmp_path: Path) -> None:
    record = observed(program, tmp_path)
    check_harmless(record)
    if record.of("origin"):
        assert not disagreements(program, record, 0), record.of("origin")[0]
    else:
        said = [e for e in record.of("unlocalised") if e["step"] >= int(program.truth["step"])]
        assert said and all(e["why"].strip() for e in said), "neither an origin nor a word about it"
        assert program.truth.get("why", "") in said[0]["why"]


def test_the_programs_judge_what_they_should() -> None:
    """Enough of them, in every phase, most of them late, each with a line of its own to find."""
    assert len(FAULTY) >= 20 and len(HEALTHY) >= 6 and len(OUT_OF_REACH) >= 2
    assert {p.truth["phase"] for p in FAULTY} == {"forward", "backward", "optimizer", "data"}
    assert sum(int(p.truth["step"]) > 30 for p in FAULTY) * 2 > len(FAULTY)
    assert all(p.places for p in FAULTY + OUT_OF_REACH) and not any(p.places for p in HEALTHY)


def test_a_wrong_origin_is_refused(tmp_path: Path) -> None:
    """The judge itself: one thing wrong at a time, each named."""
    program = next(p for p in FAULTY if p.name == "flat_window")
    ((file, line),) = program.places
    right = dict.fromkeys(FIELDS, 0) | {"step": 88, "op": "__truediv__", "phase": "forward", "site": 1}
    right |= {"module": "standardise", "divisor_zeros": 1}

    def judged(**changes: Any) -> list[str]:
        site = {"e": "site", "id": 1, "frames": [[f"/x/{file}", changes.pop("line", line), "forward"]]}
        return disagreements(program, Recorded({0: [site, {"e": "origin", **right, **changes}]}, "", ""), 0)

    assert judged() == []
    for change in ({"step": 89}, {"op": "log"}, {"phase": "data"}, {"module": "body"}, {"line": line + 1}):
        assert len(judged(**change)) == 1, change
    assert len(judged(divisor_zeros=0)) == 1
