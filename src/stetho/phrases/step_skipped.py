"""A step was left out because its gradient was not finite.

## What it tells
That the loss scale of mixed precision is being lowered.

## What it does not tell
That anything is wrong: at the start, and now and then, it is expected.
"""

from stetho.phrase import Phrase

step_skipped = Phrase(
    id="step-skipped",
    says="steps were skipped for gradients that are not finite",
    words=(
        "overflow",
        "skipping step",
        "skipping update",
        "loss scale",
        "gradient overflow",
    ),
    patterns=(
        r"OVERFLOW!",
        r"[Gg]radient overflow",
        r"[Ss]kipping (?:step|update|optimizer step)\b",
        r"reducing (?:loss scale )?to 0",
        r"Reducing dynamic loss scale",
        r"NOTE: gradient overflow detected",
    ),
    fires=(
        "NOTE: gradient overflow detected, ignoring gradient",
        "Reducing dynamic loss scale from 65536 to 32768",
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 4294967296, reducing to 2147483648",
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0",
    ),
    quiet=("loss scale: 65536.0",),
)
