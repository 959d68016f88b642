"""NCCL reports an error of its own.

## What it tells
That processes could not talk to each other, or that one of them is gone.

## What it does not tell
Whether the network, a device or a peer that died is the reason.
"""

from stetho.phrase import Phrase

nccl_error = Phrase(
    id="nccl-error",
    says="NCCL reports an error",
    words=("nccl",),
    patterns=(
        r"nccl(?:System|Internal|Remote|UnhandledCuda|InvalidUsage)Error",
        r"unhandled (?:system|cuda) error.{0,40}NCCL",
        r"NCCL error",
        r"NCCL WARN .{0,200}(?:failed|error|Connection closed)",
    ),
    fires=(
        "RuntimeError: unhandled cuda error, NCCL version 2.18.1",
        (
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.c"
            "pp:1691, unhandled system error"
        ),
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "node01:4711:4712 [0] NCCL WARN Connect to 10.0.0.2<41234> failed : Connection refused",
    ),
    quiet=(
        "NCCL version 2.18.1+cuda12.1",
        "node01:4711:4711 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
    ),
)
