from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue
from stetho.formats import settings
from stetho.formats.arguments import LARGEST, PRINTED, placed
from stetho.reader import Example, Flaw, Piece, reader

TEXT = "Namespace(lr=0.1, name='a, b', layers=[2, 3], device=device(type='cuda'), amp=False)\n"
VALUES = (
    ConfigValue("lr", "0.1", 0.1, 1),
    ConfigValue("name", "a, b", None, 1),
    ConfigValue("layers", "[2, 3]", None, 1),
    ConfigValue("device", "device(type='cuda')", None, 1),
    ConfigValue("amp", "false", None, 1),
)


def _text(artifact: Artifact) -> str:
    return artifact.part(0, LARGEST).decode("utf-8", "replace") if artifact.is_text else ""


def alone(text: str) -> bool:
    """Whether a text is printed arguments and nothing else: a log goes on with lines of its own after them."""
    _, *after = text.splitlines() or [""]
    return PRINTED.match(text) is not None and all(line[:1].isspace() or line[:1] in ("", ")") for line in after)


@reader(
    gives=(Config,),
    recognises=lambda artifact: 0.6 if alone(artifact.head.decode("utf-8", "replace").strip()) else 0.0,
    examples={
        "a namespace": Example(TEXT, facts=(Config("arguments", VALUES, 5),)),
        "cut off": Example(TEXT[:40], facts=(Config("arguments", VALUES[:2], 2),), flaws=1),
    },
)
def arguments(artifact: Artifact) -> Iterator[Piece]:
    """The arguments of a program as Python prints them: a namespace, or an object of arguments.

    ## What it reads
    Every argument, and the line that it stands on. Literals are read as such; of anything else the text is kept.

    ## What it leaves
    Nothing is evaluated. Namespaces in the middle of a log are for the reader of logs.
    """
    text = _text(artifact)
    found = settings.reading("arguments", placed(text))
    if PRINTED.search(text) and not text.rstrip().endswith(")"):
        yield Flaw("cut off within the arguments", line=text.count("\n") + 1)
    if found is not None:
        yield found
