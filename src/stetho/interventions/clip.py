"""Switch gradient clipping off.

## What changes
`clip_grad_norm_` still measures the norm; it no longer shrinks anything.

## What it tells
If learning gets clearly better, the clip held it back.

## When it says nothing
Programs that do not clip, or clip by hand.
"""

kind = "control"
question = "Does it learn when gradients are not clipped?"
applies = "programs that call torch.nn.utils.clip_grad_norm_"
backgrounds = {
    "off": {"symptom-gone": 0.03, "better": 0.04, "same": 0.70, "worse": 0.15, "new-failure": 0.08}
}


def apply(run, value):
    @run.on_clip
    def unlimited(limit):
        run.applied()
        return float("inf") if value == "off" else float(value)
