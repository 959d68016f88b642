"""Which steps are looked at how closely: a function of the step and the model's size alone.

Ranks of one job, and two runs of one program, therefore look at the same steps.
"""

from __future__ import annotations

# Steps whose parameters are measured one by one: all early ones, then every k-th, by how many parameters there are.
DENSE = 10
EVERY = ((100, 25), (300, 50))
SELDOM = 100
# From here on a run is long, and every sample stands for more steps.
LONG, THINNER = 500, 8
# Steps seen operation by operation, with every module's output: the first ones, then ever fewer.
FIRST, EARLY, LATER = 3, (5, 10, 20, 50), 100
# Steps whose batches are fingerprinted, and steps whose losses are looked at.
BATCHES, BATCH_EVERY = 64, 10
LOSSES, LOSS_EVERY = 12, 20


def sampled(step: int, tensors: int) -> bool:
    """Whether each parameter's gradient, change and size are recorded at this step."""
    if step < DENSE:
        return True
    every = SELDOM
    for most, often in EVERY:
        if tensors <= most:
            every = often
            break
    return step % (every if step < LONG else THINNER * every) == 0


def glimpsed(step: int) -> bool:
    """Whether this step is seen operation by operation."""
    return step < FIRST or step in EARLY or step % (LATER if step < LONG else 2 * LATER) == 0


def fingerprinted(step: int) -> bool:
    """Whether the samples of this step's batch are fingerprinted."""
    return step < BATCHES or step % (BATCH_EVERY if step < LONG else THINNER * BATCH_EVERY) == 0


def losses_shown(step: int) -> bool:
    """Whether what losses are called with is recorded at this step."""
    return step < LOSSES or step % (LOSS_EVERY if step < LONG else THINNER * LOSS_EVERY) == 0 or step in EARLY
