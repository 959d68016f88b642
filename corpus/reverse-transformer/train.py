"""
Teach a tiny encoder to write its input backwards. Single file, no dependencies but torch.
"""
import math

import torch
import torch.nn as nn
from torch.nn import functional as F

# data
vocab = 10
seq_len = 8
# model
n_layer = 2
n_head = 2
n_embd = 32
# optimisation
batch_size = 64
learning_rate = 0.1
max_iters = 400
seed = 2

torch.manual_seed(seed)
pool = torch.randint(vocab, (6000, seq_len))
train_x, val_x = pool[:5500], pool[5500:]


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in self.qkv(x).split(C, dim=2))
        att = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(C // n_head), dim=-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = SelfAttention()
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab, n_embd)
        self.wpe = nn.Embedding(seq_len, n_embd)
        self.h = nn.Sequential(*[Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab)

    def forward(self, idx):
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        return self.head(self.ln_f(self.h(x)))


model = Reverser()
optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)

for it in range(max_iters + 1):
    if it % 50 == 0:
        model.eval()
        with torch.no_grad():
            logits = model(val_x)
            want = val_x.flip(1)
            vloss = F.cross_entropy(logits.flatten(0, 1), want.flatten())
            acc = (logits.argmax(-1) == want).float().mean()
        print(f"iter {it:4d}  val loss {vloss:.4f}  token acc {acc:.3f}")
        model.train()
    ix = torch.randint(len(train_x), (batch_size,))
    xb = train_x[ix]
    yb = xb.flip(1)
    loss = F.cross_entropy(model(xb).flatten(0, 1), yb.flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
