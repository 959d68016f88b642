"""A resume does not restore everything: weights, optimizer, schedule or step are lost.

## What happens
The loss rises where the run is taken up again, and much of what was learned has to be learned anew: an optimizer
without its state takes its first steps at full size, and a schedule that starts over has its highest rate, or its
warm-up, once more.

## How it is told apart
The rise stands exactly at the resume. A resume that is right goes on at the same level. Where the file that gave the
weights holds the state of the optimizer or the schedule, too, the run is repeated with it: if that was lost, the loss
stays where it was. A new optimizer on purpose, as in fine-tuning, has other settings, or its loss falls at once.

## How it is fixed
Save and load model, optimizer, schedule, scaler and step together, and compare the first loss with the last.
"""

from stetho.cause import Cause

resume_broken = Cause(
    id="train/resume-broken",
    share=0.01,
    context={"loaded-state": (10.0, 0.05)},
    symptoms={"loss-spike": 0.30, "loss-diverging": 0.10, "loss-flat": 0.10, "loss-oscillating": 0.05, "none": 0.40},
    predicts={
        "loss-jumps-at-resume": 0.95,
        "saved-state-unused": 0.90,
        "saved-state": {"symptom-gone": 0.35, "better": 0.58, "same": 0.04, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("loss-jumps-at-resume", "saved-state-unused"),
    statement="the resume did not restore everything",
    test="load the state of optimizer and schedule in the file as well: if the loss rises all the same, it is not this",
    fix="save and load model, optimizer, schedule, scaler and step together",
    trial="saved-state",
)
