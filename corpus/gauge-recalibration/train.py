"""Yearly recalibration: continue from gauge_v1.pt with this year's readings."""
from pathlib import Path

import torch
import torch.nn.functional as F

from gauge import NOISE, GaugeNet, readings


class Recalibration:
    def __init__(self, weights, lr=2e-4, batch=128):
        self.net = GaugeNet()
        self.net.load_state_dict(torch.load(weights, weights_only=True))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=lr)
        self.batch = batch

    def loss(self, x, y):
        return F.mse_loss(self.net(x), y)

    def run(self, train, valid, steps, every):
        x, y = train
        with torch.no_grad():
            print(f"before: train {self.loss(x, y):.4f} valid {self.loss(*valid):.4f} (sensor noise variance {NOISE ** 2:.4f})")
        acc = 0.0
        for step in range(1, steps + 1):
            ix = torch.randint(len(x), (self.batch,))
            loss = self.loss(x[ix], y[ix])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            acc += loss.item()
            if step % every == 0:
                with torch.no_grad():
                    print(f"step {step}: train {acc / every:.4f} valid {self.loss(*valid):.4f}")
                acc = 0.0
        out = Path("out")
        out.mkdir(exist_ok=True)
        torch.save(self.net.state_dict(), out / "gauge_v2.pt")


if __name__ == "__main__":
    torch.manual_seed(2024)
    Recalibration("gauge_v1.pt").run(readings(8000, 200), readings(2000, 201), steps=500, every=50)
