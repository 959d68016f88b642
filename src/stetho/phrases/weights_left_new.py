"""Some weights were not in the checkpoint, and began at random.

## What it tells
Which ones.

## What it does not tell
Whether that was meant, as for the head of a fine-tune.
"""

from stetho.phrase import Phrase

weights_left_new = Phrase(
    id="weights-left-new",
    says="some weights were not loaded",
    words=(
        "not initialized from",
        "newly initialized",
        "were not used when",
        "probably train this model",
    ),
    patterns=(
        r"[Ss]ome weights of .{0,120}not (?:initialized from|used when)",
        r"are newly initialized",
        r"You should probably TRAIN this model",
    ),
    fires=(
        (
            "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and "
            "inference."
        ),
        (
            "Some weights of BertForSequenceClassification were not initialized from the model checkpoint at bert"
            "-base-uncased and are newly initialized: ['classifier.bias']"
        ),
    ),
    quiet=("all weights were initialized from seed 3",),
)
