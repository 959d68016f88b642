#!/usr/bin/env python3
"""Ticket triage: cross entropy plus a term that keeps the average prediction at the observed class mix."""
import argparse

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=700)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--mix-weight", type=float, default=0.1)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

g = torch.Generator().manual_seed(args.seed)

# bag-of-words counts with class-dependent word rates
N_CLASS, N_WORD, N = 4, 60, 6000
share = torch.tensor([0.45, 0.32, 0.16, 0.07])
label = torch.multinomial(share, N, replacement=True, generator=g)
rates = torch.distributions.Gamma(0.6, 1.0)
torch.manual_seed(args.seed)
word_rate = rates.sample((N_CLASS, N_WORD))
count = torch.poisson(word_rate[label] * 0.5, generator=g)
x = torch.log1p(count)
x = (x - x.mean(0)) / (x.std(0) + 1e-6)
x_tr, y_tr, x_te, y_te = x[:5000], label[:5000], x[5000:], label[5000:]

# parameters by hand: one hidden layer
w1 = (torch.randn(N_WORD, 32, generator=g) / N_WORD**0.5).requires_grad_()
b1 = torch.zeros(32, requires_grad=True)
w2 = (torch.randn(32, N_CLASS, generator=g) / 32**0.5).requires_grad_()
b2 = torch.zeros(N_CLASS, requires_grad=True)
params = [w1, b1, w2, b2]
opt = torch.optim.SGD(params, lr=args.lr, momentum=0.9)


def net(z):
    return torch.tanh(z @ w1 + b1) @ w2 + b2


def mix_term(logits, y):
    observed = torch.bincount(y, minlength=N_CLASS) / len(y)
    predicted = F.softmax(logits, dim=1).mean(0)
    return (observed * torch.log(observed / predicted)).sum()


for step in range(1, args.steps + 1):
    rows = torch.randint(len(x_tr), (args.batch,), generator=g)
    logits = net(x_tr[rows])
    ce = F.cross_entropy(logits, y_tr[rows])
    mix = mix_term(logits, y_tr[rows])
    loss = ce + args.mix_weight * mix

    for p in params:
        p.grad = None
    loss.backward()
    opt.step()

    if step % 50 == 0 or step == 1:
        with torch.no_grad():
            acc = (net(x_te).argmax(1) == y_te).float().mean().item()
        print(f"step {step}: loss {loss.item():.4f} (ce {ce.item():.4f}, mix {mix.item():.4f}) test acc {acc:.3f}")
