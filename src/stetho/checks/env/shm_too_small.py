from collections.abc import Iterator

from stetho.amounts import size
from stetho.check import Finding, check
from stetho.facts import ResourceLimits

MB = 1 << 20


@check(
    reads=ResourceLimits,
    root="shared memory",
    background=0.01,
    fires={
        "a container's default, with workers": {"shm_size": 64 * MB, "shm_used": 3 * MB, "loaders": 4},
        "full": {"shm_size": 16_384 * MB, "shm_used": 16_300 * MB},
    },
    quiet={
        "a container's default, without workers": {"shm_size": 64 * MB, "shm_used": 0},
        "half of a large machine": {"shm_size": 128_000 * MB, "shm_used": 60_000 * MB, "loaders": 16},
    },
    given={"none/healthy": 0.005, "env/worker-crash": 0.3},
)
def shm_too_small(limits: ResourceLimits, *, small: int = 64 * MB, full: float = 0.95) -> Iterator[Finding]:
    """Shared memory, through which loader workers hand over batches, is tiny or full.

    ## Why it matters
    A worker that finds no room dies of a bus error, and the training loop with it.

    ## False alarms
    Small batches fit through 64 MB; without workers its size does not matter and is not counted.
    """
    if not limits.shm_size or limits.shm_used is None:
        return
    if limits.shm_used >= full * limits.shm_size:
        yield Finding(f"/dev/shm is full: {size(limits.shm_used)} of {size(limits.shm_size)}")
    elif limits.shm_size <= small and limits.loaders:
        yield Finding(
            f"/dev/shm has only {size(limits.shm_size)} for {limits.loaders} loader workers; --shm-size sets it"
        )
