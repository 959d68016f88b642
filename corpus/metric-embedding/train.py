import json
from pathlib import Path

import torch

from embed.network import Embedder, TripletObjective
from embed.optimisation import Plan
from embed.outlines import Outlines


def main():
    settings = json.loads(Path(__file__).with_name("settings.json").read_text())
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    outlines = Outlines(gen=gen, **settings["dataset"])
    net = Embedder(2 * settings["dataset"]["points"], **settings["network"])
    objective = TripletObjective(settings["margin"])
    plan = Plan(net, settings["optimisation"])

    smooth_loss = smooth_acc = None
    for step in range(settings["steps"]):
        loss, acc = objective(*(net(x) for x in outlines.triplets(settings["triplets"])))
        plan.minimise(loss)
        smooth_loss = loss.item() if smooth_loss is None else 0.95 * smooth_loss + 0.05 * loss.item()
        smooth_acc = acc.item() if smooth_acc is None else 0.95 * smooth_acc + 0.05 * acc.item()
        if step % 60 == 0 or step == settings["steps"] - 1:
            print(f"[{step:04d}] triplet loss {smooth_loss:.4f}  ordered {smooth_acc:.3f}  lr {plan.rate():.2e}")


if __name__ == "__main__":
    main()
