from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import NonfiniteOrigin

ROOTS = (
    "sqrt", "sqrt_", "rsqrt", "norm", "linalg_vector_norm", "linalg_norm", "vector_norm", "euclidean_dist", "cdist",
    "std", "frobenius_norm", "pairwise_distance", "hypot",
)  # fmt: skip
POWERS = ("pow", "float_power", "rpow")
AT_ZERO = {"step": 12, "operation": "sqrt", "input_zeros": 3, "input_size": 640, "input_min": 0.0}


@check(
    reads=NonfiniteOrigin,
    root="nonfinite-origin: a root",
    background=0.02,
    supplied_by="close-look",
    fires={
        "its gradient": {**AT_ZERO, "phase": "backward"},
        "one over a root": {**AT_ZERO, "operation": "rsqrt", "phase": "forward"},
        "a power below one": {**AT_ZERO, "operation": "pow", "phase": "backward"},
        "as autograd says it": {
            "step": 12, "operation": "sqrt", "phase": "backward",
            "told": "Function 'SqrtBackward0' returned nan values in its 0th output.",
        },
    },
    quiet={
        "another operation": {**AT_ZERO, "phase": "backward", "operation": "log"},
        "root of a negative number": {**AT_ZERO, "phase": "forward", "input_min": -0.5},
        "one over a power": {**AT_ZERO, "operation": "pow", "phase": "forward"},
        "no zero goes in": {**AT_ZERO, "phase": "backward", "input_zeros": 0, "input_min": 0.2},
    },
)  # fmt: skip
def root_at_zero(origin: NonfiniteOrigin) -> Iterator[Finding]:
    """The first NaN or Inf comes out of a square root, norm or distance at zero.

    ## Why it matters
    A root has an infinite slope at zero: the value is well, and its gradient turns everything before it into NaN.

    ## False alarms
    A root of a negative number has another reason and is not counted.
    """
    # Of powers, only those below one have a value at zero and no finite slope.
    power = origin.operation in POWERS and origin.phase == "backward"
    if origin.operation not in ROOTS and not power:
        return
    if origin.told:
        yield Finding(origin.told, where=origin.places, step=origin.step)
    elif origin.input_zeros and (origin.input_min if origin.input_min is not None else 0.0) >= 0:
        yield Finding(
            f"{origin.shown} receives {origin.input_zeros} zeros among {origin.input_size} values",
            where=origin.places,
            step=origin.step,
        )
