"""A resume does not restore everything: weights, optimizer, schedule or step are lost.

## What happens
The loss jumps where the run is taken up again, and much of what was learned has to be learned anew.

## How it is told apart
The jump stands exactly at the resume. A resume that is right goes on at the same level.

## How it is fixed
Save and load model, optimizer, schedule, scaler and step together, and compare the first loss with the last.
"""

from stetho.cause import Cause

resume_broken = Cause(
    id="train/resume-broken",
    share=0.005,
    context={"loaded-state": (3.0, 0.05)},
    symptoms={"loss-spike": 0.6, "loss-diverging": 0.1, "none": 0.25},
    predicts={"loss-jumps-at-resume": 0.95},
    mechanism=("loss-jumps-at-resume",),
    statement="the resume did not restore everything",
    test="resume once more and compare the first loss with the last before: if they agree, it is not this",
    fix="save and load model, optimizer, schedule, scaler and step together",
)
