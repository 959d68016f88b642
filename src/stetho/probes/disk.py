import os
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from stetho.amounts import size
from stetho.facts import DiskPlace, Disks
from stetho.newest import walk
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import text_of, whole
from stetho.relatives import below, environment_of
from stetho.tool import ask

APART = 1.0
MOUNTS = (
    "22 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:5 - proc proc rw\n"
    "28 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
    "91 28 0:52 / /mnt/my\\040data ro,relatime shared:49 - nfs4 filer:/vol/data rw,vers=4.2,hard,timeo=600\n"
)
QUOTA = """Disk quotas for user alice (uid 1000):
     Filesystem   space   quota   limit   grace   files   quota   limit   grace
filer:/vol/home  52428800* 50000000 55000000       3   120234       0       0       0
      /dev/sda1       0       0       0       0       0       0       0       0
"""


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo."""

    point: str
    kind: str
    device: str
    read_only: bool


@dataclass(frozen=True)
class Quota:
    """One line of `quota`, in bytes; a limit of none is no limit."""

    device: str
    used: int
    limit: int | None


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """The mounts of /proc/self/mountinfo."""
    found = []
    for line in text.split("\n"):
        left, dash, right = line.partition(" - ")
        one, other = left.split(" "), right.split(" ")
        if dash and len(one) >= 6 and len(other) >= 3:
            options = {*one[5].split(","), *other[2].split(",")}
            found.append(Mount(_unescaped(one[4]), other[0], _unescaped(other[1]), "ro" in options))
    return tuple(found)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def parse_quota(text: str) -> tuple[Quota, ...]:
    """What `quota -wp` prints: kilobytes used, soft and hard limit."""
    found = []
    for line in text.split("\n"):
        words = line.split()
        if len(words) >= 4 and (used := whole(words[1].rstrip("*"))) is not None:
            limits = [limit for word in words[2:4] if (limit := whole(word))]
            found.append(Quota(words[0], used * 1024, max(limits) * 1024 if limits else None))
    return tuple(found)


@probe(
    gives=Disks,
    reads="statvfs and /proc/self/mountinfo for the folder and TMPDIR, quota -wp, sizes of the folder's files, twice",
    limit=2.1,
    instead="df -h DIR; df -i DIR; quota -s; findmnt -T DIR",
    examples={
        "a read-only network disk": Example(
            MOUNTS,
            parse_mounts,
            (
                Mount("/proc", "proc", "proc", False),
                Mount("/", "ext4", "/dev/sda1", False),
                Mount("/mnt/my data", "nfs4", "filer:/vol/data", True),
            ),
        ),
        "over the soft quota": Example(
            QUOTA,
            parse_quota,
            (Quota("filer:/vol/home", 52428800 * 1024, 55000000 * 1024), Quota("/dev/sda1", 0, None)),
        ),
    },
)
def disk(target: Target) -> Iterator[Piece]:
    """Room, inodes, quota and kind of the disks that the run writes to, and how fast its folder grows.

    ## What it reads
    The file systems of the run's folder and of the trainer's temporary one; the folder's files twice, a second apart.

    ## What it leaves
    Quotas that only the file server knows. Folders with very many files are not measured to the end.
    """
    begun = time.monotonic()
    first = walk(target.folder, 0.5)
    asked = ask("quota", "-wp", limit=0.8)
    quotas = parse_quota(asked.out) if asked.ok else ()
    mounts = parse_mounts(text_of("/proc/self/mountinfo") or "")
    environment = environment_of(target.trainer) if target.trainer is not None else {}
    temporary = environment.get("TMPDIR") or tempfile.gettempdir()
    places = []
    for path, use in ((str(target.folder), "run"), (temporary, "temporary")):
        try:
            places.append(_place(path, use, mounts, quotas))
        except OSError as error:
            yield Unknown(f"disk of {path}", str(error.strerror or error), f"df -h {path}", f"statvfs {path}")
    if not places:
        return
    time.sleep(max(0.0, APART - (time.monotonic() - begun)))
    watched = time.monotonic() - begun
    second = walk(target.folder, 0.5)
    whole_folder = first.whole and second.whole
    before, after = (sum(one.size for one in look.entries) for look in (first, second))
    growth = max(0, after - before) / watched if whole_folder else None
    fact = Disks(tuple(places), after if whole_folder else None, growth, round(watched, 2))
    read = f"statvfs {target.folder}, statvfs {temporary}, /proc/self/mountinfo, lstat of {len(second.entries)} files"
    read += f", {asked.command}" if asked.ok else ""
    grows = f"; the folder has {size(after)}" if growth is not None else ""
    grows += f" and grows by {size(growth)}/s" if growth else ""
    yield Seen(fact, f"{size(places[0].free)} of {size(places[0].total)} free{grows}", read, tuple(_lines(places)))


def _place(path: str, use: str, mounts: tuple[Mount, ...], quotas: tuple[Quota, ...]) -> DiskPlace:
    real = os.path.realpath(path)
    known = os.statvfs(real)
    # Of several mounts on one point, the last one is what is seen.
    around = [(len(one.point), number) for number, one in enumerate(mounts) if below(real, one.point)]
    mount = mounts[max(around)[1]] if around else None
    place = DiskPlace(
        path=path,
        use=use,
        free=known.f_bavail * known.f_frsize,
        total=known.f_blocks * known.f_frsize,
        inodes_free=known.f_favail if known.f_files else None,
        inodes_total=known.f_files or None,
        read_only=bool(known.f_flag & os.ST_RDONLY),
        writable=os.access(real, os.W_OK),
    )
    if mount is None:
        return place
    quota = next((one for one in quotas if one.device == mount.device and one.limit), None)
    return replace(
        place,
        mount=mount.point,
        kind=mount.kind,
        device=mount.device,
        read_only=place.read_only or mount.read_only,
        quota_used=quota.used if quota else None,
        quota_limit=quota.limit if quota else None,
    )


def _lines(places: list[DiskPlace]) -> Iterator[str]:
    first = places[0]
    for one in places:
        if one is not first and (one.mount, one.device, one.quota_limit) == (first.mount, first.device, None):
            yield f"{one.use} {one.path}: on the same disk"
        else:
            yield _line(one)


def _line(one: DiskPlace) -> str:
    parts = [f"{size(one.free)} of {size(one.total)} free ({100 * one.free / one.total if one.total else 0:.0f} %)"]
    if one.inodes_total:
        parts.append(f"{100 * (one.inodes_free or 0) / one.inodes_total:.0f} % of inodes free")
    parts += [f"quota {size(one.quota_used)} of {size(one.quota_limit)}"] * (one.quota_limit is not None)
    parts += ["read-only"] * one.read_only + ["not writable for this user"] * (one.writable is False)
    return f"{one.use} {one.path}: {one.kind or 'unknown kind'} on {one.mount or '?'}, {', '.join(parts)}"
