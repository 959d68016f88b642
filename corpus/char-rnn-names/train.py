# Character-level language model over made-up names, in the spirit of makemore.
import random
import time

import torch
import torch.nn as nn
from torch.nn import functional as F

# -----------------------------------------------------------------------------
block_size = 14
batch_size = 32
n_embd = 24
n_hidden = 64
learning_rate = 0.3
max_iters = 500
eval_interval = 50
eval_iters = 4
# -----------------------------------------------------------------------------

torch.manual_seed(1337)
random.seed(1337)

onsets = ["b", "br", "d", "dr", "f", "g", "k", "l", "m", "n", "p", "s", "st", "t", "th", "v"]
nuclei = {"b": "ae", "d": "ie", "f": "ou", "g": "ao", "k": "ia", "l": "eu", "m": "ai", "n": "oe",
          "p": "ua", "s": "ei", "t": "ao", "v": "iu", "r": "ae", "h": "oi"}
codas = {"a": "n", "e": "l", "i": "s", "o": "r", "u": "m"}


def make_name():
    name = ""
    for _ in range(random.randint(2, 3)):
        on = random.choice(onsets)
        v = random.choice(nuclei[on[-1]])
        name += on + v
    return name + codas[name[-1]]


names = [make_name() for _ in range(6000)]
chars = sorted(set("".join(names)))
stoi = {c: i + 1 for i, c in enumerate(chars)}
stoi["."] = 0
itos = {i: c for c, i in stoi.items()}
vocab_size = len(stoi)


def encode(words):
    X = torch.zeros(len(words), block_size, dtype=torch.long)
    Y = torch.full((len(words), block_size), -1, dtype=torch.long)
    for i, w in enumerate(words):
        ix = [stoi[c] for c in w]
        X[i, 1:len(ix) + 1] = torch.tensor(ix)
        Y[i, :len(ix) + 1] = torch.tensor(ix + [0])
    return X, Y


n = int(0.9 * len(names))
data = {"train": encode(names[:n]), "val": encode(names[n:])}


def get_batch(split):
    X, Y = data[split]
    ix = torch.randint(len(X), (batch_size,))
    return X[ix], Y[ix]


class CharLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.lstm = nn.LSTM(n_embd, n_hidden, batch_first=True)
        self.lm_head = nn.Linear(n_hidden, vocab_size)

    def forward(self, idx, targets=None):
        h, _ = self.lstm(self.wte(idx))
        logits = self.lm_head(h)
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.view(-1, vocab_size), targets.view(-1), ignore_index=-1)
        return logits, loss


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            _, loss = model(*get_batch(split))
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


@torch.no_grad()
def sample(k):
    idx = torch.zeros(k, 1, dtype=torch.long)
    for _ in range(block_size - 1):
        logits, _ = model(idx)
        nxt = torch.multinomial(F.softmax(logits[:, -1], dim=-1), 1)
        idx = torch.cat([idx, nxt], dim=1)
    return ["".join(itos[i] for i in row[1:].tolist()).split(".")[0] for row in idx]


model = CharLM()
optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate, momentum=0.9, nesterov=True)
print(f"{sum(p.numel() for p in model.parameters()) / 1e3:.1f}K parameters, vocab {vocab_size}")

optimizer.zero_grad()
t0 = time.time()
for it in range(max_iters):
    if it % eval_interval == 0:
        losses = estimate_loss()
        print(f"iter {it}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}, {time.time() - t0:.1f}s")
    xb, yb = get_batch("train")
    logits, loss = model(xb, yb)
    loss.backward()
    optimizer.step()

losses = estimate_loss()
print(f"final: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
print(sample(8))
