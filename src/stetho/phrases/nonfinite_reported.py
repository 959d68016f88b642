"""The program itself says that its loss or its gradients are not finite.

## What it tells
That it looks at them, and mostly that it stops there.

## What it does not tell
Where the first one came from.
"""

from stetho.phrase import Phrase

nonfinite_reported = Phrase(
    id="nonfinite-reported",
    says="it says that something is NaN or infinite",
    words=(
        "nan",
        "non-finite",
        "nonfinite",
        "not finite",
        "infinite loss",
        "infinity",
        "invalid loss",
    ),
    patterns=(
        r"Monitored metric \S+ = \S+ is not finite",
        r"(?i:\bloss (?:is|was|became|went|=|:)? ?(?:nan|inf)\b.{0,20}(?:stop|abort|exit|skip|detect|!))",
        r"(?i:nan|inf) (?:loss )?(?:detected|encountered|found)",
        r"[Nn]on-?finite (?:loss|grad|values?)",
        r"returned nan values in its 0th output",
        r"(?i:(?:found|detected|encountered|got) (?:nan|inf)\b)",
        r"NaN(?:s)? or [Ii]nf(?:s|inity)? (?:found|detected|in)",
        r"contains? NaN",
        r"The total norm .{0,80}is non-finite",
        r"[Mm]onitored metric .{0,80} is not finite",
        r"[Ii]nvalid loss, terminating training",
    ),
    fires=(
        "found NaN in the output of layer 3",
        "NaN or Inf found in input tensor.",
        "ValueError: Input X contains NaN.",
        (
            "RuntimeError: The total norm of order 2.0 for gradients from `parameters` is non-finite, so it "
            "cannot be clipped."
        ),
        "Monitored metric val_loss = nan is not finite. Previous best value was 0.688. Signaling Trainer to stop.",
        "Loss is nan, stopping training",
        "RuntimeError: Function 'LogBackward0' returned nan values in its 0th output.",
        "FloatingPointError: Non-finite loss at step 300",
        "NaN detected in gradients of layer 3",
        "Monitored metric val_loss = nan is not finite. Previous best value was inf. Signaling Trainer to stop.",
        "Batch 4: Invalid loss, terminating training",
    ),
    quiet=(
        "Monitored metric val_loss did not improve in the last 3 records. Best score: 0.512.",
        "number of nan iterations: 0",
        "nanmean of the loss 0.5",
    ),
)
