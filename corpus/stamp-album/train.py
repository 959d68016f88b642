import sys

import torch
import torch.nn.functional as F

import conf
from album import tensors
from nets import stamp_net

c = conf.read(sys.argv[1] if len(sys.argv) > 1 else "stamps.conf")
torch.manual_seed(c.seed)

(x, y), (xv, yv), names = tensors(c)
print("stamps", len(x), "val", len(xv), "issuers", names)

net = stamp_net(len(names))
opt = torch.optim.AdamW(net.parameters(), lr=c.lr, weight_decay=c.wd)
steps = c.epochs * (len(x) // c.bs)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=c.lr, total_steps=steps)

for ep in range(c.epochs):
    net.train()
    tot = acc = 0.0
    perm = torch.randperm(len(x))[: len(x) // c.bs * c.bs].view(-1, c.bs)
    for ix in perm:
        out = net(x[ix])
        loss = F.cross_entropy(out, y[ix])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
        acc += (out.argmax(1) == y[ix]).float().mean().item()
    net.eval()
    with torch.no_grad():
        ov = net(xv)
    print("ep %d  loss %.4f  acc %.3f  |  val loss %.4f  val acc %.3f" % (
        ep, tot / len(perm), acc / len(perm), F.cross_entropy(ov, yv).item(), (ov.argmax(1) == yv).float().mean().item()))
