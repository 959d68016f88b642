import argparse

import torch

from relief import Relief, survey

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=500)
ap.add_argument("--points", type=int, default=512)
ap.add_argument("--lr", type=float, default=1e-3)
ap.add_argument("--seed", type=int, default=4)
opt = ap.parse_args()

torch.manual_seed(opt.seed)
hills = {
    "centre": 2 * torch.rand(25, 2) - 1,
    "radius": 0.1 + 0.15 * torch.rand(25),
    "height": torch.randn(25),
}
pos, height = survey(12000, hills)
mean, std = height.mean(), height.std()
height = (height - mean) / std
check_pos, check_height = survey(2000, hills, noise=0.0)
check_height = (check_height - mean) / std

net = Relief()
adam = torch.optim.Adam(net.parameters(), lr=opt.lr)
for step in range(1, opt.steps + 1):
    take = torch.randint(len(pos), (opt.points,))
    loss = (net(pos[take]) - height[take]).square().mean()
    adam.zero_grad(set_to_none=True)
    loss.backward()
    adam.step()
    if step % 50 == 0:
        with torch.no_grad():
            rms = (net(check_pos) - check_height).square().mean().sqrt()
        print(f"{step:5d}  mse {loss.item():.5f}  check rms {rms.item():.4f}")
