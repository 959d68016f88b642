import re
import sys
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue
from stetho.formats import settings
from stetho.reader import Example, Flaw, Piece, reader

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST = 256 * 1024
TABLE = re.compile(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
ASSIGNMENT = re.compile(rf"^\s*({KEY}(?:\s*\.\s*{KEY})*)\s*=")
# Of a line, so much is looked at for its key.
LOOKED_AT = 500
TOML = 'lr = 1e-4 # small\n[model]\nname = "x"\nlayers = [2, 3]\n[model.head]\nclasses = 10\n'
VALUES = (
    ConfigValue("lr", "0.0001", 1e-4, 1),
    ConfigValue("model.name", "x", None, 3),
    ConfigValue("model.layers", "[2, 3]", None, 4),
    ConfigValue("model.head.classes", "10", 10.0, 6),
)


def _parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        return None


def _sure(artifact: Artifact) -> float:
    """When its first words are an assignment or a table, and all of it is TOML."""
    if not artifact.is_text or artifact.size > LARGEST:
        return 0.0
    text = artifact.part(0, LARGEST).decode("utf-8", "replace")
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")[
        :LOOKED_AT
    ]
    if not (ASSIGNMENT.match(first) or TABLE.match(first)):
        return 0.0
    return 0.6 if _parsed(text) else 0.0


@reader(
    gives=(Config,),
    recognises=_sure,
    examples={"tables": Example(TOML, facts=(Config("toml", VALUES, 4),))},
)
def toml_config(artifact: Artifact) -> Iterator[Piece]:
    """A configuration in TOML.

    ## What it reads
    Every value under its keys, and the line of its assignment.

    ## What it leaves
    A file that is not TOML as a whole: it is not recognised.
    """
    text = artifact.part(0, LARGEST).decode("utf-8", "replace")
    parsed = _parsed(text)
    if parsed is None:
        yield Flaw("not TOML")
        return
    lines = _lines(text)
    found = settings.reading("toml", ((key, value, _line(lines, key)) for key, value, _ in settings.flat("", parsed)))
    if found is not None:
        yield found


def _lines(text: str) -> dict[str, int]:
    """The line of each assignment, by its keys; of those in arrays of tables, the first."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate((line[:LOOKED_AT] for line in text.split("\n")), 1):
        if (named := TABLE.match(line)) is not None:
            table = _plain(named[1])
        elif (assigned := ASSIGNMENT.match(line)) is not None:
            key = _plain(assigned[1])
            found.setdefault(f"{table}.{key}" if table else key, number)
    return found


def _plain(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _line(lines: dict[str, int], key: str) -> int | None:
    """The line of a key, or of the nearest one that it stands under."""
    key = re.sub(r"\.[0-9]+(?=\.|$)", "", key) if key not in lines else key
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return lines.get(key)
