"""The words that a change may declare in `alters`: what each means, and by what a run that was so changed is judged.

A new way of judging is a function from a pair of runs to what is judged of them, and a row of this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stetho.outcome.course import by_chance, by_pace, by_slowing, by_start, by_upkeep
from stetho.outcome.judged import Judged
from stetho.outcome.losses import (
    by_any_loss,
    by_each_loss,
    by_loss,
    by_other_data,
    by_other_level,
    by_other_loss,
    by_other_targets,
)
from stetho.outcome.pair import Pair, of_other_losses, over_halves, over_stretches, step_by_step
from stetho.outcome.results import (
    by_best,
    by_best_or_score,
    by_class_recall,
    by_error,
    by_marked_result,
    by_perfection,
    by_result,
    by_tasks,
)


@dataclass(frozen=True)
class Way:
    """What cannot be compared with the base run's as it is, and what is done about it."""

    means: str
    """What the change alters, and what tells then."""
    judge: Callable[[Pair], Judged]
    """By what it is judged, where neither run fails."""
    lay: Callable[[Pair], Pair] = step_by_step
    """How the losses of both runs are laid beside each other before that."""


WAYS: Mapping[str, Way] = {
    "": Way("nothing but how it learns: the losses tell", by_loss),
    # The loss of training.
    "loss": Way("the loss itself: answers or scores tell, or how each run fares", by_other_loss, of_other_losses),
    "objectives": Way("which losses of a step train: each is compared, the one that gains tells", by_each_loss),
    "targets": Way("what the loss asks for: a printed score that gets better tells more than it", by_other_targets),
    "pairing": Way("which label belongs to which input: whatever it gave the run tells, however little", by_any_loss),
    "terms": Way("what part each task has in the loss: the results of each task tell", by_tasks, of_other_losses),
    "classes": Way("what each class weighs in the loss: only recalls compare", by_class_recall),
    "data": Way("the data trained on: results tell more than the loss, where the program prints some", by_other_data),
    "level": Way("the level of the loss, which is that of other data: a higher one tells nothing", by_other_level),
    "spread": Way("of how many samples each loss is the mean: means over stretches tell", by_loss, over_stretches),
    "scatter": Way("how much the losses jump about: only means over half of the run tell", by_loss, over_halves),
    "numbers": Way("which number a class has in training: results of held-out data tell", by_marked_result),
    # How a run goes.
    "time": Way("nothing but time: the speed of steps tells", by_pace),
    "slack": Way("nothing but time that may be to spare: only whether steps get slower tells", by_slowing),
    "upkeep": Way("nothing but what steps come to cost: memory and time tell, by how they grow", by_upkeep),
    "chance": Way("nothing but chance: any difference tells", by_chance),
    "start": Way("what a run has to begin with: its first steps tell, as it may recover from them", by_start),
    # What evaluation shows.
    "evaluation": Way("nothing but evaluation: what the program prints tells", by_result),
    "held-out": Way("training, made harder on purpose: only held-out results tell", by_result),
    "shared": Way("training, without samples that other data shares: results of that data tell", by_marked_result),
    "best": Way("from which point on held-out results get worse: only the best of them tells", by_best),
    "cleaned": Way(
        "which rows are learned by heart: the best held-out result tells, or the last score", by_best_or_score
    ),
    "error": Way("training, on less data: only by how many times held-out errors grow tells", by_error),
    "answers": Way("the answers in evaluation, made right: only whether the score is perfect tells", by_perfection),
}
