import argparse
import sys

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from net import RollerNet
from recordings import FAULTS, dataset

p = argparse.ArgumentParser()
p.add_argument("-e", "--epochs", type=int, default=8)
p.add_argument("-b", "--batch", type=int, default=50)
p.add_argument("--lr", type=float, default=4e-3)
p.add_argument("-o", "--out", help="TorchScript for the gateway")
opt_ = p.parse_args()

torch.manual_seed(31)
train_dl = DataLoader(dataset(3000, 100), batch_size=opt_.batch, shuffle=True)
test_dl = DataLoader(dataset(800, 200), batch_size=200)

net = RollerNet(2, len(FAULTS))
optim = torch.optim.Adam(net.parameters(), lr=opt_.lr)
sys.stdout.write("%d parameters\n" % sum(w.numel() for w in net.parameters()))

for ep in range(opt_.epochs):
    net.train()
    s = 0.0
    for x, y in train_dl:
        optim.zero_grad()
        l = cross_entropy(net(x), y)
        l.backward()
        optim.step()
        s += l.item() / len(train_dl)
    net.eval()
    conf = torch.zeros(len(FAULTS), len(FAULTS), dtype=torch.long)
    with torch.no_grad():
        for x, y in test_dl:
            conf.index_put_((y, net(x).argmax(1)), torch.ones_like(y), accumulate=True)
    acc = conf.diag().sum().item() / conf.sum().item()
    sys.stdout.write("ep %d/%d  train %.4f  test acc %.4f\n" % (ep + 1, opt_.epochs, s, acc))

for name, row in zip(FAULTS, conf):
    sys.stdout.write("%-14s %s\n" % (name, " ".join("%4d" % v for v in row)))
if opt_.out:
    torch.jit.script(net).save(opt_.out)
