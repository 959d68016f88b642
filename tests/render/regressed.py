"""A verdict that was compared with a run that was fine."""

from __future__ import annotations

from dataclasses import replace

from stetho.evidence import Evidence, Place
from stetho.verdict import Located, NextTest, Parting, Regression, Tried, Verdict

TOLD = "the smallest difference that matters: commit 1a2b3c4d (faster), train.py:41 lr = 3e-4 → 3e-2 (X1, X2)"


def regressed(before: Verdict) -> Verdict:
    """The verdict with a comparison: the rate differs first, and one line of a commit brings it."""
    first = Parting("learning rate", "differs", "0.0003 → 0.03", 0, Place("train.py", 44), ("E22",))
    regression = Regression(
        "HEAD~5", "commit", "commit 9f8e7d6c (first)", "symptom gone, final loss nan -> 0.2, loss-nonfinite gone",
        "isolated", TOLD, ("E21", "E22", "E24"),
        first=first,
        path=(
            Parting("environment", "same"), Parting("inputs", "same"),
            Parting("initial weights", "unknown", "not recorded"), first,
            Parting("loss", "differs", "2.31 → 2.84", 1, Place("train.py", 50), ("E23",)),
        ),
        commit="1a2b3c4d (faster)",
        differences=(
            Located("code", "train.py:41 lr = 3e-4 → 3e-2", "3e-4", "3e-2", "undo train.py:41 lr = 3e-4 → 3e-2",
                    Place("train.py", 41)),
        ),
        known=7, experiments=("X1", "X2"),
    )  # fmt: skip
    evidence = (
        Evidence("E21", "observation", "beside this run, commit 9f8e7d6c (first) is symptom-gone"),
        Evidence("E22", "observation", "good run and this one differ in learning rate at step 0: 0.0003 → 0.03"),
        Evidence("E23", "observation", "good run and this one differ in loss at step 1: 2.31 → 2.84"),
        Evidence("E24", "experiment", TOLD),
        Evidence("E25", "experiment", "without train.py:41: symptom-gone"),
    )
    tried = Tried("X2", "trial fix", "without train.py:41", "Does it cure?", {}, "symptom-gone", 3.0, ("E25",))
    return replace(
        before,
        regression=regression,
        evidence=(*before.evidence, *evidence),
        experiments=(*before.experiments, tried),
        not_claimed=f"{before.not_claimed}; {TOLD}",
        next=(NextTest("undo train.py:41 lr = 3e-4 → 3e-2, or look into what it changes"), *before.next),
    )
