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
        "step skipped",
        "skipped step",
        "skip step",
    ),
    patterns=(
        r"OVERFLOW!",
        r"[Gg]radient overflow",
        r"[Ss]kipping (?:step|update|optimizer step)\b",
        r"reducing (?:loss scale )?to 0",
        r"Reducing dynamic loss scale",
        r"NOTE: gradient overflow detected",
        r"(?i:\b(?:step|update|iteration) (?:was |is |has been )?skipped\b.{0,60}\bscale)",
        r"(?i:\b(?:inf|nan|overflow|non-?finite)\b.{0,60}\bskip(?:ped|ping|s)?\b.{0,30}\b(?:step|update|iteration)\b)",
        r"(?i:\b(?:inf|nan|overflow|non-?finite)\b.{0,60}\b(?:step|update|iteration) skipped)",
        r"(?i:(?:lower|reduc|decreas|halv|backing off)\w* (?:the )?(?:loss|grad|gradient|amp) ?scal(?:e|er|ing)\b)",
    ),
    fires=(
        "NOTE: gradient overflow detected, ignoring gradient",
        "Reducing dynamic loss scale from 65536 to 32768",
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 4294967296, reducing to 2147483648",
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0",
        "WARNING: inf in gradients, step skipped, scale -> 4096.0",
        "GradScaler: lowering loss scale to 128.0",
    ),
    quiet=("loss scale: 65536.0", "skipped 3 corrupt images", "number of skipped iterations: 0"),
)
