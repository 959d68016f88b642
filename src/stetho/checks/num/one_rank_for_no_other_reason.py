from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.num.divided_by_zero import divided_by_zero
from stetho.checks.num.exponential_overflows import exponential_overflows
from stetho.checks.num.log_at_zero import log_at_zero
from stetho.checks.num.one_rank_ahead import ran_away
from stetho.checks.num.root_at_zero import root_at_zero
from stetho.facts import LostRank, NonfiniteOrigin

# What has a name of its own, and a cure on every rank.
NAMED = (log_at_zero, divided_by_zero, root_at_zero, exponential_overflows)
LOST = {"rank": 1, "step": 30, "what": "gradient", "others": [0], "loss_raised": 1.4, "gradient_raised": 2.0,
        "read_finite": True, "again": False}  # fmt: skip
AT = {"step": 30, "operation": "mul", "phase": "forward", "input_size": 640}


@check(
    reads=LostRank,
    also=NonfiniteOrigin,
    root="which rank failed first",
    background=0.004,
    given={
        "dist/one-rank-nonfinite": 0.90,
        "data/nonfinite-values": 0.02,
        "num/half-precision": 0.02,
        "other/unlisted": 0.05,
    },
    fires={
        "the step, done again, is finite": {"lost-rank": LOST},
        "a factor of that rank's alone": {"lost-rank": {**LOST, "again": True}, "nonfinite-origin": AT},
    },
    quiet={
        "it has read NaN": {"lost-rank": {**LOST, "read_finite": False}},
        "what it has read is not known": {"lost-rank": {**LOST, "read_finite": None}},
        "a logarithm of zero": {
            "lost-rank": LOST, "nonfinite-origin": {**AT, "operation": "log", "input_zeros": 1, "input_min": 0.0},
        },
        "a division by zero": {
            "lost-rank": LOST, "nonfinite-origin": {**AT, "operation": "div", "divisor_zeros": 1},
        },
        "losses that run away": {"lost-rank": {**LOST, "loss_raised": 4e9}},
    },
)  # fmt: skip
def one_rank_for_no_other_reason(lost: LostRank, origin: NonfiniteOrigin | None) -> Iterator[Finding]:
    """One rank alone makes NaN or Inf out of finite numbers, by nothing that has a name of its own.

    ## Why it matters
    What it read is finite and its weights are those of the others: it is that rank's own code, settings or device.

    ## False alarms
    A logarithm, a root or a divisor at zero, an exponential that overflows and data that is not finite are other
    causes, whichever rank meets them first; they are looked for before this is said.
    """
    if ran_away(lost) or not lost.read_finite:
        return
    if origin is not None and any(any(True for _ in one.function(origin)) for one in NAMED):
        return
    made = f"first in {origin.shown}" if origin is not None else "and not again when the step is done once more"
    yield Finding(
        f"rank {lost.rank} alone makes NaN or Inf out of finite numbers at step {lost.step}, {made}",
        where=origin.places if origin is not None else (lost.where,) if lost.where is not None else (),
        step=lost.step,
    )
