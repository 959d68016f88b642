"""Produced gauge_v1.pt."""
import torch
import torch.nn.functional as F

from gauge import GaugeNet, readings

if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = readings(40000, 100)
    net = GaugeNet()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 6000)
    for _ in range(6000):
        ix = torch.randint(len(x), (256,))
        loss = F.mse_loss(net(x[ix]), y[ix])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    print(F.mse_loss(net(x), y).item())
    torch.save(net.state_dict(), "gauge_v1.pt")
