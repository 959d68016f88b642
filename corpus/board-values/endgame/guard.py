class SpikeGuard:
    """Keeps single bad batches out of the weights.

    Remembers the usual size of the gradient; an update is taken while the norm stays below `factor` times that.
    """

    def __init__(self, factor=5.0, memory=0.95):
        self.factor = factor
        self.memory = memory
        self.usual = 0.0
        self.skipped = 0

    def lets_pass(self, norm):
        if norm > self.factor * self.usual:
            self.skipped += 1
            return False
        self.usual = self.memory * self.usual + (1 - self.memory) * norm
        return True
