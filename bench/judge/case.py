"""A case of the corpus: a program, what is true of it, and how it is laid out for whoever is judged."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tomllib

ROOT = Path(__file__).parent.parent.parent
CORPUS = ROOT / "corpus"
MAKER = "make_data.py"
HIDDEN = frozenset(("truth.toml", "fix.patch", MAKER))
LEFT_BEHIND = shutil.ignore_patterns(*HIDDEN, "__pycache__", ".stetho")
HEALTHY = "healthy"


class Wrong(Exception):
    """A case that is not written down as it should be."""


@dataclass(frozen=True)
class Place:
    """Where a fault is: a line of code, or a column, key or sample of a file."""

    file: str
    line: int | None = None
    column: str | None = None
    key: str | None = None
    sample: str | None = None


@dataclass(frozen=True)
class Shows:
    """How a fault shows and its fix helps; see corpus/README.md."""

    kind: str
    pattern: str = ""
    fixed: str = ""
    by: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class Measure:
    """How well a healthy program learns."""

    pattern: str
    better: str
    good: float

    def reached(self, value: float) -> bool:
        return value >= self.good if self.better == "higher" else value <= self.good


@dataclass(frozen=True)
class Case:
    """One program with its truth."""

    name: str
    folder: Path
    task: str
    command: tuple[str, ...]
    style: str
    family: str
    accepted: frozenset[str]
    places: tuple[Place, ...]
    fix: str
    fix_command: tuple[str, ...]
    shows: Shows | None
    measure: Measure | None

    @property
    def healthy(self) -> bool:
        return self.family == HEALTHY

    @property
    def makes_data(self) -> bool:
        return (self.folder / MAKER).exists()

    def digest(self) -> str:
        """Changes whenever anything of the case does."""
        told = hashlib.sha256()
        for path in sorted(p for p in self.folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            told.update(path.relative_to(self.folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return told.hexdigest()[:16]


KINDS: Mapping[str, tuple[str, ...]] = {
    "metric": ("pattern", "fixed", "by"),
    "exit": (),
    "hang": ("seconds",),
    "slow": ("by",),
    "memory": ("by",),
    "differs": ("pattern",),
}
STYLES = frozenset(
    [
        "dataloader",
        "sliced",
        "trainer-class",
        "wrapped",
        "closure",
        "gan",
        "rl",
        "lightning",
        "hf-trainer",
        "keras",
        "ranks",
        "project",
    ]
)


def load(name: str, corpus: Path = CORPUS) -> Case:
    """One case by its name."""
    folder = corpus / name
    try:
        truth = tomllib.loads((folder / "truth.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Wrong(f"{name}: there is no {folder}/truth.toml") from None
    except tomllib.TOMLDecodeError as error:
        raise Wrong(f"{name}: truth.toml: {error}") from None
    try:
        case = Case(
            name, folder, truth["task"], tuple(truth["command"]), truth["style"], truth["family"],
            frozenset(truth["accepted"]),
            (*(Place(file, line) for file, line in truth.get("lines", ())),
             *(Place(**_texts(one)) for one in truth.get("places", ()))),
            truth.get("fix", ""), tuple(truth.get("fix_command", ())),
            Shows(**truth["shows"]) if "shows" in truth else None,
            Measure(**truth["measure"]) if "measure" in truth else None,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise Wrong(f"{name}: truth.toml: {error!r}") from None
    _check(case)
    return case


def _texts(place: Mapping[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in place.items()}


def _check(case: Case) -> None:
    """What can be said of a case without running it."""
    wrong = []
    if case.style not in STYLES:
        wrong.append(f"style {case.style!r} is none of {', '.join(sorted(STYLES))}")
    if case.healthy:
        if case.shows or case.fix or case.fix_command or case.places:
            wrong.append("a healthy case has no fault to show, point to or fix")
        if case.measure is None:
            wrong.append("a healthy case needs [measure]")
        elif re.compile(case.measure.pattern).groups != 1 or case.measure.better not in ("higher", "lower"):
            wrong.append("[measure] needs a pattern with one group, and better = higher or lower")
    else:
        if case.family not in case.accepted:
            wrong.append("the planted cause is not accepted")
        if bool(case.fix) == bool(case.fix_command):
            wrong.append("one of fix and fix_command must be there")
        if not case.places:
            wrong.append("neither lines nor places say where the fault is")
        if case.shows is None or case.shows.kind not in KINDS:
            wrong.append(f"[shows] needs a kind: {', '.join(KINDS)}")
        else:
            missing = [name for name in KINDS[case.shows.kind] if not getattr(case.shows, name)]
            wrong += [f"[shows] of kind {case.shows.kind} needs {name}" for name in missing]
    if case.fix == "data" and not case.makes_data:
        wrong.append(f"fix = data needs {MAKER}")
    for place in case.places:
        path = case.folder / place.file
        if place.line is not None and (not path.exists() or place.line > len(path.read_text("utf-8").splitlines())):
            wrong.append(f"there is no {place.file}:{place.line}")
    if wrong:
        raise Wrong(f"{case.name}: {'; '.join(wrong)}")


def names(corpus: Path = CORPUS) -> list[str]:
    return sorted(path.parent.name for path in corpus.glob("*/truth.toml"))


def family_of(name: str, corpus: Path = CORPUS) -> str:
    """The family of a case, whatever else is wrong with it."""
    return str(tomllib.loads((corpus / name / "truth.toml").read_text(encoding="utf-8")).get("family", ""))


def cases(corpus: Path = CORPUS) -> Iterator[Case]:
    """All cases, in the order of their names."""
    for name in names(corpus):
        yield load(name, corpus)


def lay(case: Case, folder: Path, *, fixed: bool = False, seed: int = 0) -> None:
    """Lay a case out in a folder that is not there yet: without its answer, with its data, fixed or not."""
    # Times of files are not copied: when a program was written must not tell what is wrong with it.
    shutil.copytree(case.folder, folder, ignore=LEFT_BEHIND, copy_function=shutil.copy)
    if case.makes_data:
        command = [sys.executable, str(case.folder / MAKER), str(folder), "--seed", str(seed)]
        done = subprocess.run([*command, *(["--fixed"] if fixed and case.fix == "data" else [])], capture_output=True)
        if done.returncode:
            raise Wrong(f"{case.name}: {MAKER} failed: {done.stderr.decode(errors='replace').strip()[-300:]}")
    if fixed and case.fix not in ("", "data"):
        patch = ["patch", "-p1", "-s", "--no-backup-if-mismatch", "-i", str((case.folder / case.fix).resolve())]
        done = subprocess.run(patch, cwd=folder, capture_output=True)
        if done.returncode:
            raise Wrong(
                f"{case.name}: {case.fix} does not apply: {done.stdout.decode(errors='replace').strip()[-300:]}"
            )


def command_of(case: Case, *, fixed: bool = False) -> tuple[str, ...]:
    return case.fix_command if fixed and case.fix_command else case.command
