"""numpy warns that an exponential is beyond what its numbers can hold.

## What it tells
That an infinite number came out of it, and on which line.

## What it does not tell
Whether it matters: in a sigmoid, an infinite exponential gives the right zero.
"""

from stetho.phrase import Phrase

exponential_overflow_warned = Phrase(
    id="exponential-overflow-warned",
    says="it warns of an overflow in an exponential",
    words=("overflow encountered",),
    patterns=(r"overflow encountered in (?:exp|expm0|exp0|sinh|cosh)\b",),
    fires=(
        "/home/me/train.py:9: RuntimeWarning: overflow encountered in exp",
        "a.py:3: RuntimeWarning: overflow encountered in expm1",
    ),
    quiet=(
        "train.py:9: RuntimeWarning: overflow encountered in multiply",
        "train.py:9: RuntimeWarning: divide by zero encountered in log",
    ),
)
