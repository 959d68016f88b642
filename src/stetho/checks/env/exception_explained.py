from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash
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
        "env/host-oom": 0.6,
        "env/killed": 0.5,
        "env/hang": 0.6,
        "dist/collective-mismatch": 0.8,
        "other/unlisted": 0.05,
        "env/exception": 0.02,
    },
    fires={
        "a full disk": {"exception": "OSError", "message": "[Errno 28] No space left on device"},
        "versions": {"exception": "RuntimeError", "message": "operator torchvision::nms does not exist"},
    },
    quiet={"an ordinary one": {"exception": "KeyError", "message": "lr"}},
)
def exception_explained(crash: Crash) -> Iterator[Finding]:
    """The exception says in known words what is wrong around the program.

    ## Why it matters
    An exception that a cause of its own explains is no ordinary one.

    ## False alarms
    A program that raises such words itself.
    """
    said = even(f"{crash.exception}: {crash.message}".encode()).decode("utf-8", "backslashreplace")
    for phrase in EXPLAIN:
        if phrase.said_in(said):
            yield Finding(
                f"{phrase.says}: {crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ()
            )
            return
