"""Verdicts of every kind, made by hand, for the renderers' tests."""

from __future__ import annotations

from stetho.evidence import Evidence, Place, Source
from stetho.verdict import Claim, Cost, Fix, Hypothesis, NextTest, Noted, Symptom, Trial, Tried, Verdict

from .hostile import crashed
from .regressed import regressed

DIFF = """--- a/train.py
+++ b/train.py
@@ -26,4 +26,4 @@
     def forward(self, x):
         x = self.body(x)
         x = self.head(x)
-        return F.softmax(x, -1)
+        return x
"""


def established() -> Verdict:
    """The double softmax of the design's picture."""
    rows = "rows entering cross_entropy sum to 1 in 400 of 400 calls, train.py:41"
    flat = "loss stuck at 2.30 from the first step; chance for 10 classes is 2.303"
    return Verdict(
        target={"command": ["python", "train.py", "--lr", "3e-4"]},
        case=".stetho/c-20260301-1",
        status="established",
        symptoms=(Symptom("loss-flat", flat, 0, ("E2", "E3")),),
        findings=(
            Noted("loss-flat", flat, (), ("E2", "E3")),
            Noted("normalised-input", rows, (Place("train.py", 41),), ("E5",)),
            Noted(
                "not-shuffled",
                "the loader gives the samples in the same order in 4 of 4 epochs",
                (Place("data.py", 12),),
                ("E9",),
            ),
        ),
        hypotheses=(
            Hypothesis(
                "loss/double-softmax",
                0.03,
                0.98,
                "likely",
                ("E5", "E8"),
                (),
                rows,
                "train on the logits: the loss must stay flat",
                "hand the logits to cross_entropy",
            ),
            Hypothesis(
                "hp/lr-too-low",
                0.01,
                0.008,
                "likely",
                ("E6",),
                ("E7",),
                "update/weight ratio 10^-4.6",
                "lr x10: the loss must stay flat",
                "raise the rate",
            ),
            Hypothesis(
                "data/labels-misaligned",
                0.04,
                0.006,
                "likely",
                (),
                ("E8",),
                "",
                "train on one batch: it must not be learned",
                "keep inputs and labels together",
            ),
            Hypothesis("arch/dead-units", 0.01, 0.003, "subtle", (), ("E8",)),
            Hypothesis("other/unlisted", 0.06, 0.002, "other"),
            Hypothesis("none/healthy", 0.2, 0.0005, "null", (), ("E2",), "", "a longer run: the loss must fall", ""),
            Hypothesis("none/converged", 0.05, 0.0002, "null", (), ("E2",)),
        ),
        claim=Claim(
            "loss/double-softmax",
            0.98,
            "The model ends in a softmax and cross_entropy applies another, which leaves almost no gradient.",
            ("E5", "E7", "E8"),
            (Place("train.py", 29), Place("train.py", 41)),
            ("E5",),
            ("X1", "X2"),
        ),
        evidence=(
            Evidence(
                "E1",
                "observation",
                "400 steps in 11.2 s, cost 1.3 %",
                Source(command="python train.py --lr 3e-4"),
                "run-end",
                "base",
                {"code": 0, "steps": 400, "seconds": 11.2},
            ),
            Evidence(
                "E2",
                "observation",
                "loss 2.302 at step 0, 2.301 at step 399",
                Source(step=399),
                "loss-curve",
                "base",
                {"values": [2.3025 + i / 1e6 for i in range(400)]},
            ),
            Evidence("E3", "source", "the last layer has 10 outputs", Source("train.py", 22)),
            Evidence("E4", "probe", "2 cores, 7.6 GB memory free", Source("/proc/meminfo"), "machine"),
            Evidence("E5", "observation", rows, Source("train.py", 41), "loss-inputs", "base"),
            Evidence("E6", "observation", "update/weight ratio 10^-4.6 over 40 sampled steps", Source(step=40)),
            Evidence("E7", "experiment", "lr=x10: loss 2.302 at step 60", Source(step=60), "loss-curve", "X1"),
            Evidence("E8", "experiment", "loss on logits: 0.41 at step 120", Source(step=120), "loss-curve", "X2"),
            Evidence("E9", "observation", "the first batch is identical in 4 of 4 epochs", Source("data.py", 12)),
        ),
        experiments=(
            Tried(
                "X1",
                "control",
                "lr=x10",
                "Is the learning rate too low?",
                {
                    "loss/double-softmax": {"same": 0.9, "better": 0.1},
                    "hp/lr-too-low": {"symptom-gone": 0.8, "better": 0.15, "same": 0.05},
                },
                "same",
                2.1,
                ("E7",),
                "loss 2.30 -> 2.30 in 60 steps",
                "against hp/lr-too-low",
            ),
            Tried(
                "X2",
                "trial fix",
                "loss-on-logits",
                "Does the loss fall when it gets logits?",
                {
                    "loss/double-softmax": {"symptom-gone": 0.95, "same": 0.05},
                    "hp/lr-too-low": {"same": 0.9, "better": 0.1},
                },
                "symptom-gone",
                3.4,
                ("E8",),
                "loss 2.30 -> 0.41 in 120 steps",
                "only loss/double-softmax predicts it",
            ),
        ),
        fix=Fix(
            "return the logits and leave the softmax to cross_entropy",
            "code",
            DIFF,
            Trial(2.3012, 0.41, ("E8",)),
        ),
        cost=Cost(16.7, 3),
    )


def suspected() -> Verdict:
    """A ranked problem that nothing could prove: a post-mortem of a log."""
    grows = "the loss grew from 1.4 to 9.8e4 between step 210 and step 260"
    return Verdict(
        target={"path": "runs/17/train.log"},
        case=".stetho/c-2",
        status="suspected",
        symptoms=(Symptom("loss-diverging", grows, 210, ("E1", "E2")),),
        hypotheses=(
            Hypothesis(
                "hp/lr-too-high",
                0.02,
                0.61,
                "likely",
                ("E2", "E3"),
                (),
                "the log names lr 0.5 with SGD",
                "lr x0.1: the loss must still diverge",
                "lower the learning rate",
            ),
            Hypothesis("num/exploding-gradients", 0.01, 0.22, "likely", ("E2",)),
            Hypothesis("data/outlier-batch", 0.02, 0.09, "subtle", (), ("E2",), "it does not recover in 50 steps"),
            Hypothesis("other/unlisted", 0.06, 0.05, "other"),
            Hypothesis("train/missing-zero-grad", 0.02, 0.02, "likely"),
            Hypothesis("none/healthy", 0.3, 0.004, "null", (), ("E2",)),
        ),
        not_claimed="no experiment was run: the log does not say which command made it",
        evidence=(
            Evidence("E1", "reading", "runs/17/train.log: 312 lines, 260 steps", Source("runs/17/train.log", 1)),
            Evidence("E2", "reading", grows, Source("runs/17/train.log", 262), "loss-curve"),
            Evidence("E3", "reading", "lr=0.5 optimizer=SGD", Source("runs/17/train.log", 3)),
        ),
        next=(
            NextTest(
                "stetho why -- python train.py: run it with lr x0.1",
                ("hp/lr-too-high", "num/exploding-gradients"),
                45.0,
            ),
            NextTest("send config.yaml along with the log"),
        ),
        cost=Cost(0.4, 0),
    )


def unknown() -> Verdict:
    """The observer could not attach, so nothing was seen but the exit code."""
    return Verdict(
        target={"command": ["./train.bin"]},
        case=".stetho/c-3",
        status="unknown",
        hypotheses=(
            Hypothesis("none/healthy", 0.3, 0.3, "null"),
            Hypothesis("other/unlisted", 0.06, 0.06, "other"),
            Hypothesis("data/labels-misaligned", 0.04, 0.04, "likely"),
        ),
        not_claimed="the observer did not attach, so no signal could be read",
        evidence=(
            Evidence(
                "E1",
                "observation",
                "./train.bin ended with code 0 after 3.0 s; the observer did not attach",
                Source(command="./train.bin"),
                "run-end",
                "base",
                {"attached": False},
            ),
        ),
        next=(NextTest("stetho why -- python -m trainer: a command that starts a Python interpreter"),),
        cost=Cost(3.2, 1),
        notes=("the observer did not attach: the program started no Python interpreter that imports torch",),
    )


def clear() -> Verdict:
    """A healthy run."""
    return Verdict(
        target={"command": ["python", "good.py"]},
        case=".stetho/c-4",
        status="clear",
        hypotheses=(
            Hypothesis(
                "none/healthy",
                0.3,
                0.93,
                "null",
                ("E2",),
                (),
                "the loss fell from 2.31 to 0.22",
                "a longer run: the loss must stop falling",
                "",
            ),
            Hypothesis("other/unlisted", 0.06, 0.04, "other"),
            Hypothesis("hp/lr-too-low", 0.01, 0.01, "likely"),
        ),
        evidence=(
            Evidence("E1", "observation", "900 steps in 21.0 s", Source(), "run-end", "base"),
            Evidence("E2", "observation", "the loss fell from 2.31 to 0.22", Source("good.py", 30), "loss-curve"),
        ),
        cost=Cost(21.4, 1),
    )


ALL = {
    "established": established,
    "suspected": suspected,
    "unknown": unknown,
    "clear": clear,
    "crashed": crashed,
    "regressed": lambda: regressed(suspected()),
}
