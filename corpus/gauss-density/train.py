"""Autoregressive density: p(x) = prod_i N(x_i; mu_i(x_<i), sigma_i(x_<i)), no nn.Module, plain tensors."""
import math

import torch

torch.manual_seed(4)
D, H, N = 5, 32, 6000

z = torch.randn(N, D)
x = torch.empty(N, D)
x[:, 0] = z[:, 0]
for i in range(1, D):
    x[:, i] = torch.sin(1.5 * x[:, i - 1]) + 0.3 * z[:, i]
x = (x - x.mean(0)) / x.std(0)
train, test = x[:5000], x[5000:]

params = {}
for i in range(D):
    params[f"w{i}"] = torch.randn(D, H) * (0.5 if i else 0.0)
    params[f"b{i}"] = torch.randn(H) * 0.5
    params[f"v{i}"] = torch.randn(H, 2) * 0.1
    params[f"c{i}"] = torch.zeros(2)
for p in params.values():
    p.requires_grad_()


def log_prob(x):
    terms = []
    for i in range(D):
        past = x.clone()
        past[:, i:] = 0
        h = torch.tanh(past @ params[f"w{i}"] + params[f"b{i}"])
        mu, s = (h @ params[f"v{i}"] + params[f"c{i}"]).unbind(1)
        log_sigma = 3 * torch.tanh(s / 3)
        terms.append(-0.5 * ((x[:, i] - mu) / log_sigma.exp()) ** 2 - log_sigma - 0.5 * math.log(2 * math.pi))
    lp = torch.stack(terms, dim=1)
    return lp.sum(dim=1)


opt = torch.optim.Adam(params.values(), lr=3e-3)
for step in range(601):
    batch = train[torch.randint(len(train), (100,))]
    loss = log_prob(batch).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            print(f"step {step:4d}  objective {loss.item():12.4f}  test log-likelihood {log_prob(test).mean().item():12.4f}")
