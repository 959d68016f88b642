from collections.abc import Iterator

from stetho.amounts import duration, size
from stetho.check import Finding, check
from stetho.facts import Disks

GB = 1 << 30
PLACE = {"path": "/data/run", "use": "run", "free": 300 << 20, "total": 900 * GB}


@check(
    reads=Disks,
    root="disk free",
    background=0.01,
    fires={
        "a few hundred megabytes": {"places": [PLACE]},
        "no inodes": {"places": [{**PLACE, "free": 400 * GB, "inodes_free": 12, "inodes_total": 60_000_000}]},
        "quota used up": {"places": [{**PLACE, "free": 400 * GB, "quota_used": 50 * GB, "quota_limit": 50 * GB}]},
        "full in minutes": {"places": [{**PLACE, "free": 20 * GB}], "size": 80 * GB, "growth": 80e6, "watched": 1.0},
    },
    quiet={
        "an image that is mounted": {"places": [{**PLACE, "free": 0, "total": 1 << 28, "read_only": True}]},
        "plenty": {"places": [{**PLACE, "free": 200 * GB}], "size": 9, "growth": 0.0, "watched": 1.0},
        "a small tmpfs, half empty": {"places": [{**PLACE, "kind": "tmpfs", "free": 32 << 20, "total": 64 << 20}]},
        "a checkpoint is being written": {
            "places": [{**PLACE, "free": 300 * GB}],
            "size": GB,
            "growth": 5e8,
            "watched": 1.0,
        },
        "a disk that is small and nearly empty": {"places": [{**PLACE, "free": 900 << 20, "total": GB}]},
    },
    given={"none/healthy": 0.01, "env/disk-full": 0.7},
)
def disk_nearly_full(disks: Disks, *, share: float = 0.02, least: int = 2 * GB) -> Iterator[Finding]:
    """A disk that the run writes to has next to no room left.

    ## Why it matters
    The next checkpoint or log line fails, and may leave a file that is cut short.

    ## False alarms
    Runs that write little can go on for long. Small disks count by their share; growth counts when minutes are left.
    """
    for one in disks.places:
        told = f"{one.path} ({one.kind or 'disk'})"
        if one.read_only:
            continue  # images that are mounted are full by nature
        if one.total and one.free < min(least, share * one.total if one.total > 100 * GB else 0.05 * one.total):
            yield Finding(f"{told} has {size(one.free)} of {size(one.total)} left")
        elif one.inodes_total and (one.inodes_free or 0) < 0.005 * one.inodes_total and (one.inodes_free or 0) < 10_000:
            yield Finding(f"{told} can take only {one.inodes_free} more files (inodes)")
        elif one.quota_limit and (one.quota_used or 0) > 0.99 * one.quota_limit:
            yield Finding(f"{told}: the quota of {size(one.quota_limit)} is used up")
        elif one.use == "run" and disks.growth and one.free / disks.growth < 600 and one.free < 0.1 * one.total:
            left = duration(one.free / disks.growth)
            yield Finding(f"{told} is full in {left} if the folder goes on growing by {size(disks.growth)}/s")
