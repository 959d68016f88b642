import sys
import tomllib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import meters
import report


def build(n_inputs, hidden):
    return nn.Sequential(nn.Linear(n_inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def main(path):
    with open(path, "rb") as fh:
        p = tomllib.load(fh)
    torch.manual_seed(p["seed"])
    train, held = meters.stratified(*meters.read(p["table"]), p["holdout"], p["seed"])
    net = build(len(meters.PROFILE), p["hidden"])
    opt = torch.optim.AdamW(net.parameters(), lr=p["lr"])
    loss_fn = nn.BCEWithLogitsLoss()
    loader = DataLoader(TensorDataset(*train), batch_size=p["batch"], shuffle=True)
    for epoch in range(1, p["epochs"] + 1):
        mean = 0.0
        for profile, tampered in loader:
            loss = loss_fn(net(profile).squeeze(1), tampered)
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean += loss.item() / len(loader)
        c = report.confusion(net, held)
        print(f"epoch {epoch}  loss {mean:.4f}  accuracy {c.accuracy:.4f}  balanced {c.balanced:.4f}")
    print(f"holdout: {c.tp} of {c.tp + c.fn} tampered meters found, {c.fp} false alarms; balanced accuracy {c.balanced:.4f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "params.toml")
