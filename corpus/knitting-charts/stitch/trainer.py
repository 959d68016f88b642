import torch
from torch.nn.utils import clip_grad_norm_


class Trainer:
    def __init__(self, model, train, valid, lr, clip, epochs):
        self.model, self.train, self.valid = model, train, valid
        self.clip, self.epochs = clip, epochs
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, lr, epochs=epochs, steps_per_epoch=len(train), pct_start=0.1)

    def step(self, batch):
        _, loss = self.model(**batch)
        self.opt.zero_grad()
        loss.backward()
        clip_grad_norm_(self.model.parameters(), self.clip)
        self.opt.step()
        self.sched.step()
        return loss.item()

    @torch.no_grad()
    def next_stitch_accuracy(self, cast_on=4):
        """How often a knitter who follows the model would do the stitch that comes next."""
        hits = n = 0
        for batch in self.valid:
            rows = batch["tokens"]
            guess = self.model(rows)[:, cast_on - 1:-1].argmax(-1)
            hits += (guess == rows[:, cast_on:]).sum().item()
            n += guess.numel()
        return hits / n

    def run(self):
        for epoch in range(self.epochs):
            losses = [self.step(batch) for batch in self.train]
            print(f"epoch {epoch + 1}: loss {sum(losses[-20:]) / len(losses[-20:]):.4f}, next stitch {self.next_stitch_accuracy():.1%} right")
