import json
import re
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue
from stetho.formats import json_places, settings
from stetho.reader import Example, Flaw, Piece, reader

LARGEST = 1 << 20
BEGINS = re.compile(rb'\s*\{\s*"')
JSON = '{\n  "lr": 0.1,\n  "model": {"layers": [2, 3], "name": "x"},\n  "stages": [{"epochs": 5}]\n}\n'
VALUES = (
    ConfigValue("lr", "0.1", 0.1, 2),
    ConfigValue("model.layers", "[2, 3]", None, 3),
    ConfigValue("model.name", "x", None, 3),
    ConfigValue("stages.0.epochs", "5", 5.0, 4),
)


def _sure(artifact: Artifact) -> float:
    """An object that no other reader is surer of; one that is not whole, a little."""
    head = artifact.head
    if not BEGINS.match(head) or not artifact.is_text or artifact.size > LARGEST:
        return 0.0
    if len(head) < artifact.size:
        return 0.3
    try:
        return 0.5 if isinstance(json.loads(head), dict) else 0.0
    except (ValueError, RecursionError):
        # Several documents in one file are rows.
        return 0.2 if b"}\n{" not in head else 0.0


@reader(
    gives=(Config,),
    recognises=_sure,
    examples={
        "nested": Example(JSON, facts=(Config("json", VALUES, 4),)),
        "cut off": Example(JSON[:40], facts=(Config("json", VALUES[:1], 1),), flaws=1),
    },
)
def json_config(artifact: Artifact) -> Iterator[Piece]:
    """A configuration in JSON: one object of at most a megabyte.

    ## What it reads
    Every value under its keys, and the line that it stands on. Of a file that was cut off, the values before that.

    ## What it leaves
    What is deeper than a hundred levels.
    """
    found: list[settings.Placed] = []
    try:
        for one in json_places.placed(artifact.part(0, LARGEST).decode("utf-8", "replace")):
            found.append(one)
    except json_places.Ended as error:
        yield Flaw("cut off, or not JSON from this line on", line=error.line)
    read = settings.reading("json", (one for one in found if one[0]))
    if read is not None:
        yield read
