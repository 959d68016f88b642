"""Where the points of a series lie along the run."""

from __future__ import annotations

import numpy as np

from stetho.logged.steps import place
from stetho.series import Series


def series(steps: list[int], epochs: list[float] | None = None) -> Series:
    known = None if epochs is None else np.array(epochs)
    return Series("loss", np.zeros(len(steps)), "log", steps=np.array(steps), epochs=known)


def test_the_last_step_of_each_epoch_is_counted_on() -> None:
    assert place(series([6, 6, 6], [1, 2, 3])).steps.tolist() == [6, 12, 18]
    assert place(series([3, 6, 3, 6], [1, 1, 2, 2])).steps.tolist() == [3, 6, 9, 12]


def test_steps_that_go_on_through_epochs_stay() -> None:
    assert place(series([10, 20, 20, 30], [1, 2, 2, 3])).steps.tolist() == [10, 20, 20, 30]
    assert place(series([5, 5, 5])).steps.tolist() == [5, 5, 5]
