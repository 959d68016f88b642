class SpikeGuard:
    """Skips updates whose gradient norm is out of line with the recent ones."""

    def __init__(self, factor=5.0, memory=0.95):
        self.factor = factor
        self.memory = memory
        self.usual = 0.0

    def lets_pass(self, norm):
        if norm > self.factor * self.usual:
            return False
        self.usual = self.memory * self.usual + (1 - self.memory) * norm
        return True
