import argparse
import dataclasses
import time

import torch
import torch.nn.functional as F

from . import corpus
from .config import Config
from .model import TinyLM


def parse():
    ap = argparse.ArgumentParser()
    for f in dataclasses.fields(Config):
        if f.name != "betas":
            ap.add_argument(f"--{f.name}", type=type(f.default), default=f.default)
    return Config(**vars(ap.parse_args()))


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        self.train_words = corpus.stream(30_000, cfg.seed)
        self.valid_words = corpus.stream(6_000, cfg.seed + 1)
        self.gen = torch.Generator().manual_seed(cfg.seed)
        self.model = TinyLM(cfg, len(corpus.WORDS))
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, betas=cfg.betas, weight_decay=0.01)

    def nll(self, words, batch):
        x, y = corpus.chunks(words, batch, self.cfg.context, self.gen)
        return F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())

    def lr_at(self, step):
        return self.cfg.lr * min(1.0, (step + 1) / 40)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        out = self.nll(self.valid_words, 128).item()
        self.model.train()
        return out

    def run(self):
        t0 = time.time()
        for step in range(self.cfg.steps):
            for g in self.opt.param_groups:
                g["lr"] = self.lr_at(step)
            loss = self.nll(self.train_words, self.cfg.batch)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            if step % self.cfg.eval_every == 0 or step == self.cfg.steps - 1:
                v = self.validate()
                print(f"step {step:4d} | train {loss.item():7.4f} | valid {v:7.4f} | {time.time() - t0:5.1f}s")
        print(f"final valid nll {v:.4f} (uniform would be {torch.tensor(float(len(corpus.WORDS))).log():.4f})")


if __name__ == "__main__":
    cfg = parse()
    print(cfg)
    Runner(cfg).run()
