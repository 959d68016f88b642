"""The program says that it has come to its end.

## What it tells
That the end was meant.

## What it does not tell
Whether what it learned is good.
"""

from stetho.phrase import Phrase

completed = Phrase(
    id="completed",
    says="it says that it is done",
    words=(
        "complete",
        "finished",
        "stopped: `max",
        "'train_runtime'",
        "training done",
        "done training",
        "done",
        "end of training",
    ),
    patterns=(
        r"(?i:\b(?:training|run|fit|experiment|job)(?: (?:is|has))? (?:completed?|finished|done)\b(?! [es0]))",
        r"(?i:\b(?:finished|completed|done|end of) (?:the )?training\b)",
        r"stopped: `max_(?:epochs|steps|time)=.{1,20}` reached",
        r"'train_runtime': ",
        r"^(?:All )?[Dd]one[.!]?$",
    ),
    fires=(
        "Training complete in 12m 3s",
        "Finished training.",
        "`Trainer.fit` stopped: `max_epochs=3` reached.",
        "{'train_runtime': 123.4, 'train_samples_per_second': 12.3, 'train_loss': 0.512, 'epoch': 3.0}",
        "Training finished!",
        "done",
    ),
    quiet=(
        "Epoch 3 completed",
        "step 100 done in 3 s",
        "the download is complete",
    ),
    ended="done",
)
