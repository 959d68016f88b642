import math
from collections.abc import Iterator
from dataclasses import replace

from stetho.check import Finding, check
from stetho.facts import Activations, DroppedInEvaluation, Evaluations, Printed, Reach

OUTDONE = {
    "measure": "accuracy", "reached": 0.53, "answers": 320, "simple": 0.82, "linear": 0.36, "samples": 1500,
    "model": "the answer of the 5 nearest neighbours",
}  # fmt: skip
EXAMPLES_QUIET = {
    "as good as they": {**OUTDONE, "reached": 0.80},
    "too few answers": {**OUTDONE, "reached": 0.6, "answers": 20},
    "features frozen on purpose": {**OUTDONE, "frozen": 0.9},
    "both explain most": {**OUTDONE, "measure": "explained variance", "reached": 0.90, "simple": 0.97},
    "a weak relation": {**OUTDONE, "measure": "explained variance", "reached": 0.05, "simple": 0.16},
}
DROPPING = {
    "steps": [0, 1, 50],
    "layers": [
        {
            "name": "Net.2", "kind": "Dropout", "where": None, "samples": 6, "mean_first": 0.1, "mean_last": 0.1,
            "std_first": 0.2, "std_last": 0.2, "dropped": 0.5,
        },
    ],
}  # fmt: skip
SCORES = {"numbers": [{"name": "test acc", "kind": "score", "split": "validation", "values": [0.28, 0.31, 0.32]}]}
# Faults that leave training as it is and spoil what is held out, and those that no simple model is better off with.
UNSEEN_BY_TRAINING = (
    "data/split-leakage", "data/target-leakage", "data/distribution-shift", "data/too-little", "hp/overfitting",
    "data/worker-seed-duplication", "train/train-mode-in-eval", "train/hidden-state-carried", "loss/metric-mismatch",
    "arch/causal-leak", "env/input-bound", "env/slow-storage", "env/device-unused", "dist/same-data",
)  # fmt: skip
HARD_FOR_ALL = (
    "data/labels-misaligned", "data/labels-noisy", "data/inputs-destroyed", "data/labels-all-ignored",
    "data/stale-cache",
)  # fmt: skip


@check(
    reads=Reach,
    also=(Activations, Evaluations, DroppedInEvaluation, Printed),
    root="reach",
    background=0.25,
    restates="loss-high",
    given={
        **dict.fromkeys(UNSEEN_BY_TRAINING, 0.02),
        **dict.fromkeys(HARD_FOR_ALL, 0.05),
        # What is slow has taken few steps so far.
        "dist/straggler": 0.10,
        **dict.fromkeys(("none/healthy", "none/completed", "none/seed-noise"), 0.01),
        "none/converged": 0.02,
        # What the targets say and a simple model reads is no chance.
        "none/noise-floor": 0.005,
        "none/slow-but-learning": 0.08,
        "other/unlisted": 0.30,
        "hp/lr-too-low": 0.60,
        "arch/too-small": 0.50,
        "arch/structural-ceiling": 0.50,
        "train/params-not-optimized": 0.30,
        "train/missing-step": 0.50,
        "train/lr-collapsed": 0.35,
        "train/grads-wiped": 0.70,
        "data/not-shuffled": 0.45,
        "data/stale-batch": 0.50,
        "loss/wrong-sign": 0.75,
    },
    fires={
        "neighbours know better": {"reach": OUTDONE},
        "and by the scores that it prints, with all its units": {
            "reach": OUTDONE, "activations": DROPPING, "printed": SCORES,
        },
        "so does a line": {
            "reach": {
                **OUTDONE, "measure": "explained variance", "reached": 0.2, "simple": 0.93,
                "model": "linear regression",
            },
        },
    },
    quiet={
        **{name: {"reach": one} for name, one in EXAMPLES_QUIET.items()},
        "half of its numbers are dropped in training": {"reach": OUTDONE, "activations": DROPPING},
    },
)  # fmt: skip
def outdone_by_simple_model(
    reach: Reach,
    layers: Activations | None,
    evaluations: Evaluations | None,
    noise: DroppedInEvaluation | None,
    printed: Printed | None,
) -> Iterator[Finding]:
    """Neighbours or a linear model answer samples they have not seen better than the network those it trains on.

    ## Why it matters
    The data can be learned, and this network has not: the fault is in the network or in how it is trained.

    ## False alarms
    Networks whose features are frozen on purpose, labels that change over the run, several losses and classes that
    dominate are not compared. Where dropout spoils the answers of training, those of evaluation count, or the best
    score that is printed, and without them nothing is said. The error must be 1.6 times that of the simple model, and
    the difference beyond noise.
    """
    told = outdone(undropped(reach, layers, evaluations, noise, printed))
    if told:
        yield Finding(told)


def undropped(
    reach: Reach,
    layers: Activations | None,
    evaluations: Evaluations | None,
    noise: DroppedInEvaluation | None,
    printed: Printed | None = None,
    *,
    some: float = 0.15,
    most: float = 0.82,
) -> Reach | None:
    """The same with what the network reaches when nothing is dropped; None where that is not known."""
    dropped = max((one.dropped or 0.0 for one in layers.layers), default=0.0) if layers is not None else 0.0
    # What drops nearly all is a fault of its own, and training feels it in evaluation as well.
    if not some <= dropped <= most:
        return reach
    shares = [one.right[-1] for one in (evaluations.lines if evaluations is not None else ()) if one.right]
    known = [share for share in shares if share is not None] or best_scores(printed)
    if not known or (noise is not None and noise.shares) or reach.measure != "accuracy":
        return None
    return replace(reach, reached=max(reach.reached, *known))


def best_scores(printed: Printed | None) -> list[float]:
    """The best value of each score that was printed, as a share; whatever they measure, the best of them counts."""
    scores = [one.values for one in (printed.numbers if printed is not None else ()) if one.kind == "score"]
    tops = [max(values) for values in scores if values and min(values) >= 0]
    return [top if top <= 1 else top / 100 for top in tops if top <= 100]


def outdone(reach: Reach | None, *, ratio: float = 1.6, least: float = 0.12, sigmas: float = 4.0) -> str:
    """How far a simple model is ahead, in words; empty where it is not, or not by enough."""
    if reach is None:
        return ""
    ours, theirs = 1 - reach.reached, 1 - reach.simple
    gain = ours - theirs
    if reach.frozen > 0.5 or not math.isfinite(gain) or gain < least or ours < ratio * theirs or reach.answers < 30:
        return ""
    if reach.measure == "accuracy":
        error = math.sqrt(sum(max(p * (1 - p), 0.01) / n for p, n in ((reach.reached, reach.answers),
                                                                      (reach.simple, reach.samples))))  # fmt: skip
    else:
        error = min(1.0, ours) * math.sqrt(2 / reach.answers) + theirs * math.sqrt(2 / reach.samples)
    if gain < sigmas * error:
        return ""
    return (
        f"late in training the {reach.measure} is {reach.reached:.3f}; {reach.model} reaches {reach.simple:.3f} "
        f"on {reach.samples} of the same samples, each unseen by it"
    )
