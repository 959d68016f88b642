"""usage: python -m cluster.run"""
import torch

from .graph import ClusterNet
from .sim import energy, positions


def main(n_train=3000, n_test=500, batch=32, epochs=5, lr=3e-3):
    gen = torch.Generator().manual_seed(66)
    torch.manual_seed(66)
    x, x_test = positions(n_train, gen), positions(n_test, gen)
    e, e_test = energy(x), energy(x_test)
    mu, sd = e.mean(), e.std()
    print(f"{n_train} clusters, energy per atom {mu:.3f} +- {sd:.3f}")

    net = ClusterNet()
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.65)
    step = 0
    for epoch in range(epochs):
        for rows in torch.randperm(n_train, generator=gen).split(batch):
            loss = (net(x[rows]) - (e[rows] - mu) / sd).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 25 == 0:
                print(f"  step {step:4d}  loss {loss.item():.5f}")
            step += 1
        sched.step()
        with torch.no_grad():
            mae = ((net(x_test) * sd + mu) - e_test).abs().mean().item()
        print(f"epoch {epoch}  test MAE {mae:.5f} (sigma {e_test.std():.5f})")


if __name__ == "__main__":
    main()
