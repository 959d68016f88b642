"""The job was ended to make room for another, or its node was taken away.

## What it tells
That nothing in the program ended it.

## What it does not tell
Whether it was started again.
"""

from stetho.phrase import Phrase

preemption = Phrase(
    id="preemption",
    says="the job was preempted or its node was lost",
    words=(
        "spot capacity",
        "interruptedbyspot",
        "evicted",
        "preempt",
        "spot instance",
        "node failure",
        "node fail",
    ),
    patterns=(
        r"Spot capacity was reclaimed",
        r"InterruptedBySpot",
        r"(?:[Ii]nstance|TPU|[Nn]ode|VM|worker) (?:was|has been|is) preempted",
        r"(?:Reason|status|STATUS): ?Evicted",
        r"DUE TO PREEMPTION",
        r"DUE TO NODE FAIL",
        r"[Jj]ob .{0,40}preempted",
        r"[Ss]pot [Ii]nstance .{0,40}(?:interrupt|terminat|reclaim)",
        r"[Pp]reemption (?:notice|signal|warning) received",
        r"instance is being preempted",
    ),
    fires=(
        "Managed Spot Training: Spot capacity was reclaimed (InterruptedBySpot)",
        "compute.instances.preempted: Instance was preempted.",
        "Stopping, as the TPU was preempted",
        "Job 4711 was preempted and requeued",
        "EC2 spot instance interruption notice received",
        "Preemption notice received, saving a checkpoint",
        "the instance is being preempted",
        "Reason: Evicted",
        "slurmstepd: error: *** JOB 4711 ON node01 CANCELLED AT 2024-05-01T12:00:00 DUE TO PREEMPTION ***",
        (
            "slurmstepd: error: *** JOB 4711 ON node07 CANCELLED AT 2024-05-01T12:00:00 DUE TO NODE FAILURE, SEE "
            "SLURMCTLD LOG FOR DETAILS ***"
        ),
    ),
    quiet=(
        "evicted 12 entries from the cache",
        "preemption is enabled for this queue",
    ),
    ended="SIGTERM",
)
