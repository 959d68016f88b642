import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

LIST = r"\W{0,4}(?:keys?|parameters?|weights?|params)?(?:\(s\))?[^\[\n]{0,40}\[([^\]]*)(?:\]|$)"
MISSING = re.compile(r"(?i)missing" + LIST)
UNEXPECTED = re.compile(r"(?i)unexpected" + LIST)
NAME = re.compile(r"['\"]?([\w.]+)['\"]?")
NEW = re.compile(r"(?i)newly initialized[^\[\n]{0,80}\[([^\]]*)(?:\]|$)")
NUMBERED = re.compile(r"(?:^|\.)\d+\.")


def said(text: str, phrase: str = "keys-not-matched") -> dict[str, object]:
    return {"said": [{"phrase": phrase, "text": text, "line": 3}]}


def left_new(*names: str) -> dict[str, object]:
    return said(
        f"Some weights of Net were not initialized and are newly initialized: {list(names)}", "weights-left-new"
    )


@check(
    reads=Statements,
    root="checkpoint-keys",
    given={"other/unlisted": 0.02},
    fires={
        "a prefix on every name": said(
            "_IncompatibleKeys(missing_keys=['0.weight', '0.bias'], unexpected_keys=['module.0.weight', "
            "'module.0.bias'])"
        ),
        "the layers themselves": left_new(*(f"encoder.layer.{i}.output.dense.weight" for i in range(12))),
        "compiled when it was saved": said(
            "missing keys: ['fc.weight', 'fc.bias'], unexpected keys: ['_orig_mod.fc.weight', '_orig_mod.fc.bias']"
        ),
    },
    quiet={
        "the head of a fine-tune": left_new("classifier.weight", "classifier.bias"),
        "a new head": said("_IncompatibleKeys(missing_keys=['head.weight', 'head.bias'], unexpected_keys=[])"),
        "another head": said(
            "_IncompatibleKeys(missing_keys=['head.weight', 'head.bias'], unexpected_keys=['fc.weight', 'fc.bias'])"
        ),
        "nothing of it": {"said": []},
    },
)
def weights_not_matched(statements: Statements, *, share: float = 0.5, body: int = 8) -> Iterator[Finding]:
    """Weights that were said to be missing are in the checkpoint under another name, or are whole layers.

    ## Why it matters
    With strict=False, weights whose name differs are passed over without an error, and the model starts at random.

    ## False alarms
    A new head has no weights in the checkpoint: its names are missing, and not there under another name.
    """
    for one in statements.of("keys-not-matched"):
        text = f"{one.text} {one.last_text}"
        found = [pattern.search(text) for pattern in (MISSING, UNEXPECTED)]
        missing, unexpected = (NAME.findall(match.group(1)) if match else [] for match in found)
        there = [name for name in missing if any(renamed(name, other) for other in unexpected)]
        if there and len(there) >= share * len(missing):
            other = next(o for o in unexpected if renamed(there[0], o))
            yield Finding(
                f"{len(there)} of {len(missing)} weights that were not found in the checkpoint are there under another "
                f"name, such as {other} for {there[0]} (line {one.line})"
            )
    for one in statements.of("weights-left-new"):
        match = NEW.search(one.text)
        layers = [name for name in NAME.findall(match.group(1)) if NUMBERED.search(name)] if match else []
        if len(layers) >= body:
            yield Finding(
                f"{len(layers)} weights inside the layers, such as {layers[0]}, are not those of the checkpoint (line "
                f"{one.line})"
            )


def renamed(name: str, other: str) -> bool:
    """Whether one name is the other with something before it."""
    return name != other and (other.endswith(f".{name}") or name.endswith(f".{other}"))
