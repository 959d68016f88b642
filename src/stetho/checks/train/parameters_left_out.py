from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Coverage


@check(
    reads=Coverage,
    root="optimizer-coverage",
    background=0.02,
    fires={
        "the body": {"reached": 1000, "left_out": 900, "names": ["Net.body.weight"]},
        "thawed for nothing": {"reached": 1000, "left_out": 900, "names": ["Net.body.weight"], "thawed_at": 120},
    },
    quiet={
        "all held": {"reached": 1000, "left_out": 0},
        "loaded weights left as they are": {"reached": 1000, "left_out": 900, "loaded": True},
    },
)
def parameters_left_out(coverage: Coverage) -> Iterator[Finding]:
    """The loss sends gradients to parameters that no optimizer holds.

    ## Why it matters
    They keep their initial random values: part of the model never learns.

    ## False alarms
    A linear probe on loaded weights leaves the body out on purpose; parameters filled by load_state_dict
    are not counted. Frozen parameters get no gradient and are not seen here, until they are thawed: from then on they
    must have gradients, stand still for a dozen steps and be in no optimizer.
    """
    if coverage.left_out and not coverage.loaded:
        share = coverage.left_out / coverage.reached
        names = ", ".join(coverage.names[:3]) + (" …" if len(coverage.names) > 3 else "")
        # Out of reach of every name at the optimizer's line: then the place to look is where they were built.
        built = coverage.made_at if not coverage.covering else ()
        places = (
            *coverage.unregistered,
            *built,
            *((coverage.optimizer_at,) if coverage.optimizer_at else ()),
        )
        yield Finding(
            f"{coverage.left_out} of {coverage.reached} parameters that the loss reaches ({share:.0%}) are in no "
            f"optimizer: {names}"
            + (f"; thawed at about step {coverage.thawed_at}" if coverage.thawed_at is not None else ""),
            where=places,
        )
