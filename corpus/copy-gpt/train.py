"""
A nano-sized GPT on sequences "pattern, separator, the same pattern again".
"""
import math
import time

import torch

from model import GPT, GPTConfig

# optimizer
learning_rate = 3e-3
max_iters = 260
warmup_iters = 40
min_lr = 3e-4
weight_decay = 0.1
grad_clip = 1.0
batch_size = 48
log_interval = 40

torch.manual_seed(1337)
cfg = GPTConfig()
SEP = cfg.vocab_size - 1


def get_batch():
    k = (cfg.block_size - 1) // 2
    pattern = torch.randint(SEP, (batch_size, k))
    sep = torch.full((batch_size, 1), SEP)
    seq = torch.cat([pattern, sep, pattern, sep], dim=1)[:, :cfg.block_size + 1]
    x, y = seq[:, :-1], seq[:, 1:].clone()
    y[:, :k] = -1  # the first half cannot be predicted
    return x, y


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


model = GPT(cfg)
decay = [p for p in model.parameters() if p.dim() >= 2]
nodecay = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": weight_decay}, {"params": nodecay, "weight_decay": 0.0}],
    lr=learning_rate, betas=(0.9, 0.95),
)
print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e3:.1f}K")

t0 = time.time()
for it in range(max_iters + 1):
    for group in optimizer.param_groups:
        group["lr"] = get_lr(it)
    X, Y = get_batch()
    logits, loss = model(X, Y)
    for p in model.parameters():
        p.grad = None
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    if it % log_interval == 0:
        dt = time.time() - t0
        print(f"iter {it}: loss {loss.item():.4f}, lr {get_lr(it):.2e}, time {dt * 1000:.0f}ms")
