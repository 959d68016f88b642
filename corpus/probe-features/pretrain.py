"""Made encoder.pt: the encoder learns orientation, thickness and polarity jointly."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from encoder import Encoder
from images import bars

if __name__ == "__main__":
    torch.manual_seed(0)
    x, attr = bars(4000, seed=10)
    y = attr["orient"] * 6 + attr["thick"] * 2 + attr["sign"]
    net = nn.Sequential(Encoder(), nn.Linear(32, 12))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for step in range(600):
        ix = torch.randint(len(x), (64,))
        loss = F.cross_entropy(net(x[ix]), y[ix])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"final {loss.item():.4f}")
    torch.save(net[0].state_dict(), "encoder.pt")
