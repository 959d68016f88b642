"""The loss that backward is called on has no way back to the model.

## What happens
The value was taken out of the graph on its way, by `item()`, `detach()`, numpy or a new tensor made of numbers, and
`requires_grad` was set on what came of it. Backward runs, no parameter gets a gradient, and nothing is learned.

## How it is told apart
The graph behind the loss reaches no parameter, while the model's outputs still have theirs. A cut inside the model
shows in the outputs; frozen parameters in `requires_grad`. Backward on the loss the value was read from lets it learn.

## How it is fixed
Compute the loss with tensors all the way: `torch.stack(losses).mean()` for `torch.tensor(values)`, and take `item()`
only of what is printed.
"""

from stetho.cause import Cause

disconnected = Cause(
    id="loss/disconnected",
    share=0.08,
    symptoms={"loss-flat": 0.72, "loss-oscillating": 0.05, "metric-stuck": 0.08, "loss-slow": 0.02, "none": 0.10},
    predicts={
        "loss-cut-off": 0.95,
        "gradients-zero": 0.90,
        "reconnected-loss": {"symptom-gone": 0.68, "better": 0.24, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.02, "better": 0.02, "same": 0.92, "worse": 0.02, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.02, "same": 0.94, "worse": 0.01, "new-failure": 0.01},
        "lr=x100": {"symptom-gone": 0.02, "better": 0.02, "same": 0.94, "worse": 0.01, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.02, "same": 0.94, "worse": 0.01, "new-failure": 0.01},
    },
    mechanism=("loss-cut-off",),
    statement="the loss is cut off from the model, so that no parameter gets a gradient",
    test="call backward on the loss the value was read from: if it does not learn then, it is not this",
    fix="compute the loss with tensors all the way, and read numbers only of what is printed",
    trial="reconnected-loss",
)
