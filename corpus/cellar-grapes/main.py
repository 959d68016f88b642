import time

import numpy as np
import torch
from torch import nn

import features
from config import CFG

ACT = {"relu": nn.ReLU, "mish": nn.Mish, "silu": nn.SiLU}


class TabNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.year = nn.Embedding(8, 4)
        self.slope = nn.Embedding(4, 3)
        dims = [len(features.CONT) + 7] + [cfg.width] * cfg.blocks
        body = []
        for a, b in zip(dims, dims[1:]):
            body += [nn.Linear(a, b), ACT[cfg.act](), nn.Dropout(cfg.dropout)]
        self.body = nn.Sequential(*body, nn.Linear(dims[-1], features.N_CLASSES))

    def forward(self, cont, year, slope):
        return self.body(torch.cat([cont, self.year(year), self.slope(slope)], 1))


class Fold:
    def __init__(self, cfg, data, trn, val):
        self.cfg, self.trn, self.val = cfg, trn, val
        cont, *rest = data
        mu, sd = features.fit_scaler(cont[trn])
        self.x = [torch.from_numpy((cont - mu) / sd), *map(torch.from_numpy, rest[:-1])]
        self.y = torch.from_numpy(rest[-1])
        self.model = TabNet(cfg.net)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.optim.lr, weight_decay=cfg.optim.weight_decay)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(
            self.opt, cfg.optim.lr, epochs=cfg.epochs, steps_per_epoch=-(-len(trn) // cfg.bs))
        self.loss = nn.CrossEntropyLoss(label_smoothing=cfg.optim.label_smoothing)

    def rows(self, idx):
        return [c[idx] for c in self.x], self.y[idx]

    def train_epoch(self):
        self.model.train()
        losses = []
        for idx in np.array_split(np.random.permutation(self.trn), -(-len(self.trn) // self.cfg.bs)):
            x, y = self.rows(idx)
            loss = self.loss(self.model(*x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    @torch.inference_mode()
    def valid(self):
        self.model.eval()
        x, y = self.rows(self.val)
        out = self.model(*x)
        return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


if __name__ == "__main__":
    cfg = CFG()
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    data = features.load(cfg.n_rows, cfg.seed)
    perm = np.random.permutation(cfg.n_rows)
    fold = Fold(cfg, data, perm[cfg.n_rows // 5:], perm[:cfg.n_rows // 5])
    t0, best = time.time(), 0.0
    for e in range(cfg.epochs):
        trn_loss = fold.train_epoch()
        val_loss, acc = fold.valid()
        best = max(best, acc)
        print(f"[{cfg.exp}] ep {e:02d} trn {trn_loss:.4f} val {val_loss:.4f} acc {acc:.4f} ({time.time() - t0:.0f}s)")
    print(f"[{cfg.exp}] fold 0 CV acc {acc:.4f} (best {best:.4f})")
