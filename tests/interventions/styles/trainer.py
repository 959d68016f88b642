"""A trainer class that owns its parts, with two optimizers and batches as dictionaries."""

import torch
from task import BATCH, Net, Points, objective, options, trained
from torch import nn
from torch.utils.data import DataLoader


def collate(samples):
    xs, ys = zip(*samples, strict=True)
    return {"features": torch.stack(xs), "label": torch.stack(ys), "names": [f"row {i}" for i in range(len(xs))]}


class Wrapped(nn.Module):
    """Takes its input by name and gives a dictionary back."""

    def __init__(self, o):
        super().__init__()
        self.net = Net(o)

    def forward(self, *, features, temperature=1.0):
        return {"out": self.net(features) / temperature}


class Trainer:
    def __init__(self, o):
        self.o = o
        self.model = torch.compile(Wrapped(o)) if o.compiled else Wrapped(o)
        body = trained(o, self.model)
        half = len(body) // 2
        self.optimizers = [
            torch.optim.AdamW(body[:half], lr=o.lr / 5, weight_decay=0.01),
            torch.optim.SGD(body[half:], lr=o.lr, momentum=0.9, weight_decay=0.01),
        ]
        self.schedulers = [torch.optim.lr_scheduler.CosineAnnealingLR(p, o.steps) for p in self.optimizers]
        self.train_data = DataLoader(
            Points(ordered=o.ordered, floats=o.regress),
            BATCH,
            shuffle=not o.ordered,
            collate_fn=collate,
            num_workers=o.workers,
        )
        self.held_out = DataLoader(Points(seed=1, samples=64, floats=o.regress), 32, collate_fn=collate)
        self.step = 0

    def training_step(self, batch):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.o.half):
            out = self.model(features=batch["features"])["out"]
            return objective(self.o, out, batch["label"])

    def update(self, loss):
        if not self.o.never_clear:
            for optimizer in self.optimizers:
                optimizer.zero_grad(set_to_none=False)
        loss.backward()
        if self.o.wipe:
            self.model.zero_grad()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=1.0)
        for optimizer, scheduler in zip(self.optimizers, self.schedulers, strict=True):
            optimizer.step()
            scheduler.step()

    def validate(self):
        if not self.o.always_eval:
            self.model.eval()
        with torch.inference_mode():
            hits = [self.model(features=b["features"])["out"].argmax(-1) == b["label"] for b in self.held_out]
        if not self.o.always_eval:
            self.model.train()
        return torch.cat(hits).float().mean().item()

    def fit(self):
        if self.o.always_eval:
            self.model.eval()
        while self.step < self.o.steps:
            for batch in self.train_data:
                self.update(self.training_step(batch))
                self.step += 1
                if self.step >= self.o.steps:
                    break
            print(self.step, self.validate())


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(options()).fit()
