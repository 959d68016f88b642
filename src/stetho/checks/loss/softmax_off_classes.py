from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import PlainLoss

MEETING = {
    "operation": "mul", "where": {"file": "train.py", "line": 41}, "looked_at": 6, "shape": [16, 3, 32, 32],
    "data_shape": [16, 3, 32, 32], "result_shape": [16, 3, 32, 32], "whole": True, "data_low": 0.0, "data_high": 1.0,
}  # fmt: skip
OFF = {"softmax_axis": 3, "class_axis": 1, "softmax_at": [{"file": "train.py", "line": 39}]}


@check(
    reads=PlainLoss,
    root="loss-targets",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={
        "over the columns of an image": {"meetings": [{**MEETING, **OFF, "softmax_off": 6}]},
        "over the samples": {"meetings": [{**MEETING, **OFF, "softmax_axis": 0, "softmax_off": 6}]},
    },
    quiet={
        "over the classes": {"meetings": [MEETING]},
        "once, in a batch that happens to look like it": {"meetings": [{**MEETING, **OFF, "softmax_off": 1}]},
    },
)
def softmax_off_classes(plain: PlainLoss, *, least: int = 2, share: float = 0.9) -> Iterator[Finding]:
    """A softmax in the loss goes along another axis than the one along which the labels name a class.

    ## Why it matters
    Places of an image, or samples of a batch, then compete for each class, and the classes of one place do not: what
    the loss asks for is not that the right class is the likeliest.

    ## False alarms
    Attention, pooling and places that are softly chosen have a softmax along other axes by right; they do not meet
    labels that hold a single one along the axis of the classes. Pairs, where each row and each column has its one, are
    left alone.
    """
    for one in plain.meetings:
        if one.softmax_axis is None or one.class_axis is None or one.softmax_off < max(least, share * one.looked_at):
            continue
        at = one.softmax_at[0] if one.softmax_at else one.where
        what = " (the samples)" if one.softmax_axis == 0 else ""
        yield Finding(
            f"the softmax at {at} goes along axis {one.softmax_axis}{what}, and the labels that it meets at "
            f"{one.where} name a class along axis {one.class_axis}",
            where=tuple(dict.fromkeys(p for p in (at, one.where) if p is not None)),
        )
