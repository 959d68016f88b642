"""What a simple model reaches on the same samples: the level that training should at least come to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stetho.facts import Fact, Frozen, LossCurve, LossInput, LossInputs, PlainLoss, Reach
from stetho.measure.association import Pairs, kept_pairs
from stetho.measure.chance import label_counts, moments
from stetho.measure.loss_calls import sites
from stetho.measure.series import Measured
from stetho.measure.telling import is_classes
from stetho.recording import Recording

OF_NUMBERS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
FOLDS = 5
# Strength of the linear model's penalty, per sample; numbers of neighbours that are asked.
PENALTIES = (1e-3, 1e-2, 1e-1)
NEIGHBOURS = (1, 5, 15)
# How far the model that bends looks, in median squared distances between samples, and its penalty.
WIDTHS, STIFFNESS = (0.3, 1.0), 0.05
# Symbols times places up to which every symbol of every place is a column of its own.
WIDEST = 1500
# A class with more of the labels than this leaves accuracy little to tell.
DOMINANT = 0.7
# How far labels may move between the first calls and the later ones and still be those of one task.
SHIFT, SPREAD = 0.35, 1.6


def reach(recording: Recording, known: Sequence[Fact]) -> Iterator[Measured]:
    """The late score of the network beside that of simple models, each on samples it has not seen."""
    of = {type(fact): fact for fact in known}
    pairs = kept_pairs(recording)
    if pairs is None or not one_task(recording):
        return
    classes = pairs.y.shape[1] == 1 and is_classes(pairs.y[:, 0], pairs.whole)
    late = accuracy(of) if classes else explained(of)
    if late is None or (pairs.whole and not classes) or (classes and largest_share(pairs.y[:, 0]) > DOMINANT):
        return
    found = simple_models(pairs, classes)
    if not found:
        return
    name, best = max(found.items(), key=lambda item: item[1])
    frozen = of.get(Frozen)
    fact = Reach(
        measure="accuracy" if classes else "explained variance",
        reached=late[0],
        answers=late[1],
        simple=best,
        model=name,
        linear=max(v for k, v in found.items() if k.startswith("linear")),
        samples=len(pairs.x),
        by_lot=largest_share(pairs.y[:, 0]) if classes else 0.0,
        frozen=frozen.frozen / frozen.elements if isinstance(frozen, Frozen) and frozen.elements else 0.0,
    )
    told = f"late in training the {fact.measure} is {fact.reached:.3f}"
    yield fact, f"{told}; {name} reaches {best:.3f} on {fact.samples} of the same samples, each unseen by it"


def one_task(recording: Recording) -> bool:
    """Whether one loss is trained on, of labels that stay alike over the run; what moves has no one level."""
    trained = {
        key: [c for c in calls if c["grad"]] for key, calls in sites(recording).items() if key[0] != "log_softmax"
    }
    trained = {key: calls for key, calls in trained.items() if calls}
    if len(trained) > 1 or len({step.optimizer for step in recording.steps}) > 1:
        return False
    # Two losses of one line are told apart by their number only; micro-batches have a backward each.
    several = sum(len(step.terms) > (step.backwards or 1) for step in recording.steps)
    if several > 0.5 * len(recording.steps):
        return False
    calls = next(iter(trained.values()), [])
    if len(calls) < 4:
        return bool(calls) or not trained
    half = len(calls) // 2
    early, late = calls[:half], calls[half:]
    if sum(label_counts(early).values()) and sum(label_counts(late).values()):
        one, two = label_counts(early), label_counts(late)
        shares = [{k: n / sum(c.values()) for k, n in c.items()} for c in (one, two)]
        apart = sum(abs(shares[0].get(k, 0.0) - shares[1].get(k, 0.0)) for k in {*one, *two}) / 2
        return apart < SHIFT
    first, second = moments(early), moments(late)
    if first is None or second is None or min(first[1], second[1]) <= 0:
        return True
    width, later = math.sqrt(first[1]), math.sqrt(second[1])
    return 1 / SPREAD < later / width < SPREAD and abs(first[0] - second[0]) < SHIFT * width


def accuracy(of: Mapping[type[Fact], Fact]) -> tuple[float, int] | None:
    """The late share of right answers, and of how many."""
    inputs, plain = of.get(LossInputs), of.get(PlainLoss)
    found = (
        [s for s in inputs.sites if s.trained and s.accuracy_last is not None] if isinstance(inputs, LossInputs) else []
    )
    for site in found[:1]:
        return site.accuracy_last or 0.0, answers(site)
    told = [m for m in plain.meetings if m.accuracy_last is not None] if isinstance(plain, PlainLoss) else []
    for meeting in told[:1]:
        return meeting.accuracy_last or 0.0, min(5, meeting.looked_at) * max(1, meeting.shape[0])
    return None


def answers(site: LossInput) -> int:
    return min(5, site.looked_at) * max(1, site.batch or 1)


def explained(of: Mapping[type[Fact], Fact]) -> tuple[float, int] | None:
    """The late share of the targets' variance that is explained, and of how many; scores of classes explain none."""
    curve, inputs = of.get(LossCurve), of.get(LossInputs)
    trained = [s.function for s in inputs.sites if s.trained] if isinstance(inputs, LossInputs) else []
    if not isinstance(curve, LossCurve) or curve.explained is None or not curve.explained_from:
        return None
    if any(function not in OF_NUMBERS for function in trained):
        return None
    return curve.explained, curve.explained_from


def largest_share(labels: Any) -> float:
    import numpy as np

    return float(np.unique(labels, return_counts=True)[1].max() / len(labels))


def simple_models(pairs: Pairs, classes: bool) -> dict[str, float]:
    """The score of each simple model, measured on the fold that it was not fitted on."""
    import numpy as np

    x = columns(pairs.x, pairs.discrete)
    if x is None:
        return {}
    y = (pairs.y == np.unique(pairs.y)[None]).astype("float64") if classes else pairs.y
    folds = np.array_split(np.random.default_rng(0).permutation(len(x)), FOLDS)
    models: dict[str, Callable[[Any, Any, Any], list[Any]]] = {
        "linear": linear, "neighbours": neighbours, "curved": curved,
    }  # fmt: skip
    guesses: dict[str, Any] = {}
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(x)), fold)
        middle, width = x[rest].mean(axis=0), x[rest].std(axis=0)
        kept = width > 0
        seen, unseen = (((x[part] - middle) / np.where(kept, width, 1.0))[:, kept] for part in (rest, fold))
        for kind, model in models.items():
            for value, guess in zip(VALUES[kind], model(seen, y[rest], unseen), strict=True):
                guesses.setdefault(WORDS[kind].format(value), np.zeros_like(y))[fold] = guess
    return {name: score(guess, y, classes) for name, guess in guesses.items()}


WORDS = {
    "linear": "linear regression (penalty {})",
    "neighbours": "the answer of the {} nearest neighbours",
    "curved": "kernel regression (width {})",
}
VALUES: Mapping[str, Sequence[float]] = {"linear": PENALTIES, "neighbours": NEIGHBOURS, "curved": WIDTHS}


def columns(x: Any, discrete: bool) -> Any:
    """Numbers as they are; symbols as one column for each at each place, or counted where there are too many."""
    import numpy as np

    if not discrete:
        return x
    kinds = np.unique(x)
    if len(kinds) * x.shape[1] <= WIDEST:
        return np.concatenate([x == kind for kind in kinds], axis=1).astype("float64")
    return (
        np.stack([(x == kind).sum(axis=1) for kind in kinds], axis=1).astype("float64")
        if len(kinds) <= WIDEST
        else None
    )


def linear(x: Any, y: Any, asked: Any) -> list[Any]:
    """Least squares with each penalty; in the space that is smaller, of features or of samples."""
    import numpy as np

    middle, size = y.mean(axis=0), len(x)
    if x.shape[1] <= size:
        square, right, left = x.T @ x, x.T @ (y - middle), asked
    else:
        square, right, left = x @ x.T, y - middle, asked @ x.T
    eye = np.eye(len(square))
    return [left @ np.linalg.solve(square + penalty * size * eye, right) + middle for penalty in PENALTIES]


def curved(x: Any, y: Any, asked: Any) -> list[Any]:
    """Ridge regression on Gaussian bumps around the samples: what bends, without an interaction being named."""
    import numpy as np

    between, middle, guesses = squared_distances(x, x), y.mean(axis=0), []
    usual = float(np.median(between)) or 1.0
    to_asked = squared_distances(asked, x)
    for width in WIDTHS:
        held = np.exp(-between / (width * usual)) + STIFFNESS * np.eye(len(x))
        guesses.append(np.exp(-to_asked / (width * usual)) @ np.linalg.solve(held, y - middle) + middle)
    return guesses


def squared_distances(x: Any, y: Any) -> Any:
    """Of each sample of one set to each of the other."""
    return (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None, :] - 2 * x @ y.T


def neighbours(x: Any, y: Any, asked: Any) -> list[Any]:
    """The mean of the labels of the nearest samples."""
    import numpy as np

    distance = squared_distances(asked, x)
    near = np.argpartition(distance, max(NEIGHBOURS), axis=1)[:, : max(NEIGHBOURS)]
    order = np.take_along_axis(near, np.argsort(np.take_along_axis(distance, near, axis=1), axis=1), axis=1)
    return [y[order[:, :k]].mean(axis=1) for k in NEIGHBOURS]


def score(guess: Any, y: Any, classes: bool) -> float:
    """The share of right answers, or of the targets' variance that is explained."""
    if classes:
        return float((guess.argmax(axis=1) == y.argmax(axis=1)).mean())
    return float(1 - ((guess - y) ** 2).mean() / y.var(axis=0).mean())
