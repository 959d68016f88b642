import re
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue
from stetho.formats import plain_yaml, settings
from stetho.reader import Example, Flaw, Piece, reader

LARGEST = 1 << 20
LOOKED_AT = 8 * 1024
ENOUGH = 2
NAME = re.compile(r"^[\w./$@<>{}\[\]*+-]{1,100}$")
# A log of lines that begin with a word and a colon is no configuration.
LOGGED = re.compile(
    r"^(info|debug|warn|warning|error|critical|fatal|note|hint|usage|traceback|\w*exception|\w+error|\w+warning)$", re.I
)
YAML = """# the recipe
model:
  name: 'res net'  # small
  layers: [2, 3]
optimizer: {lr: 1e-4, nesterov: yes}
data:
- path: a/b
  size: 10
- path: c
"""
OVERRIDES = "- model.lr=0.1\n- +seed=3\n"


def _document(text: str) -> plain_yaml.Document | None:
    try:
        found = plain_yaml.read(text)
    except (plain_yaml.NotPlain, ValueError):
        return None
    return found


def _sure(artifact: Artifact) -> float:
    """When all of its beginning is maps and lists, with names that could be those of settings, none of them twice."""
    head = artifact.head
    if not artifact.is_text or artifact.size > LARGEST or (b":" not in head and b"=" not in head):
        return 0.0
    text = head[:LOOKED_AT].decode("utf-8", "replace")
    if text.lstrip()[:1] in ("{", "["):
        return 0.0
    whole = text if artifact.size <= LOOKED_AT else text.rpartition("\n")[0]
    found = _document(whole)
    if found is None or not found.found or found.continued * 5 > len(found.found):
        return 0.0
    paths = [path for path, _, _ in found.found]
    if len(set(paths)) < len(paths) or not all(NAME.match(key) and not LOGGED.search(key) for key in found.keys):
        return 0.0
    assigned = all("=" in str(value) for _, value, _ in found.found)
    return 0.4 if len(found.keys) >= ENOUGH or (assigned and not found.keys) else 0.0


@reader(
    gives=(Config,),
    recognises=_sure,
    examples={
        "nested": Example(
            YAML,
            facts=(
                Config(
                    "yaml",
                    (
                        ConfigValue("model.name", "res net", None, 3),
                        ConfigValue("model.layers", "[2, 3]", None, 4),
                        ConfigValue("optimizer.lr", "0.0001", 1e-4, 5),
                        ConfigValue("optimizer.nesterov", "true", None, 5),
                        ConfigValue("data.0.path", "a/b", None, 7),
                        ConfigValue("data.0.size", "10", 10.0, 8),
                        ConfigValue("data.1.path", "c", None, 9),
                    ),
                    7,
                ),
            ),
        ),
        "overrides of Hydra": Example(
            OVERRIDES,
            facts=(Config("yaml", (ConfigValue("model.lr", "0.1", 0.1, 1), ConfigValue("seed", "3", 3.0, 2)), 2),),
        ),
    },
)
def yaml_config(artifact: Artifact) -> Iterator[Piece]:
    """A configuration in YAML, as far as it is maps, lists and plain values.

    ## What it reads
    Every value under its keys, and the line that it stands on. Numbers like `1e-4` are taken for numbers. A list of
    assignments, as Hydra keeps its overrides, is what it assigns.

    ## What it leaves
    Tags and anchors mean nothing here, and an alias is a text. Of a file that goes beyond this part of YAML, the values
    before that line are kept.
    """
    document = plain_yaml.Document()
    try:
        for line, raw in enumerate(artifact.part(0, LARGEST).decode("utf-8", "replace").split("\n"), 1):
            document.add(line, raw.rstrip("\r"))
        document.close()
    except plain_yaml.NotPlain as error:
        yield Flaw("not plain YAML; the values before it are kept", line=error.line)
    found = settings.reading("yaml", plain_yaml.placed(document))
    if found is not None:
        yield found
