"""Histogram task: for every token of a sequence, say how often it occurs in it. Encoder, no positions needed."""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args():
    p = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--vocab", type=int, default=8)
    p.add_argument("--length", type=int, default=12)
    p.add_argument("--d-model", type=int, default=32)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=24)
    p.add_argument("--steps", type=int, default=320)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--warmup", type=int, default=80, help="steps of linear warm-up before the cosine")
    p.add_argument("--log-every", type=int, default=40)
    return p.parse_args()


def sample(n, args):
    skew = torch.rand(n, args.vocab).pow(2) + 0.02
    x = torch.multinomial(skew, args.length, replacement=True)
    y = (x[:, :, None] == x[:, None, :]).sum(-1)
    return x, y.clamp(max=9) - 1


class Encoder(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.embed = nn.Embedding(args.vocab, args.d_model)
        block = nn.TransformerEncoderLayer(args.d_model, args.heads, 4 * args.d_model, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(block, args.layers, enable_nested_tensor=False)
        self.readout = nn.Linear(args.d_model, 9)
        for p in self.blocks.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, x):
        return self.readout(self.blocks(self.embed(x)))


def rate(step, args):
    if step < args.warmup:
        return (step + 1) / args.warmup
    done = (step - args.warmup) / max(1, args.steps - args.warmup)
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done))


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    x_val, y_val = sample(500, args)
    model = Encoder(args)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.9, 0.98))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: rate(s, args))
    print(args)
    for step in range(1, args.steps + 1):
        x, y = sample(args.batch_size, args)
        loss = F.cross_entropy(model(x).transpose(1, 2), y)
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        if step % args.log_every == 0 or step == 1:
            with torch.no_grad():
                acc = (model(x_val).argmax(-1) == y_val).float().mean().item()
            print(f"step {step:4d} lr {sched.get_last_lr()[0]:.2e} loss {loss.item():.4f} |g| {norm:.2f} val token acc {acc:.4f}")


if __name__ == "__main__":
    main()
