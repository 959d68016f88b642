import argparse
import tomllib

import torch
import torch.nn.functional as F

from receipts.lines import ROLES, LineSet, read
from receipts.schedules import KINDS
from receipts.transformer import LineTagger


def token_accuracy(model, part):
    model.eval()
    with torch.no_grad():
        guess = model(part.x).argmax(-1)
    model.train()
    keep = part.y >= 0
    return (guess[keep] == part.y[keep]).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-c", "--config", default="tagger.toml")
    with open(ap.parse_args().config, "rb") as fh:
        cfg = tomllib.load(fh)
    run, arch = cfg["run"], cfg["model"]
    torch.manual_seed(run["seed"])

    train = LineSet(read(cfg["data"]["train"]))
    dev = LineSet(read(cfg["data"]["dev"]), train.vocab)
    model = LineTagger(len(train.vocab) + 1, len(ROLES), **arch)

    schedule = dict(cfg["schedule"])
    rate = KINDS[schedule.pop("kind")](d_model=arch["d_model"], steps=run["steps"], **schedule)
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=tuple(cfg["optimizer"]["betas"]), eps=cfg["optimizer"]["eps"])
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)

    losses = []
    for step in range(1, run["steps"] + 1):
        x, y = train.sample(run["batch"])
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
        if step % run["report"] == 0:
            recent = losses[-run["report"]:]
            print(f"step {step}/{run['steps']} loss {sum(recent) / len(recent):.4f} dev accuracy {token_accuracy(model, dev):.4f}")


if __name__ == "__main__":
    main()
