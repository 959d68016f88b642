from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import ResourceLimits


@check(
    reads=ResourceLimits,
    root="open files",
    background=0.01,
    fires={"a leak of handles": {"files_max": 1024, "files": 1000}},
    quiet={"many workers": {"files_max": 1024, "files": 310}, "unlimited": {"files": 90_000}},
    given={"none/healthy": 0.005},
)
def open_files_near_limit(limits: ResourceLimits, *, share: float = 0.9) -> Iterator[Finding]:
    """The process holds nearly as many files open as it may.

    ## Why it matters
    The next file, pipe or batch that is shared between processes fails with "Too many open files".

    ## False alarms
    A program that opens all its files at the start and no more.
    """
    if limits.files_max and limits.files is not None and limits.files >= share * limits.files_max:
        yield Finding(f"{limits.files} of {limits.files_max} files are open; `ulimit -n` sets the limit")
