"""Processes called different collectives, or with different shapes.

## What it tells
Which ranks differ in which operation, as the checking mode of torch says it.

## What it does not tell
Which of them is right.
"""

from stetho.phrase import Phrase

collective_mismatch = Phrase(
    id="collective-mismatch",
    says="the ranks called different collectives",
    words=(
        "mismatch between collectives",
        "collectivefingerprint",
        "failed to pass monitoredbarrier",
        "monitoredbarrier",
        "is running collective",
    ),
    patterns=(
        r"Detected mismatch between collectives",
        r"CollectiveFingerPrint",
        r"(?:failed to pass|pass through) monitoredBarrier",
        r"is running collective: .{0,200}but Rank 0 is running",
    ),
    fires=(
        (
            "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: Collecti"
            "veFingerPrint(SequenceNumber=5, OpType=ALLREDUCE), but Rank 1 is running collective: CollectiveFinge"
            "rPrint(SequenceNumber=5, OpType=BROADCAST)."
        ),
        "RuntimeError: Rank 1 failed to pass monitoredBarrier in 1000 ms",
    ),
    quiet=("rank 0 is running", "Rank 1 did not reach the barrier within 600 seconds"),
    ended="error",
)
