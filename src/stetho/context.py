"""What kind of run it is: the circumstances that make some causes likelier and others all but impossible.

A circumstance is true, false, or absent where the facts at hand do not tell. Causes say in `Cause.context` what each
means for them; a run of which nothing is known keeps the plain base rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from stetho.curves import held_constant
from stetho.facts import (
    CallOrder,
    Clipping,
    DataFiles,
    DroppedInEvaluation,
    Fact,
    GradientNorms,
    HandGradients,
    InputScale,
    LearningRate,
    Loaders,
    LossCurve,
    LossInputs,
    LossTerms,
    Modes,
    Optimizers,
    Ranks,
    Recorded,
    Resumed,
    Types,
)

F = TypeVar("F", bound=Fact)
Facts = Mapping[type[Fact], tuple[str, Fact]]
HALF = ("float16", "bfloat16", "half")
# Operations that limit what they give, and those that do not.
BOUNDING = {
    "relu",
    "relu_",
    "sigmoid",
    "tanh",
    "softmax",
    "clamp",
    "hardtanh",
    "hardsigmoid",
    "relu6",
    "gelu",
    "silu",
    "mish",
    "hardswish",
    "elu",
    "celu",
    "selu",
    "softplus",
}
UNBOUNDED = {"linear", "addmm", "mm", "matmul", "bmm", "conv1d", "conv2d", "conv3d", "convolution", "add", "einsum"}
# Rates that differ by less than this share are one rate.
SAME_RATE = 0.01


def circumstances(facts: Facts) -> dict[str, bool]:
    """Everything that the facts tell of the kind of run; only an observed run tells what it did not do."""
    if Recorded not in facts:
        return {}
    told = {name: of(facts) for name, of in CIRCUMSTANCES.items()}
    return {name: value for name, value in told.items() if value is not None}


def _get(facts: Facts, kind: type[F]) -> F | None:
    entry = facts.get(kind)
    return entry[1] if entry is not None and isinstance(entry[1], kind) else None


def half_precision(facts: Facts) -> bool | None:
    """Parameters, outputs or mixed precision of sixteen bits."""
    types = _get(facts, Types)
    if types is None:
        return None
    names = [*(amount.kind for amount in types.parameters), *types.outputs, *types.losses, *types.autocast]
    return any(half in name for name in names for half in HALF)


def several_ranks(facts: Facts) -> bool | None:
    ranks = _get(facts, Ranks)
    return ranks is not None and (len(ranks.ranks) > 1 or (ranks.world or 1) > 1)


def loaded_state(facts: Facts) -> bool | None:
    """A state was loaded into a model, an optimizer or a scheduler."""
    resumed = _get(facts, Resumed)
    return resumed is not None and bool(resumed.loads)


def changing_rate(facts: Facts) -> bool | None:
    """A schedule, or a rate that changes by other means."""
    rate, order = _get(facts, LearningRate), _get(facts, CallOrder)
    if rate is None or not rate.values:
        return None
    moves = max(rate.values) - min(rate.values) > SAME_RATE * max(rate.values)
    return moves or (order is not None and bool(order.schedulers))


def clipped_gradients(facts: Facts) -> bool | None:
    """By a function of torch's, or by hand: gradients that are all of one length."""
    norms = _get(facts, GradientNorms)
    if norms is not None and held_constant(norms.norms) is not None:
        return True
    return _get(facts, Clipping) is not None


def loader_workers(facts: Facts) -> bool | None:
    loaders = _get(facts, Loaders)
    return loaders is not None and any((one.workers or 0) > 0 for one in loaders.loaders)


def modes_matter(facts: Facts) -> bool | None:
    """Layers inside the model that behave otherwise in evaluation: dropout and batch normalisation."""
    modes, dropped = _get(facts, Modes), _get(facts, DroppedInEvaluation)
    if dropped is not None and dropped.shares:
        return True
    if modes is None or not modes.uses:
        return None
    return any(
        (use.norms_in_eval or 0) + (use.norms_in_training or 0)
        + (use.dropouts_in_eval or 0) + (use.dropouts_in_training or 0)
        for use in modes.uses
    )  # fmt: skip


def token_inputs(facts: Facts) -> bool | None:
    scale = _get(facts, InputScale)
    return None if scale is None else scale.discrete


def micro_batches(facts: Facts) -> bool | None:
    """Several backward calls to a step."""
    order = _get(facts, CallOrder)
    return None if order is None or order.backwards is None else order.backwards > 1.5


def weight_decay(facts: Facts) -> bool | None:
    """An optimizer that pulls the weights towards zero."""
    made = _get(facts, Optimizers)
    return None if made is None else any(bool(one.decay) for one in made.optimizers)


def several_objectives(facts: Facts) -> bool | None:
    curve = _get(facts, LossCurve)
    return None if curve is None else curve.objectives > 1


def several_terms(facts: Facts) -> bool | None:
    """A loss that adds up several values; none was met where backward is called on what a library's loss gave."""
    terms, calls = _get(facts, LossTerms), _get(facts, LossInputs)
    if terms is not None:
        return max(len(terms.parts), len(terms.calls)) > 1
    return None if calls is None or not any(site.trained for site in calls.sites) else False


def bounded_output(facts: Facts) -> bool | None:
    """Whether what enters the loss that is trained on has gone through something that limits it."""
    calls = _get(facts, LossInputs)
    made = (
        {site.produced_by for site in calls.sites if site.trained and site.produced_by} if calls is not None else set()
    )
    if made & BOUNDING:
        return True
    return False if made and made <= UNBOUNDED else None


def data_files(facts: Facts) -> bool | None:
    """Files that are no code were read."""
    files = _get(facts, DataFiles)
    return files is not None and any(one.read is not None for one in files.files)


def own_gradients(facts: Facts) -> bool | None:
    """Functions whose gradient is written by hand, others than those that are there to change it."""
    hand = _get(facts, HandGradients)
    return hand is not None and any(one.says in ("right", "wrong") for one in hand.functions)


CIRCUMSTANCES: Mapping[str, Callable[[Facts], bool | None]] = {
    "half-precision": half_precision,
    "several-ranks": several_ranks,
    "loaded-state": loaded_state,
    "changing-rate": changing_rate,
    "weight-decay": weight_decay,
    "clipped-gradients": clipped_gradients,
    "loader-workers": loader_workers,
    "modes-matter": modes_matter,
    "token-inputs": token_inputs,
    "micro-batches": micro_batches,
    "several-objectives": several_objectives,
    "several-terms": several_terms,
    "data-files": data_files,
    "bounded-output": bounded_output,
    "own-gradients": own_gradients,
}
