import torch
import torch.nn.functional as F

from tones import ToneNet, record

if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = record(20000, 0)
    net = ToneNet()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(2000):
        ix = torch.randint(len(x), (128,))
        loss = F.cross_entropy(net(x[ix]), y[ix])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())
    torch.save(net.state_dict(), "tonenet.pt")
