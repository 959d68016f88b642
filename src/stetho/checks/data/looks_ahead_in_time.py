from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Overlap, SeriesWindows

SPLIT_BY_LOT = {
    "length": 32, "trained": 900, "among_trained": 890, "held_out": 200, "among_held_out": 190, "shared": 0.9,
}  # fmt: skip
ONE_AFTER_THE_OTHER = {**SPLIT_BY_LOT, "among_held_out": 6}
TRAINED_ON = {
    "evaluated": 400, "held_out": 400, "shared": 260, "trained": 3000, "known": 0.98, "expected": 0.0, "passes": 8,
}  # fmt: skip


@check(
    reads=SeriesWindows,
    also=Overlap,
    root="windows-in-time",
    background=0.005,
    fires={
        "windows were dealt out by lot": {"series-windows": SPLIT_BY_LOT},
        "the window ends with what is to be predicted": {
            "series-windows": {**ONE_AFTER_THE_OTHER, "target_at": 31, "places": 32},
        },
    },
    quiet={
        "held-out time comes after the training's": {"series-windows": ONE_AFTER_THE_OTHER},
        "nothing is held out": {"series-windows": {**SPLIT_BY_LOT, "held_out": 0, "among_held_out": 0}},
        "the held-out windows themselves were trained on": {"series-windows": SPLIT_BY_LOT, "overlap": TRAINED_ON},
    },
)
def looks_ahead_in_time(
    windows: SeriesWindows, overlap: Overlap | None, *, share: float = 0.15, least: int = 12
) -> Iterator[Finding]:
    """Held-out windows of a series overlap those of training, or a window holds the value that it is to predict.

    ## Why it matters
    Windows that overlap are near copies of each other: dealt out by lot, each held-out one has been learned in parts.
    In use the future is not there, neither in the training data nor in the window.

    ## False alarms
    Where one stretch of time follows on the other, the windows at the border overlap; these are few. Where held-out
    samples themselves were trained on, so were their neighbours in time: that is another fault, and told by itself.
    """
    if windows.target_at is not None:
        yield Finding(
            f"number {windows.target_at} of {windows.places} of each window is the target itself, in other units or as "
            "it is"
        )
    again = overlap is not None and overlap.held_out > 0 and overlap.shared > share * overlap.held_out
    if not again and windows.among_held_out >= max(least, share * windows.held_out):
        yield Finding(
            f"{windows.among_held_out} of {windows.held_out} held-out windows have {windows.shared:.0%} of their "
            "values in common with a training window, in another place"
        )
