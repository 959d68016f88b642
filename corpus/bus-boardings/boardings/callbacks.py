import torch


class Callback:
    """Hooks of the learner; those of a batch are called in this order."""

    def on_batch_start(self, learner): ...

    def on_backward_end(self, learner): ...

    def on_batch_end(self, learner): ...

    def on_epoch_end(self, learner): ...


class ClipGradients(Callback):
    """Stadium days have twenty times the usual boardings; keep them from throwing the weights about."""

    def __init__(self, max_norm):
        self.max_norm = max_norm

    def on_batch_end(self, learner):
        torch.nn.utils.clip_grad_norm_(learner.net.parameters(), self.max_norm)


class Progress(Callback):
    def __init__(self, every=20):
        self.every = every
        self.losses = []

    def on_batch_end(self, learner):
        self.losses.append(learner.loss)
        if len(self.losses) % self.every == 0:
            recent = self.losses[-self.every:]
            print(f"  batch {len(self.losses):4d}  nll {sum(recent) / self.every:9.4f}")

    def on_epoch_end(self, learner):
        print(f"epoch {learner.epoch}  held-out deviance {learner.deviance():.4f}")
