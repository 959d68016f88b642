import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(
    r"\b(nan|nans|inf|infinity|infinite(?! (loop|recurs|retr|wait))|non-?finite|not (a )?finite|isfinite|loss scale|"
    r"did not converge|invalid numeric entries|math range error|numerical result out of range|"
    r"(divide by zero|invalid value) encountered|found invalid values|"
    r"(loss|training|model|optimi[sz]ation|gradients?) (has |have )?(diverged|exploded|overflow(ed)?)|"
    r"(?<!stack )(?<!buffer )(?<!integer )(?<!heap )(?<!index )(?<!offset )overflow(ed)?)\b",
    re.IGNORECASE,
)
# What a program asks of its numbers, in the code of an assertion that says nothing else.
ASKS = re.compile(
    r"\b(isfinite|isnan|isinf|is_finite|is_nan|all_finite|check_numerics)\b|(==|!=) ?\S*\b(inf|nan)\b", re.IGNORECASE
)
# Where such a word is only the name of something.
NAMES = frozenset({
    "KeyError", "NameError", "AttributeError", "ImportError", "ModuleNotFoundError", "FileNotFoundError", "SyntaxError",
    "TypeError", "UnicodeDecodeError", "ArgumentError", "UsageError", "PermissionError", "JSONDecodeError",
})  # fmt: skip
PARSING = re.compile(
    r"could not convert string|invalid literal|invalid choice|unrecognized arg|too large to convert|to type u?int",
    re.IGNORECASE,
)


@check(
    reads=Crash,
    root="an exception about numbers",
    background=0.02,
    given={
        "env/exception": 0.02,
        "num/log-of-zero": 0.96,
        "num/sqrt-at-zero": 0.96,
        "num/division-by-zero": 0.96,
        "num/overflow": 0.96,
        "num/half-precision": 0.96,
        "num/exploding-gradients": 0.96,
        "data/nonfinite-values": 0.96,
        "dist/one-rank-nonfinite": 0.90,
        "hp/lr-too-high": 0.96,
        "hp/no-warmup": 0.96,
        "data/inputs-unnormalized": 0.90,
        "other/unlisted": 0.60,
    },
    fires={
        "anomaly mode": {"exception": "RuntimeError", "message": "Function 'LogBackward0' returned nan values"},
        "a program that looks itself": {"exception": "AssertionError", "message": "loss is inf at step 231"},
        "a scaler": {"exception": "FloatingPointError", "message": "Minimum loss scale reached (0.0001)."},
        "an assertion without a word": {
            "exception": "AssertionError", "message": "", "code": "assert torch.isfinite(loss).all()",
        },
        "a distribution": {
            "exception": "ValueError",
            "message": "Expected parameter logits of distribution Categorical(logits: torch.Size([8, 4])) to satisfy "
            "the constraint IndependentConstraint(Real(), 1), but found invalid values: tensor([[nan, nan, nan, nan]])",
        },
    },
    quiet={
        "an ordinary one": {"exception": "KeyError", "message": "'lr'"},
        "a word that only contains it": {"exception": "ValueError", "message": "no information in nanny.csv"},
        "a name": {"exception": "AttributeError", "message": "`np.Inf` was removed. Use `np.inf` instead."},
        "a label that is missing": {"exception": "KeyError", "message": "nan"},
        "a setting": {"exception": "ValueError", "message": "could not convert string to float: 'inf (default)'"},
        "a loop": {"exception": "RuntimeError", "message": "infinite loop detected in the sampler"},
        "another overflow": {"exception": "RuntimeError", "message": "CUDA kernel: stack overflow"},
        "a whole number": {
            "exception": "RuntimeError", "message": "value cannot be converted to type int64_t without overflow",
        },
        "an assertion about shapes": {"exception": "AssertionError", "message": "", "code": "assert x.shape == shape"},
    },
)  # fmt: skip
def numbers_refused(crash: Crash) -> Iterator[Finding]:
    """The exception says that a number is not finite, or out of range.

    ## Why it matters
    The line that raises only looked: what made the number is elsewhere.

    ## False alarms
    Messages that name such a number in passing, as a setting or a key does.
    """
    if crash.exception in NAMES or PARSING.search(crash.message):
        return
    silent = not crash.message and ASKS.search(crash.code)
    if SAYS.search(crash.message) or silent or crash.exception == "FloatingPointError":
        said = crash.message or crash.code
        yield Finding(f"{crash.exception}: {said}".rstrip(": "), where=(crash.where,) if crash.where else ())
