from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0,
    "target_dtype": "float32",
}  # fmt: skip


@check(
    reads=LossInputs,
    root="loss-targets",
    background=0.01,
    given={"other/unlisted": 0.01, "data/label-encoding": 0.06},
    fires={
        "real numbers": {
            "sites": [{**SITE, "not_shares": 12, "shape": [32, 1], "target_shape": [32, 1], "classes": 1}]
        },
        "any number of tags": {
            "sites": [{**SITE, "not_shares": 12, "shape": [32, 8], "target_shape": [32, 8], "classes": 8}]
        },
    },
    quiet={
        "classes by number": {"sites": [{**SITE, "target_dtype": "int64", "shape": [32, 8], "target_shape": [32]}]},
        "mixed or smoothed labels": {"sites": [{**SITE, "not_shares": 0, "shape": [32, 8], "target_shape": [32, 8]}]},
        "squared error": {"sites": [{**SITE, "function": "mse_loss", "shape": [32, 1], "target_shape": [32, 1]}]},
        "one odd batch": {"sites": [{**SITE, "not_shares": 1, "shape": [32, 8], "target_shape": [32, 8]}]},
    },
)  # fmt: skip
def numbers_as_shares(losses: LossInputs, *, least: int = 3) -> Iterator[Finding]:
    """Cross-entropy gets targets that are numbers and no shares of classes: they do not sum to one.

    ## Why it matters
    Cross-entropy weighs the classes against each other: it is for one class of several, or for shares that sum to one.
    For real numbers, or any number of tags at once, its best answer is another one than wanted, and with a single
    output it is zero whatever the answer.

    ## False alarms
    Mixed and smoothed labels sum to one, and are left alone.
    """
    for site in losses.sites:
        if not site.trained or site.function != "cross_entropy" or site.looked_at < least or not site.not_shares:
            continue
        if site.not_shares >= 0.9 * site.looked_at:
            yield Finding(
                f"cross_entropy at {site.where} is given targets of shape {site.target_shape} from "
                f"{site.target_low} to {site.target_high} that are no shares of {site.classes} classes",
                where=(site.where,) if site.where else (),
            )
