import argparse
import logging

import torch
from torch.utils.data import DataLoader

from leakwatch.model import LeakNet
from leakwatch.objective import FocalLoss
from leakwatch.scores import report
from leakwatch.traces import make_traces

log = logging.getLogger("leakwatch")


def parse():
    p = argparse.ArgumentParser(description="Train the leak detector.")
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--share", type=float, default=0.25, help="share of leaking mains")
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")
    torch.manual_seed(args.seed)
    train = make_traces(3000, args.share, args.seed)
    valid = make_traces(1000, args.share, args.seed + 1)

    model = LeakNet()
    criterion = FocalLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, drop_last=True)

    for epoch in range(1, args.epochs + 1):
        total = 0.0
        for trace, leaking in loader:
            loss = criterion(model(trace), leaking)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        precision, recall, f1 = report(model, valid)
        log.info("epoch %d loss %.5f precision %.3f recall %.3f F1 %.3f", epoch, total / len(loader), precision, recall, f1)


if __name__ == "__main__":
    main()
