"""What a tool says of a program, in the one form in which all tools are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.judge.case import Place

# How a tool can leave a program: with nothing to say against it, with a problem and no claim, or with a claim.
STATUSES = ("clear", "suspected", "unknown", "established", "failed")


@dataclass(frozen=True)
class Answer:
    """One tool on one subject."""

    tool: str
    version: str
    subject: str
    digest: str
    """Of the subject as it was laid out; an answer to another program does not count."""
    status: str
    ranking: tuple[tuple[str, float], ...] = ()
    """Causes with their probabilities, the likeliest first; `none/…` and `other/…` among them."""
    claim: str = ""
    confidence: float = 0.0
    places: tuple[Place, ...] = ()
    fix: str = ""
    """The kind of fix that was tried and offered."""
    runs: float = 0.0
    equivalents: float = 0.0
    """Steps of all its runs over those of the plain run."""
    seconds: float = 0.0
    processor: float = 0.0
    plain: float = 0.0
    """Processor seconds of the program itself, run in the same minute."""
    said: str = ""
    """What else is worth knowing: alarms of a tool without causes, or how it failed."""
    symptoms: tuple[str, ...] = field(default=())

    @property
    def alarmed(self) -> bool:
        """Whether it says that something is wrong."""
        return self.status in ("suspected", "unknown", "established")

    @property
    def first(self) -> tuple[str, float]:
        return self.ranking[0] if self.ranking else ("", 0.0)

    @property
    def multiple(self) -> float:
        return self.processor / self.plain if self.plain else 0.0

    def row(self) -> dict[str, Any]:
        """As it is stored; what is empty is left out."""
        kept = {key: value for key, value in asdict(self).items() if value not in ("", 0.0, (), [])}
        return {**kept, "seconds": round(self.seconds, 2), "processor": round(self.processor, 2)}


def read(row: Mapping[str, Any]) -> Answer:
    """As it was stored."""
    ranking = tuple((str(cause), float(p)) for cause, p in row.get("ranking", ()))
    places = tuple(Place(**place) for place in row.get("places", ()))
    rest = {key: value for key, value in row.items() if key not in ("ranking", "places", "symptoms")}
    return Answer(**rest, ranking=ranking, places=places, symptoms=tuple(row.get("symptoms", ())))


def points_to(said: Sequence[Place], true: Sequence[Place], most: int = 3) -> bool:
    """Whether one of the first places that were named is one of the true ones."""
    return any(_same(one, other) for one in said[:most] for other in true)


def _same(said: Place, true: Place) -> bool:
    """A line must be the line; of a file, the column, key or sample must be named if the truth has one."""
    if said.file.removeprefix("./") != true.file.removeprefix("./"):
        return False
    if true.line is not None:
        return said.line == true.line
    wanted = [(true.column, said.column), (true.key, said.key), (true.sample, said.sample)]
    named = [(want, got) for want, got in wanted if want is not None]
    return not named or any(want == got for want, got in named)
