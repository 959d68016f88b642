"""
Call and response: a voice states a motif, the second voice answers a fourth above, backwards.
A decoder-only transformer is trained on whole lines and asked to answer motifs it has not heard.
"""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

PITCHES = 12
BAR, TURN = 12, 13
VOCAB = 14
MOTIF = 5
LENGTH = 2 * MOTIF + 2          # BAR motif TURN answer


def lines(n, rng):
    """One row is BAR, five pitches, TURN, five answering pitches."""
    motif = rng.integers(0, PITCHES, (n, MOTIF))
    answer = (motif + 5) % PITCHES
    out = np.empty((n, LENGTH), dtype=np.int64)
    out[:, 0], out[:, MOTIF + 1] = BAR, TURN
    out[:, 1:MOTIF + 1] = motif
    out[:, MOTIF + 2:] = answer[:, ::-1]
    return torch.from_numpy(out)


class Decoder(nn.Module):
    def __init__(self, dim, heads, depth):
        super().__init__()
        self.note = nn.Embedding(VOCAB, dim)
        self.place = nn.Parameter(0.05 * torch.randn(LENGTH, dim))
        layer = nn.TransformerEncoderLayer(dim, heads, 3 * dim, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, depth, norm=nn.LayerNorm(dim), enable_nested_tensor=False)
        self.head = nn.Linear(dim, VOCAB)
        self.register_buffer("mask", torch.triu(torch.ones(LENGTH, LENGTH), diagonal=1))

    def forward(self, notes):
        t = notes.shape[1]
        x = self.note(notes) + self.place[:t]
        return self.head(self.body(x, mask=self.mask[:t, :t]))


@torch.no_grad()
def improvise(model, prompt, n):
    model.eval()
    notes = prompt
    for _ in range(n):
        step = model(notes)[:, -1].argmax(-1, keepdim=True)
        notes = torch.cat([notes, step], dim=1)
    model.train()
    return notes[:, prompt.shape[1]:]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dim", type=int, default=48)
    ap.add_argument("--heads", type=int, default=4)
    ap.add_argument("--depth", type=int, default=2)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--steps", type=int, default=240)
    ap.add_argument("--seed", type=int, default=5)
    a = ap.parse_args()

    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    train, test = lines(6000, rng), lines(300, rng)
    model = Decoder(a.dim, a.heads, a.depth)
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 0.05, 1.0, total_iters=30)

    for step in range(a.steps):
        rows = train[torch.randint(len(train), (a.batch,))]
        logits = model(rows[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, VOCAB), rows[:, 1:].reshape(-1))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if (step + 1) % 40 == 0:
            with torch.no_grad():
                held = F.cross_entropy(model(test[:, :-1]).reshape(-1, VOCAB), test[:, 1:].reshape(-1))
            answer = improvise(model, test[:, :MOTIF + 2], MOTIF)
            right = (answer == test[:, MOTIF + 2:]).float().mean()
            print(f"{step + 1:4d}  train {loss.item():.4f}  held-out {held.item():.4f}  notes answered right {right.item():.3f}")

    answer = improvise(model, test[:, :MOTIF + 2], MOTIF)
    whole = (answer == test[:, MOTIF + 2:]).all(1).float().mean().item()
    print(f"whole answers right: {whole:.3f}")


if __name__ == "__main__":
    main()
