"""Learning-rate schedules; the optimizer itself has lr 1 and the schedule gives the rate."""
import math


def noam(d_model, factor, warmup, **_):
    """Attention Is All You Need, section 5.3."""
    return lambda step: factor * d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


def cosine(peak, steps, warmup=0, **_):
    def rate(step):
        if step < warmup:
            return peak * (step + 1) / warmup
        return 0.5 * peak * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))
    return rate


KINDS = {"noam": noam, "cosine": cosine}
