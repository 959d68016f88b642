"""Learns to tell hand-drawn strokes apart without labels, from pairs of views of the same stroke."""
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

POINTS = 24
KINDS = 8


@dataclass
class Config:
    seed: int = 15
    strokes: int = 3000
    batch: int = 128
    steps: int = 360
    lr: float = 3e-3
    momentum: float = 0.97
    temperature: float = 0.1
    queue: int = 1024
    width: int = 96
    emb: int = 32


def strokes(n, rng):
    t = np.linspace(0, 1, POINTS)[None]
    kind = rng.integers(0, KINDS, n)
    k = kind[:, None]
    turns = 1 + k % 4
    x = np.cos(np.pi * turns * t) * (1 - 0.6 * (k >= 4) * t)
    y = np.sin(np.pi * turns * t + 0.5 * (k % 2)) * (1 + 0.5 * (k >= 4) * t)
    xy = np.stack([x, y], axis=1) + 0.05 * rng.normal(size=(n, 2, POINTS))
    return torch.tensor(xy, dtype=torch.float32), torch.tensor(kind)


def another_view(xy):
    """The same stroke by a less careful hand: turned, stretched, shaken."""
    n = len(xy)
    angle = 2 * torch.pi * torch.rand(n)
    c, s = angle.cos(), angle.sin()
    turn = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)
    scale = 1 + 0.2 * torch.randn(n, 2, 1)
    return torch.bmm(turn, xy * scale) + 0.1 * torch.randn_like(xy)


def mlp(n_in, width, n_out):
    return nn.Sequential(nn.Linear(n_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, n_out))


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), mlp(2 * POINTS, cfg.width, cfg.width), nn.ReLU())
        self.project = mlp(cfg.width, cfg.width, cfg.emb)

    def forward(self, xy):
        return self.project(self.body(xy))


class MomentumContrast(nn.Module):
    """Query and key are views of one stroke; the keys of earlier batches are what it must not be mistaken for."""

    def __init__(self, cfg):
        super().__init__()
        self.momentum = cfg.momentum
        self.temperature = cfg.temperature
        self.query_encoder = Encoder(cfg)
        self.key_encoder = copy.deepcopy(self.query_encoder)
        for p in self.key_encoder.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(cfg.queue, cfg.emb), dim=1))

    def forward(self, view_q, view_k):
        query = F.normalize(self.query_encoder(view_q), dim=1)
        with torch.no_grad():
            key = F.normalize(self.key_encoder(view_k), dim=1)
        positive = (query * key).sum(1, keepdim=True)
        negative = query @ self.queue.clone().detach().T
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        labels = torch.zeros(len(logits), dtype=torch.long)
        loss = F.cross_entropy(logits, labels)
        self.queue = torch.cat([key, self.queue])[: len(self.queue)]
        return loss

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.key_encoder.parameters(), self.query_encoder.parameters()):
            slow.lerp_(fast, 1 - self.momentum)


@torch.no_grad()
def neighbour_accuracy(encoder, known, known_kind, fresh, fresh_kind):
    encoder.eval()
    reference = F.normalize(encoder.body(known), dim=1)
    query = F.normalize(encoder.body(fresh), dim=1)
    nearest = (query @ reference.T).topk(5, dim=1).indices
    votes = F.one_hot(known_kind[nearest], KINDS).sum(1)
    encoder.train()
    return (votes.argmax(1) == fresh_kind).float().mean().item()


def main(cfg):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    drawn, drawn_kind = strokes(cfg.strokes, rng)
    fresh, fresh_kind = strokes(600, rng)
    known, known_kind = another_view(drawn[:160]), drawn_kind[:160]
    fresh = another_view(fresh)
    model = MomentumContrast(cfg)
    optimizer = torch.optim.AdamW(model.query_encoder.parameters(), lr=cfg.lr, weight_decay=1e-4)
    print(f"untrained: neighbour accuracy {neighbour_accuracy(model.query_encoder, known, known_kind, fresh, fresh_kind):.3f}")
    for step in range(1, cfg.steps + 1):
        batch = drawn[torch.randint(len(drawn), (cfg.batch,))]
        view_q, view_k = another_view(batch), another_view(batch)
        loss = model(view_q, view_k)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.follow()
        if step <= 8:
            print(f"step {step:3d}: loss {loss.item():.4f}")
        elif step % 40 == 0:
            acc = neighbour_accuracy(model.query_encoder, known, known_kind, fresh, fresh_kind)
            print(f"step {step:3d}: loss {loss.item():.4f}, neighbour accuracy {acc:.3f}")


if __name__ == "__main__":
    main(Config())
