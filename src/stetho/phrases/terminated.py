"""A process was asked to end by SIGTERM.

## What it tells
That the end came from outside.

## What it does not tell
Who sent the signal: a scheduler, a launcher whose other rank had died, or a person.
"""

from stetho.phrase import Phrase

terminated = Phrase(
    id="terminated",
    says="a process was terminated (SIGTERM)",
    words=(
        "sigterm",
        "terminated",
        "death signal",
        "got signal",
        "signalexception",
    ),
    patterns=(
        r"line 0: 0 Terminated ",
        r"^Terminated$",
        r"[Rr]eceived (?:signal )?SIGTERM",
        r"[Cc]aught SIGTERM",
        r"got SIGTERM",
        r"Bypassing SIGTERM",
        r"\(SIGTERM\) received by PID",
        r"Received 0 death signal",
        r"task 0: Terminated",
        r"got signal: 0$",
        r"Signals\.SIGTERM",
    ),
    fires=(
        "Caught SIGTERM, leaving",
        "worker got SIGTERM",
        "Bypassing SIGTERM: 15",
        "traceback : Signal 15 (SIGTERM) received by PID 4711",
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 4711 got signal: 15",
        "died with <Signals.SIGTERM: 15>",
        "./run.sh: line 3:  4711 Terminated              python train.py",
        "Terminated",
        "WARNING:torch.distributed.elastic.agent.server.api:Received 15 death signal, shutting down workers",
        "2024-05-01 12:00:00 Received SIGTERM, saving a checkpoint and leaving",
        "srun: error: node01: task 0: Terminated",
    ),
    quiet=(
        "Sending process 4711 closing signal SIGTERM",
        "the episode terminated after 200 steps",
    ),
    ended="SIGTERM",
)
