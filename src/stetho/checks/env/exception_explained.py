from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.env.broken_file_loaded import broken_one
from stetho.facts import Checkpoints, Crash
from stetho.phrases import (
    checkpoint_unreadable,
    collective_mismatch,
    collective_timeout,
    device_out_of_memory,
    disk_full,
    gpu_fault,
    host_memory_refused,
    interrupted,
    shared_memory_short,
    storage_error,
    storage_not_responding,
    versions_do_not_fit,
    worker_process_died,
)
from stetho.text.even import even

EXPLAIN = (
    checkpoint_unreadable.checkpoint_unreadable,
    collective_mismatch.collective_mismatch,
    collective_timeout.collective_timeout,
    device_out_of_memory.device_out_of_memory,
    disk_full.disk_full,
    gpu_fault.gpu_fault,
    host_memory_refused.host_memory_refused,
    interrupted.interrupted,
    shared_memory_short.shared_memory_short,
    storage_error.storage_error,
    storage_not_responding.storage_not_responding,
    versions_do_not_fit.versions_do_not_fit,
    worker_process_died.worker_process_died,
)


@check(
    reads=Crash,
    also=(Checkpoints,),
    root="what the exception says",
    background=0.02,
    given={
        "env/device-oom": 0.95,
        "env/disk-full": 0.95,
        "env/worker-crash": 0.95,
        "env/version-mismatch": 0.93,
        "env/checkpoint-corrupt": 0.95,
        "env/slow-storage": 0.85,
        "env/gpu-fault": 0.7,
        "env/host-oom": 0.9,
        "env/killed": 0.5,
        "env/hang": 0.6,
        "dist/collective-mismatch": 0.8,
        "other/unlisted": 0.05,
        "env/exception": 0.02,
    },
    fires={
        "a full disk": {"crash": {"exception": "OSError", "message": "[Errno 28] No space left on device"}},
        "versions": {"crash": {"exception": "RuntimeError", "message": "operator torchvision::nms does not exist"}},
        "a file that is cut": {
            "crash": {
                "exception": "OSError",
                "message": "[Errno 22] Invalid argument",
                "calls": ["torch/serialization.py load"],
            },
            "checkpoints": {"found": [{"format": "torch", "state": "truncated", "file": "ckpt/step_300.pt"}]},
        },
    },
    quiet={"an ordinary one": {"crash": {"exception": "KeyError", "message": "lr"}}},
)
def exception_explained(crash: Crash, checkpoints: Checkpoints | None) -> Iterator[Finding]:
    """The exception says in known words what is wrong around the program, or the file that it was raised for shows it.

    ## Why it matters
    An exception that a cause of its own explains is no ordinary one.

    ## False alarms
    A program that raises such words itself.
    """
    where = (crash.where,) if crash.where else ()
    broken = broken_one(checkpoints, crash) if checkpoints is not None else None
    if broken is not None:
        yield Finding(f"{broken.file} is {broken.state}: {crash.exception}: {crash.message}", where=where)
        return
    said = even(f"{crash.exception}: {crash.message}".encode()).decode("utf-8", "backslashreplace")
    for phrase in EXPLAIN:
        if phrase.said_in(said):
            yield Finding(
                f"{phrase.says}: {crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ()
            )
            return
