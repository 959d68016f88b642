"""The program goes on from a checkpoint.

## What it tells
That this is not its first start, and from where it goes on.

## What it does not tell
Whether optimizer, schedule and data went on as well.
"""

from stetho.phrase import Phrase

resumed = Phrase(
    id="resumed",
    says="it goes on from a checkpoint",
    words=(
        "resum",
        "restor",
        "loading checkpoint",
        "loaded checkpoint",
        "continuing training",
        "loading states",
        "loading model checkpoint",
    ),
    patterns=(
        r"(?i:\bresum(?:ing|ed)\b.{0,40}(?:from|at|checkpoint|training|epoch|step))",
        r"(?i:restor(?:ing|ed) .{0,40}(?:checkpoint|states|from))",
        r"=> load(?:ed|ing) checkpoint",
        r"(?i:continuing training from)",
        r"(?i:loading (?:model )?checkpoint (?:from|at|'))",
        r"(?i:loading states from)",
        r"(?i:load(?:ed|ing) checkpoint .{0,80}(?:epoch|iteration|step))",
    ),
    fires=(
        "continuing training from epoch 12",
        "loading model checkpoint from out/ck.pt",
        "Loading states from out/checkpoint-500",
        "loading checkpoint 'last.pt' (epoch 3)",
        "Resuming training from checkpoint out/checkpoint-500",
        "Restoring states from the checkpoint path at last.ckpt",
        "=> loaded checkpoint 'model.pth.tar' (epoch 3)",
    ),
    quiet=(
        "use --resume PATH to go on",
        "restored the window size",
    ),
)
