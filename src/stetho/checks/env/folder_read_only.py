from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Disks

PLACE = {"path": "/data/run", "use": "run", "free": 1 << 33, "total": 1 << 40, "mount": "/data", "kind": "ext4"}


@check(
    reads=Disks,
    root="disk read-only",
    background=0.01,
    fires={"remounted after an error": {"places": [{**PLACE, "read_only": True}]}},
    quiet={
        "writable": {"places": [PLACE]},
        "another user's folder": {"places": [{**PLACE, "writable": False}]},
    },
    given={"none/healthy": 0.005},
)
def folder_read_only(disks: Disks) -> Iterator[Finding]:
    """A folder that the run writes to is on a file system that is mounted read-only.

    ## Why it matters
    Logs and checkpoints cannot be written; kernels make a file system read-only when it is damaged.

    ## False alarms
    A finished run that is looked at on a read-only copy.
    """
    for one in disks.places:
        if one.read_only:
            yield Finding(f"{one.path} cannot be written to: {one.kind} on {one.mount} is mounted read-only")
