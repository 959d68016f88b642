"""torch says that nothing that entered a checkpointed block needs a gradient.

## What it tells
That what lies below it gets no gradient.

## What it does not tell
Whether that was meant.
"""

from stetho.phrase import Phrase

inputs_without_gradient = Phrase(
    id="inputs-without-gradient",
    says="a checkpointed block gets no gradient",
    words=("none of the inputs have requires_grad",),
    patterns=(r"None of the inputs have requires_grad=True",),
    fires=("UserWarning: None of the inputs have requires_grad=True. Gradients will be None",),
    quiet=("requires_grad=True for 12 tensors",),
)
