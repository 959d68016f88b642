"""Fine-tunes the ticket encoder to route tickets to teams.

    python train.py [finetune.toml]
"""
import logging
import sys
import tomllib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from router.model import Encoder, Router
from router.text import Vocab, read_tickets
from router.weights import load_encoder

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
log = logging.getLogger("router")


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    hit = (model(x).argmax(-1) == y).float().mean().item()
    model.train()
    return hit


def main(path="finetune.toml"):
    with open(path, "rb") as fh:
        cfg = tomllib.load(fh)
    torch.manual_seed(cfg["seed"])
    data, arch, opt_cfg = cfg["data"], cfg["model"], cfg["optim"]

    vocab = Vocab(data["vocab"])
    x, y, teams = read_tickets(data["train"], vocab, data["max_len"])
    xv, yv, _ = read_tickets(data["valid"], vocab, data["max_len"], teams)
    log.info("%d labelled tickets, %d held out, %d teams, %d words", len(x), len(xv), len(teams), len(vocab))

    encoder = Encoder(len(vocab), arch["dim"], arch["width"], arch["dropout"])
    load_encoder(encoder, arch["pretrained"])
    model = Router(encoder, arch["width"], len(teams))

    loader = DataLoader(TensorDataset(x, y), batch_size=opt_cfg["batch_size"], shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=opt_cfg["lr"], weight_decay=opt_cfg["weight_decay"])
    total = opt_cfg["epochs"] * len(loader)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1.0 - s / total)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(1, opt_cfg["epochs"] + 1):
        running = 0.0
        for ids, team in loader:
            loss = criterion(model(ids), team)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            running += loss.item()
        if epoch % 4 == 0:
            log.info("epoch %2d  loss %.4f  train acc %.3f  val acc %.3f",
                     epoch, running / len(loader), accuracy(model, x, y), accuracy(model, xv, yv))


if __name__ == "__main__":
    main(*sys.argv[1:])
