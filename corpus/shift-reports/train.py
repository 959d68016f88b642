import configparser

import numpy as np
import torch
import torch.nn.functional as F

from net import ReportNet
from store import CATEGORIES, token_matrix
from tokens import Tokenizer

ini = configparser.ConfigParser()
ini.read("run.ini")
paths, fit = ini["paths"], ini["fit"]

torch.manual_seed(fit.getint("seed"))
rng = np.random.default_rng(fit.getint("seed"))

tok = Tokenizer(paths["vocab"])
length = ini["tokens"].getint("length")
parts = {}
for part in ("train", "valid"):
    ids, y = token_matrix(part, paths["reports"], paths["cache"], tok, length)
    parts[part] = torch.from_numpy(ids), torch.from_numpy(y)

net = ReportNet(len(tok), len(CATEGORIES), ini["net"].getint("embed"), ini["net"].getint("filters"))
opt = torch.optim.Adam(net.parameters(), lr=fit.getfloat("lr"))
batch = fit.getint("batch")


def evaluate(part):
    net.eval()
    ids, y = parts[part]
    with torch.no_grad():
        out = torch.cat([net(c) for c in ids.split(500)])
    net.train()
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


ids, y = parts["train"]
for r in range(fit.getint("rounds")):
    order = torch.from_numpy(rng.permutation(len(ids)))
    losses = []
    for rows in order.split(batch):
        loss = F.cross_entropy(net(ids[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    vl, va = evaluate("valid")
    print(f"round {r + 1} | train loss {np.mean(losses):.3f} | valid loss {vl:.3f} | valid acc {va:.3f}")

_, ta = evaluate("train")
print(f"done: train acc {ta:.3f} valid acc {evaluate('valid')[1]:.3f}")
