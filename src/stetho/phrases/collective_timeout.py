"""A collective operation of several processes did not end in its time.

## What it tells
Which operation, on which rank, after how long.

## What it does not tell
Which rank did not come: the one that waits is the one that speaks.
"""

from stetho.phrase import Phrase

collective_timeout = Phrase(
    id="collective-timeout",
    says="a collective operation timed out",
    words=(
        "watchdog got stuck",
        "watchdog caught",
        "collective operation timeout",
        "timed out",
        "timeout",
        "heartbeat monitor",
    ),
    patterns=(
        r"Watchdog caught collective operation timeout",
        r"[Cc]ollective operation timeout",
        r"Timed out waiting 0ms for (?:recv|send) operation",
        r"WorkNCCL\(.{0,200}\) ran for 0 milliseconds before timing out",
        r"NCCL.{0,60}(?:timeout|timed out)",
        r"wait timeout after 0ms",
        r"ProcessGroup\w*'s watchdog got stuck",
        r"Timed out after 0 seconds waiting for clients",
        r"Timeout waiting for key",
    ),
    fires=(
        "RuntimeError: wait timeout after 300000ms, keys: /default_pg/0//cpu//0/0",
        (
            "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring "
            "enqueued collectives."
        ),
        "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.",
        "RuntimeError: Timeout waiting for key: default_pg/0/0 after 600000 ms",
        (
            "[rank1]:[E501 12:00:00.000000000 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective opera"
            "tion timeout: WorkNCCL(SeqNum=42, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran f"
            "or 600029 milliseconds before timing out."
        ),
        (
            "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 180000"
            "0ms for recv operation to complete"
        ),
    ),
    quiet=(
        "NCCL_TIMEOUT is not set",
        "requests.exceptions.ReadTimeout: HTTPSConnectionPool: Read timed out. (read timeout=10)",
    ),
    ended="SIGABRT",
    each=True,
)
