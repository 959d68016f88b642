from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import DataFiles
from stetho.files.caches import kept_results

RAW = {"file": "raw/mar.csv", "read": 2, "step": 0}
OLD = [{"file": f"cache/{month}.npz", "read": n, "step": 0} for n, month in enumerate(("jan", "feb"))]
NEW = {"file": "cache/mar.npz", "read": None, "written": True, "step": 0}


@check(
    reads=DataFiles,
    root="kept-results",
    background=0.02,
    fires={"two months from the cache, the third made now": {"files": [*OLD, RAW, NEW]}},
    quiet={
        "all from the cache, nothing made": {"files": OLD},
        "all made now": {"files": [RAW, NEW]},
        "made now and read back": {"files": [RAW, {**NEW, "read": 3}]},
        "a checkpoint read at the start, others written later": {
            "files": [
                {"file": "runs/last.pt", "read": 0, "step": 0},
                {"file": "runs/epoch2.pt", "read": None, "written": True, "step": 200},
            ]
        },
        "a report beside the data": {"files": [RAW, {**NEW, "file": "raw/report.txt"}]},
    },
)
def kept_results_used(files: DataFiles) -> Iterator[Finding]:
    """Some of the data comes from files that an earlier run made, and some is made now.

    ## Why it matters
    What was kept was made by the code of its day. Where that has changed since, the two do not fit together.

    ## False alarms
    A cache that is up to date. Without it the run is the same, only later.
    """
    kept = kept_results(files)
    if kept:
        more = f" and {len(kept) - 1} more" if len(kept) > 1 else ""
        yield Finding(
            f"{kept[0].file}{more} were made by an earlier run, others of the kind by this one",
            where=tuple(Place(one.file) for one in kept[:6]),
        )
