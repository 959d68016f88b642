"""numpy warns that a logarithm was taken at zero.

## What it tells
That an infinite number came out of it, and on which line.

## What it does not tell
Whether that number is part of the loss: a measure of quality may meet it in passing.
"""

from stetho.phrase import Phrase

log_of_zero_warned = Phrase(
    id="log-of-zero-warned",
    says="it warns of the logarithm of zero",
    words=("divide by zero",),
    patterns=(r"divide by zero encountered in log",),
    fires=(
        "/home/me/train.py:9: RuntimeWarning: divide by zero encountered in log",
        "metrics.py:31: RuntimeWarning: divide by zero encountered in log10",
    ),
    quiet=(
        "train.py:9: RuntimeWarning: divide by zero encountered in divide",
        "loss 0.3",
    ),
)
