from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import DataFiles
from stetho.files.caches import in_use

CACHE = {"file": "cache/train.pt", "read": 0, "step": 0, "remade": True}


@check(
    reads=DataFiles,
    root="kept-results",
    background=0.025,
    fires={"made only where it is not there": {"files": [CACHE]}},
    quiet={
        "made by this run": {"files": [{**CACHE, "written": True}]},
        "a file like others": {"files": [{**CACHE, "remade": False}]},
        "not read": {"files": [{**CACHE, "read": None}]},
    },
)
def cache_in_use(files: DataFiles) -> Iterator[Finding]:
    """Data is read from a file that the program makes only where there is none.

    ## Why it matters
    Such a file was made by the code and the settings of its day, and nothing says whether these are still the same.

    ## False alarms
    Most caches are up to date. Without one the run is the same, only later.
    """
    kept = in_use(files)
    if kept:
        more = f" and {len(kept) - 1} more" if len(kept) > 1 else ""
        yield Finding(
            f"{kept[0].file}{more} were there already; the program makes them only where they are not",
            where=tuple(Place(one.file) for one in kept[:6]),
        )
