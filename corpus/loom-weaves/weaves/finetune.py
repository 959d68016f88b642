"""Adapts the encoder of the three-weave model to all five weaves.

    python -m weaves.finetune pretrained/three_weaves.pth
"""
import sys

import torch
from torch import nn

from .net import encoder, features
from .patterns import WEAVES, bolt


def load_encoder(path):
    ckpt = torch.load(path, map_location="cpu")
    hp = ckpt["hparams"]
    body = encoder(hp.width, hp.dropout)
    body.load_state_dict({k[len("encoder."):]: v for k, v in ckpt["state_dict"].items() if k.startswith("encoder.")})
    print(f"loaded {path}: width {hp.width}, trained for {ckpt['epoch']} epochs, accuracy {ckpt['accuracy']:.3f}")
    return body, hp


def finetune(path, epochs=6, batch=32):
    torch.manual_seed(404)
    body, hp = load_encoder(path)
    head = nn.Linear(features(hp.width), len(WEAVES))
    model = nn.Sequential(body, head)
    opt = torch.optim.AdamW([
        {"params": body.parameters(), "lr": 2e-4},
        {"params": head.parameters(), "lr": 2e-3},
    ])
    x, y = bolt(1000, 21, range(5))
    xt, yt = bolt(300, 22, range(5))
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for rows in torch.randperm(len(x)).split(batch):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
        model.eval()
        with torch.no_grad():
            acc = (model(xt).argmax(1) == yt).float().mean().item()
        print(f"epoch {epoch}: train loss {total / len(x):.4f}, test acc {acc:.3f}")
    return acc


if __name__ == "__main__":
    finetune(sys.argv[1])
