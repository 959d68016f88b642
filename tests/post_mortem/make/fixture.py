"""What a fixture is: a function that leaves a run's files in a folder and returns what is true of them."""

import math
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS = HERE.parent / "runs"
EXPECTED = HERE.parent / "expected"

ORDER = [
    "about",
    "source",
    "status",
    "causes",
    "symptoms",
    "symptoms_any",
    "not_symptoms",
    "where",
    "formats",
    "last_step",
    "nonfinite_step",
    "completed",
    "ranks",
    "shared_by_failing",
]


# Causes that a curve alone does not tell apart.
STUCK = [
    "train/missing-step",
    "train/params-not-optimized",
    "train/grads-wiped",
    "train/params-frozen",
    "train/graph-broken",
    "loss/disconnected",
    "loss/double-softmax",
    "data/labels-misaligned",
    "data/inputs-destroyed",
    "data/labels-noisy",
    "data/inputs-unnormalized",
    "hp/lr-too-low",
    "arch/dead-units",
    "arch/bad-init",
    "arch/vanishing-gradients",
    "train/lr-collapsed",
    "other/unlisted",
]
EXPLODED = ["num/exploding-gradients", "hp/lr-too-high", "hp/no-warmup"]


@dataclass(frozen=True)
class Fixture:
    name: str
    make: Callable[[Path], dict | None]
    known: dict


FIXTURES: dict[str, Fixture] = {}


def run(name: str, **known) -> Callable:
    """Registers the maker of one run; `known` is the expected verdict, decided before anything reads the files."""

    def register(make: Callable[[Path], dict | None]) -> Callable:
        assert name not in FIXTURES, name
        FIXTURES[name] = Fixture(name, make, known)
        return make

    return register


def remake(fixture: Fixture) -> None:
    """Makes the files afresh, and writes the expected verdict beside them."""
    folder = RUNS / fixture.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    truth = {**fixture.known, **(fixture.make(folder) or {})}
    EXPECTED.mkdir(exist_ok=True)
    (EXPECTED / f"{fixture.name}.toml").write_text(as_toml(truth), encoding="utf-8")


def as_toml(truth: dict) -> str:
    lines = [f"{key} = {toml_value(truth[key])}" for key in ORDER if key in truth]
    for table in ("series", "runs"):
        if truth.get(table):
            lines += ["", f"[{table}]"]
            lines += [f"{toml_value(key)} = {toml_value(value)}" for key, value in truth[table].items()]
    unknown = set(truth) - set(ORDER) - {"series", "runs"}
    assert not unknown, unknown
    return "\n".join(lines) + "\n"


def toml_value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            if math.isnan(value):
                return "nan"
            if math.isinf(value):
                return "inf" if value > 0 else "-inf"
            return repr(value)
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case list() | tuple():
            return "[" + ", ".join(toml_value(item) for item in value) + "]"
        case dict():
            inside = ", ".join(
                f"{key if key.isidentifier() else toml_value(key)} = {toml_value(item)}" for key, item in value.items()
            )
            return "{" + inside + "}"
    raise TypeError(type(value))


def ends(values: list[float]) -> dict:
    """What must be found of one series: how many values, the first and the last."""
    return {"count": len(values), "first": float(values[0]), "last": float(values[-1])}


@dataclass
class Page:
    """A text log as somebody's program prints it, and the values exactly as they stand in it."""

    lines: list[str] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)

    def say(self, text: str = "") -> None:
        self.lines.append(text)

    def log(self, template: str, keep: str = "", **named) -> None:
        """Prints one line; the fields named in `keep` are remembered, rounded as printed (`field>name` renames)."""
        self.lines.append(template.format(**named))
        for wanted in keep.split():
            key, _, name = wanted.partition(">")
            spec = template.split("{" + key + ":", 1)
            printed = format(named[key], spec[1].split("}", 1)[0] if len(spec) > 1 else "")
            self.values.setdefault(name or key, []).append(float(printed.replace(",", "").rstrip("%")))

    def save(self, path: Path, end: str = "\n") -> dict:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(("\n".join(self.lines) + end).encode())
        return {"series": {name: ends(values) for name, values in self.values.items()}}


class Clock:
    """Wall time of a run that took place on a fixed day."""

    def __init__(self, start: str = "2026-03-11 14:02:11") -> None:
        self.now = datetime.fromisoformat(start)

    def tick(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def show(self, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        return self.now.strftime(form)

    def milli(self) -> str:
        return self.now.strftime("%Y-%m-%d %H:%M:%S,") + f"{self.now.microsecond // 1000:03d}"


def decay(n: int, start: float, floor: float, tau: float, noise: float = 0.03, seed: int = 0) -> list[float]:
    """A loss that falls like most do: fast, then slowly, with noise in proportion."""
    dice = random.Random(seed)
    return [
        (floor + (start - floor) * (0.6 * math.exp(-i / tau) + 0.4 / (1 + i / tau))) * (1 + dice.gauss(0, noise))
        for i in range(n)
    ]


def around(n: int, centre: float, noise: float, seed: int = 0) -> list[float]:
    dice = random.Random(seed)
    return [centre + dice.gauss(0, noise) for _ in range(n)]


def cosine(step: int, total: int, peak: float, warmup: int = 0, floor: float = 0.0) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    part = min(1.0, (step - warmup) / max(1, total - warmup))
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * part))


def numbered(values: list[float], every: int = 1, first: int = 0) -> Iterator[tuple[int, float]]:
    return ((first + i * every, value) for i, value in enumerate(values))
