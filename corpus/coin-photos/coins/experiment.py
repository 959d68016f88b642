from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from .net import CoinNet
from .photos import PhotoAlbum, augment


@dataclass
class Experiment:
    album: str = "album"
    iterations: int = 360
    batch: int = 24
    lr: float = 3e-3
    decay: float = 1e-2
    every: int = 60
    seed: int = 0
    history: list = field(default_factory=list)

    def prepare(self):
        torch.manual_seed(self.seed)
        album = PhotoAlbum(self.album)
        self.kinds = album.kinds
        self.fit_x, self.fit_y = album.select("train")
        self.val_x, self.val_y = album.select("val")  # "test" stays sealed until the paper
        self.net = CoinNet(len(self.kinds))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=self.lr, weight_decay=self.decay)

    def judge(self, x, y):
        self.net.eval()
        with torch.no_grad():
            logits = torch.cat([self.net(c) for c in x.split(250)])
        self.net.train()
        return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()

    def iterate(self):
        rows = torch.randint(len(self.fit_x), (self.batch,))
        loss = F.cross_entropy(self.net(augment(self.fit_x[rows])), self.fit_y[rows])
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def run(self):
        self.prepare()
        print("kinds:", ", ".join(self.kinds))
        recent = []
        for it in range(1, self.iterations + 1):
            recent.append(self.iterate())
            if it % self.every == 0:
                loss, acc = self.judge(self.val_x, self.val_y)
                mean = sum(recent) / len(recent)
                self.history.append((it, mean, loss, acc))
                recent = []
                print(f"it {it:4d}   fit {mean:.3f}   val {loss:.3f}   val right {100 * acc:.1f}%")
