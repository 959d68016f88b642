from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Influence


@check(
    reads=Influence,
    root="future-influence",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "no mask": {
            "places": 32, "leaking": 32, "leak_operation": "softmax", "leak_at": [{"file": "gpt.py", "line": 21}]
        },
        "one place too far": {"places": 16, "leaking": 1, "leak_operation": "masked_fill"},
    },
    quiet={
        "a mask": {"places": 32, "leaking": 0},
        "targets are not what comes next, as for a tagger": {"samples": 8, "mixed": 0},
        "a classifier of whole sequences": {},
    },
)  # fmt: skip
def future_seen(influence: Influence) -> Iterator[Finding]:
    """A model that is trained on what comes next answers from what comes next.

    ## Why it matters
    In training the answer can be read off the input, so the loss falls far too low; where the future is not there, as
    in generation, the model has learned nothing.

    ## False alarms
    Only where the targets are the input, one place later, is anything looked for: taggers, classifiers and masked
    language models may see a whole sequence.
    """
    if influence.leaking:
        through = f", through {influence.leak_operation}" if influence.leak_operation else ""
        yield Finding(
            f"{influence.leaking} of {influence.places} places change with what comes after them{through}, and the "
            f"targets are what comes next",
            where=influence.leak_at[:3],
        )
