"""A small decoder-only transformer learns to continue the openings of a board game."""
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

# ----------------------------------------------------------------------------
seed = 1337
vocab_size = 36          # squares of the board
block_size = 20
batch_size = 48
n_layer, n_head, n_embd = 2, 4, 48
max_iters = 260
eval_interval = 52
learning_rate = 4e-3
min_lr = 2e-4
warmup_iters = 20
weight_decay = 0.05
grad_clip = 1.0
# ----------------------------------------------------------------------------

torch.manual_seed(seed)


def make_games(n, replies):
    """Players answer a square with one of three squares that the books know for it; one move in ten is free."""
    games = torch.empty(n, block_size + 1, dtype=torch.long)
    games[:, 0] = torch.randint(vocab_size, (n,))
    for t in range(block_size):
        book = replies[games[:, t], torch.randint(replies.shape[1], (n,))]
        free = torch.randint(vocab_size, (n,))
        games[:, t + 1] = torch.where(torch.rand(n) < 0.1, free, book)
    return games


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(n_embd, dim=2)
        q = q.view(B, T, n_head, C // n_head).transpose(1, 2)
        k = k.view(B, T, n_head, C // n_head).transpose(1, 2)
        v = v.view(B, T, n_head, C // n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention()
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 2 * n_embd), nn.GELU(), nn.Linear(2 * n_embd, n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.h = nn.ModuleList(Block() for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight
        self.apply(self._init)

    def _init(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.05)

    def forward(self, idx, targets=None):
        pos = torch.arange(idx.size(1))
        x = self.wte(idx) + self.wpe(pos)
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, vocab_size), targets.reshape(-1))
        return logits, loss


def get_batch(games):
    rows = games[torch.randint(len(games), (batch_size,))]
    return rows[:, :-1], rows[:, 1:]


@torch.no_grad()
def estimate_loss(model, games):
    model.eval()
    _, loss = model(games[:, :-1], games[:, 1:])
    model.train()
    return loss.item()


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


replies = torch.stack([torch.randperm(vocab_size)[:3] for _ in range(vocab_size)])
train_games = make_games(4000, replies)
val_games = make_games(300, replies)
p_book = 0.9 / 3 + 0.1 / vocab_size
p_free = 0.1 / vocab_size
floor = -3 * p_book * math.log(p_book) - (vocab_size - 3) * p_free * math.log(p_free)
print(f"guessing {math.log(vocab_size):.3f} nats, best possible {floor:.3f} nats per move")

model = GPT()
decay = [p for p in model.parameters() if p.dim() >= 2]
rest = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}],
                              lr=learning_rate, betas=(0.9, 0.98))
t0 = time.time()
for it in range(max_iters + 1):
    lr = get_lr(it)
    for group in optimizer.param_groups:
        group["lr"] = lr
    if it % eval_interval == 0:
        print(f"step {it}: val loss {estimate_loss(model, val_games):.4f}, lr {lr:.2e}, {time.time() - t0:.1f}s")
    if it == max_iters:
        break
    X, Y = get_batch(train_games)
    logits, loss = model(X, Y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    if it % 20 == 0:
        print(f"iter {it}: loss {loss.item():.4f}")

print(f"final val loss {estimate_loss(model, val_games):.4f}")
