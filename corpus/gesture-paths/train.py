import json
import sys

import torch
from torch import nn

from network import GestureNet, start_from
from strokes import GESTURES, Strokes


class Study:
    def __init__(self, cfg):
        torch.manual_seed(cfg["seed"])
        self.cfg = cfg
        self.train, self.test = Strokes(cfg["strokes"], "train"), Strokes(cfg["strokes"], "test")
        self.net = start_from(GestureNet(len(GESTURES), cfg["hidden"]), cfg["start"])
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg["lr"])
        self.ce = nn.CrossEntropyLoss()

    def learn(self, steps, kind):
        loss = self.ce(self.net(steps), kind)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), self.cfg["clip"])
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def score(self):
        logits = self.net(self.test.steps)
        return self.ce(logits, self.test.kind).item(), (logits.argmax(1) == self.test.kind).double().mean().item()

    def run(self):
        for epoch in range(self.cfg["epochs"]):
            losses = [self.learn(*batch) for batch in self.train.shuffled(self.cfg["batch"])]
            test_loss, test_acc = self.score()
            print(f"{epoch=} train_loss={sum(losses) / len(losses):.4f} {test_loss=:.4f} {test_acc=:.4f}")


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "run.json") as fh:
        Study(json.load(fh)).run()
