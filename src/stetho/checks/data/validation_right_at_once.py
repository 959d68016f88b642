from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.too_good import curves, too_good
from stetho.facts import Metrics


@check(
    reads=Metrics,
    root="scores",
    background=0.03,
    fires={"almost perfect from the first epoch on": curves([0.999, 0.9993, 1.0], [0.006, 0.004, 0.002])},
    quiet={"learned step by step": curves([0.81, 0.9, 0.95], [0.6, 0.3, 0.2])},
)
def validation_right_at_once(metrics: Metrics) -> Iterator[Finding]:
    """What was held back is answered right and with certainty before the model has had time to learn.

    ## Why it matters
    Certainty on new data after one look can only come from the data: the answer is in the input, or the same samples
    are on both sides.

    ## False alarms
    A task that is trivial, and a model that was trained before.
    """
    yield from (Finding(found.message, step=found.step) for found in too_good.function(metrics))
