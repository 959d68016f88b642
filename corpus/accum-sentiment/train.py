import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

random.seed(0)
torch.manual_seed(0)

GOOD, BAD, FLIP, NEUTRAL = range(1, 15), range(15, 29), range(29, 32), range(32, 80)


def review():
    score, words = 0, []
    while len(words) < 18:
        kind = random.random()
        if kind < 0.15:
            words.append(random.choice(GOOD)); score += 1
        elif kind < 0.30:
            words.append(random.choice(BAD)); score -= 1
        elif kind < 0.40:
            good = random.random() < 0.5
            words += [random.choice(FLIP), random.choice(GOOD if good else BAD)]
            score += -1 if good else 1
        else:
            words.append(random.choice(NEUTRAL))
    return words[:18], score


def collate(items):
    tokens = torch.tensor([w for w, _ in items])
    label = torch.tensor([float(s > 0) for _, s in items])
    return tokens, label


pool = [r for r in (review() for _ in range(4500)) if r[1] != 0]
train_loader = DataLoader(pool[:-500], batch_size=16, shuffle=True, collate_fn=collate, drop_last=True)
test_tokens, test_label = collate(pool[-500:])


class TextCNN(nn.Module):
    def __init__(self, vocab=80, dim=24, ch=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, ch, 2)
        self.out = nn.Linear(ch, 1)

    def forward(self, tokens):
        h = F.relu(self.conv(self.emb(tokens).transpose(1, 2)))
        return self.out(h.mean(dim=2)).squeeze(1)


model = TextCNN()
optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
ACCUM = 4

updates = 0
optimizer.zero_grad()
for epoch in range(7):
    running = 0.0
    for i, (tokens, label) in enumerate(train_loader):
        loss = F.binary_cross_entropy_with_logits(model(tokens), label)
        (loss / ACCUM).backward()
        running += loss.item()
        if (i + 1) % ACCUM == 0:
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
    with torch.no_grad():
        acc = ((model(test_tokens) > 0) == (test_label > 0.5)).float().mean().item()
    print(f"epoch {epoch} ({updates} updates): loss {running / len(train_loader):.4f} test acc {acc:.3f}")
