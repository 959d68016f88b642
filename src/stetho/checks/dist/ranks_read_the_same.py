from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RankAgreement, RankSamples

SAME = {"ranks": [0, 1], "steps": 40, "same": 40, "different": 40, "batch": 16}
AGREE = {"ranks": [0, 1], "steps": 10, "parameters_differ": 0, "buffers_differ": 0}


@check(
    reads=RankSamples,
    also=RankAgreement,
    root="samples of the ranks",
    background=0.01,
    given={"dist/same-data": 0.96, "none/healthy": 0.01, "other/unlisted": 0.02},
    fires={
        "every batch": {"rank-samples": SAME},
        "one part of the data, each in an order of its own": {
            "rank-samples": {**SAME, "same": 0, "shared": 0.97, "shared_of": 400}
        },
        "and the same parameters": {"rank-samples": SAME, "rank-agreement": AGREE},
    },
    quiet={
        "each rank its own": {"rank-samples": {**SAME, "same": 0, "shared": 0.02, "shared_of": 400}},
        "each draws of all by lot": {"rank-samples": {**SAME, "same": 0, "shared": 0.4, "shared_of": 400}},
        "the whole data in each step": {"rank-samples": {**SAME, "different": 1}},
        "by chance, of few": {"rank-samples": {**SAME, "steps": 4, "same": 4, "different": 4}},
        "parts of one model": {"rank-samples": SAME, "rank-agreement": {**AGREE, "parameters_differ": 10}},
        "some batches that all share": {"rank-samples": {**SAME, "same": 20}},
        "models of another size each": {"rank-samples": {**SAME, "one_model": False}},
    },
)
def ranks_read_the_same(
    samples: RankSamples, agreement: RankAgreement | None, *, least: int = 8, part: float = 0.8
) -> Iterator[Finding]:
    """All ranks train on the same samples, in every step or in the same pass over the data.

    ## Why it matters
    Their gradients are the same, and so is the mean of them: all ranks but one work for nothing, and where the data was
    to be shared out, the rest of it is never seen.

    ## False alarms
    Ranks that hold parts of one model, or a model each, are given the same samples on purpose; their parameters differ.
    """
    if not samples.one_model or (agreement is not None and agreement.parameters_differ):
        return
    if samples.shared is not None and samples.shared >= part and samples.same < samples.steps:
        yield Finding(
            f"{len(samples.ranks)} ranks share {samples.shared:.0%} of the samples of their first pass over the data "
            f"({samples.shared_of} compared), each in its own order"
        )
    if samples.steps < least or samples.same < samples.steps or samples.different < least:
        return
    yield Finding(f"{len(samples.ranks)} ranks have the same samples in all {samples.steps} steps compared")
