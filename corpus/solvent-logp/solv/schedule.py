import math
from dataclasses import dataclass


@dataclass(frozen=True)
class WarmupCosine:
    """Linear warm-up to `peak`, then half a cosine down to `floor`."""

    peak: float
    floor: float
    warmup: int
    total: int

    def __call__(self, step: int) -> float:
        if step < self.warmup:
            return self.peak * (step + 1) / self.warmup
        done = (step - self.warmup) / max(self.total - self.warmup, 1)
        return self.floor + 0.5 * (self.peak - self.floor) * (1 + math.cos(math.pi * min(done, 1.0)))
