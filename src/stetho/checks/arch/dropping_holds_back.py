from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.arch.most_is_dropped import dropout
from stetho.checks.train.outdone_by_simple_model import OUTDONE, SCORES, outdone, undropped
from stetho.facts import Activations, DroppedInEvaluation, Evaluations, Printed, Reach

HEAVY = {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.7), dropout("Net.5", 0.7)]}


@check(
    reads=(Activations, Reach),
    also=(Evaluations, DroppedInEvaluation, Printed),
    root="dropped-share",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={"seven in ten gone, twice": {"activations": HEAVY, "reach": OUTDONE, "printed": SCORES}},
    quiet={
        "with all its units it is as good": {
            "activations": HEAVY,
            "reach": OUTDONE,
            "printed": {"numbers": [{**SCORES["numbers"][0], "values": [0.5, 0.79]}]},
        },
        "it is not known how good it is with them": {"activations": HEAVY, "reach": OUTDONE},
        "half": {
            "activations": {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.5)]}, "reach": OUTDONE,
            "printed": SCORES,
        },
        "nearly all gone: another check says more": {
            "activations": {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.95)]}, "reach": OUTDONE,
            "printed": SCORES,
        },
    },
)  # fmt: skip
def dropping_holds_back(
    layers: Activations,
    reach: Reach,
    evaluations: Evaluations | None,
    noise: DroppedInEvaluation | None,
    printed: Printed | None,
    *,
    share: float = 0.58,
    most: float = 0.82,
) -> Iterator[Finding]:
    """Dropout takes away more than half, and even with all its units the network does worse than a simple model.

    ## Why it matters
    What is left of a sample changes so much from step to step that less is learned than the data would teach.

    ## False alarms
    Wide layers stand much dropout: how good the network is in evaluation decides. Where dropout is strong and the
    network weak for another reason, training without dropout does not help.
    """
    strong = [one for one in layers.layers if share <= (one.dropped or 0.0) and one.samples >= 2]
    if not strong or max(one.dropped or 0.0 for one in strong) > most:
        return
    told = outdone(undropped(reach, layers, evaluations, noise, printed))
    if told:
        worst = max(strong, key=lambda one: one.dropped or 0.0)
        yield Finding(
            f"dropout at {worst.name} makes {worst.dropped:.0%} of the values zero, and {told}",
            where=tuple(dict.fromkeys(one.where for one in strong if one.where is not None))[:3],
        )
