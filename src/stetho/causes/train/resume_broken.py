"""A resume does not go on as the run should: weights, optimizer, schedule or step are lost, or a schedule that is over
is restored.

## What happens
The loss rises where the run is taken up again, and much of what was learned has to be learned anew: an optimizer
without its state takes its first steps at full size, and a schedule that starts over has its highest rate, or its
warm-up, once more. A schedule that had come to its end, and is restored as it was, leaves no rate for further steps.

## How it is told apart
The rise stands exactly at the resume. A resume that is right goes on at the same level. Where the file that gave the
weights holds the state of the optimizer or the schedule, too, the run is repeated with it: if that was lost, the loss
stays where it was. Where every step after the resume has a rate of zero, holding the rate at its full height lets the
run learn again. A new optimizer on purpose, as in fine-tuning, has other settings, or its loss falls at once.

## How it is fixed
Save and load model, optimizer, schedule, scaler and step together, and compare the first loss with the last. Of a
schedule restore how far it was, and let its length be that of the run that goes on.
"""

from stetho.cause import Cause

resume_broken = Cause(
    id="train/resume-broken",
    share=0.01,
    context={"loaded-state": (10.0, 0.05)},
    symptoms={"loss-spike": 0.30, "loss-diverging": 0.10, "loss-flat": 0.12, "loss-oscillating": 0.05, "none": 0.38},
    predicts={
        "loss-jumps-at-resume": 0.95,
        "saved-state-unused": 0.90,
        "no-rate-after-resume": 0.50,
        "constant-lr=full": {"symptom-gone": 0.34, "better": 0.36, "same": 0.18, "worse": 0.08, "new-failure": 0.04},
        "saved-state": {"symptom-gone": 0.35, "better": 0.58, "same": 0.04, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("loss-jumps-at-resume", "saved-state-unused", "no-rate-after-resume"),
    statement="the resume does not go on as the run should: a state is lost, or a schedule that is over is restored",
    test="load the state of optimizer and schedule in the file as well: if the loss rises all the same, it is not this",
    fix="save and load model, optimizer, schedule, scaler and step together, and the schedule for the whole run",
    trial="saved-state",
)
