from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {"function": "nll_loss", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0}


@check(
    reads=LossInputs,
    root="log-probabilities",
    background=0.01,
    given={"other/unlisted": 0.01},
    fires={
        "scores": {"sites": [{**SITE, "low": -4.0, "high": 6.0, "not_logs": 12}]},
        "probabilities": {"sites": [{**SITE, "low": 0.0, "high": 0.98, "not_logs": 12}]},
        "scores into a divergence": {"sites": [{**SITE, "function": "kl_div", "low": -3.0, "high": 3.0}]},
        "scores, divided by their sum and cut": {
            "sites": [{**SITE, "low": -16.1, "high": 0.0, "not_logs": 12, "off_one": 0.9}]
        },
    },
    quiet={
        "log-probabilities": {"sites": [{**SITE, "low": -9.0, "high": -0.001, "not_logs": 0}]},
        "the log of probabilities and a little more": {"sites": [{**SITE, "low": -9.0, "high": 0.001, "not_logs": 12}]},
        "scores where scores belong": {"sites": [{**SITE, "function": "cross_entropy", "low": -4.0, "high": 6.0}]},
        "only while evaluating": {"sites": [{**SITE, "low": -4.0, "high": 6.0, "trained": False}]},
        "seen once": {"sites": [{**SITE, "low": -4.0, "high": 6.0, "looked_at": 1}]},
    },
)
def log_probabilities_missing(
    losses: LossInputs, *, least: int = 3, above: float = 0.02, far: float = 0.2
) -> Iterator[Finding]:
    """A loss that expects log-probabilities receives values above zero.

    ## Why it matters
    No probability is above one, so no logarithm of it is above zero: what comes in was never normalised. The loss then
    falls for ever as scores grow, whether or not they are right.

    ## False alarms
    A small number that is added before the logarithm lifts it a little above zero; more than that is asked for.
    """
    for site in losses.sites:
        expects = site.function in ("nll_loss", "kl_div")
        if not expects or not site.trained or site.looked_at < least or site.high is None or site.low is None:
            continue
        if site.not_logs == site.looked_at and (site.off_one or 0.0) > far and site.high <= above:
            yield Finding(
                f"{site.function} at {site.where} is given numbers whose exponentials miss a sum of one by "
                f"{site.off_one:.2g}: they are no logarithms of probabilities",
                where=(*site.produced_at[:1], *((site.where,) if site.where else ())),
            )
        elif site.high > above and site.not_logs in (None, site.looked_at):
            what = "probabilities" if site.low >= 0 and site.high <= 1 else "scores"
            yield Finding(
                f"{site.function} at {site.where} is given {what} from {site.low:.3g} to {site.high:.3g}, "
                "and expects their logarithms, normalised",
                where=(site.where,) if site.where else (),
            )
