"""The program says that it stops before its last step because a measure no longer improves.

## What it tells
That the end was meant.

## What it does not tell
Whether the patience was long enough.
"""

from stetho.phrase import Phrase

early_stop = Phrase(
    id="early-stop",
    says="it stopped early, on purpose",
    words=(
        "early-stop",
        "early stop",
        "earlystop",
        "early_stop",
        "stopping early",
        "stopping training early",
        "signaling trainer to stop",
    ),
    patterns=(
        r"(?:^|[\s:>\]])[Ee]arly[ -]?[Ss]topping(?: (?:at|after|on|in|training|triggered|now|as|since)\b|[.!:,]| ?$)",
        r"[Ee]arly[ -]?[Ss]topped",
        r"[Ss]topping (?:training )?early",
        r"^(?!.{0,300}(?:is not finite|[Dd]ivergence threshold)).{0,300}[Ss]ignaling Trainer to stop",
        r"(?:^|[\s:>\]])EarlyStopping(?: (?:at|triggered)|[!.:]| ?$)",
    ),
    fires=(
        "Early stopped at round 12",
        "Stopping early: no progress for 5 epochs",
        "EarlyStopping triggered",
        "Epoch 12: early stopping",
        "Early stopping at epoch 12, best val_loss 0.3",
        (
            "Monitored metric val_loss did not improve in the last 3 records. Best score: 0.512. Signaling Traine"
            "r to stop."
        ),
        "Early stopping, best iteration is:",
    ),
    quiet=(
        "Divergence threshold reached: Monitored metric val_loss = 912.0 < 100.0. Signaling Trainer to stop.",
        "Monitored metric val_loss = nan is not finite. Previous best value was 0.688. Signaling Trainer to stop.",
        "EarlyStopping counter: 2 out of 10",
        "early_stopping_rounds: 10",
        "early stopping patience 5",
        "Monitored metric val_loss = nan is not finite. Previous best value was inf. Signaling Trainer to stop.",
    ),
    ended="done",
)
