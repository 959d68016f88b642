"""numpy warns that something was divided by zero.

## What it tells
That an infinite number or a NaN came out of it, and on which line.

## What it does not tell
Whether that number is part of the loss: a measure of quality may meet it in passing.
"""

from stetho.phrase import Phrase

division_by_zero_warned = Phrase(
    id="division-by-zero-warned",
    says="it warns of a division by zero",
    words=("divide by zero", "invalid value"),
    patterns=(
        r"divide by zero encountered in (?:true_divide|divide|scalar divide|double_scalars|long_scalars|reciprocal)",
        r"invalid value encountered in (?:true_divide|divide|scalar divide|double_scalars|long_scalars)",
    ),
    fires=(
        "/home/me/train.py:9: RuntimeWarning: divide by zero encountered in true_divide",
        "norm.py:12: RuntimeWarning: invalid value encountered in scalar divide",
    ),
    quiet=(
        "train.py:9: RuntimeWarning: divide by zero encountered in log",
        "train.py:9: RuntimeWarning: invalid value encountered in multiply",
    ),
)
