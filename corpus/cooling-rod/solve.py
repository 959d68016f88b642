import torch

from rod import T_END, TRUE_A, RodNet, exact, residual

STEPS = 900
W_PDE, W_BOUNDARY, W_START, W_DATA = 0.5, 5.0, 10.0, 10.0

torch.manual_seed(30)


def thermometers(n_times=20, noise=0.01):
    place = torch.linspace(0.1, 0.9, 5).repeat_interleave(n_times)[:, None]
    time = torch.linspace(0.05, T_END, n_times).repeat(5)[:, None]
    return place, time, exact(place, time) + noise * torch.randn_like(place)


def relative_error(net):
    x = torch.linspace(0, 1, 41).repeat(21)[:, None]
    t = torch.linspace(0, T_END, 21).repeat_interleave(41)[:, None]
    with torch.no_grad():
        truth = exact(x, t)
        return ((net(x, t) - truth).norm() / truth.norm()).item()


net = RodNet()
optimizer = torch.optim.Adam([{"params": net.net.parameters(), "lr": 5e-3}, {"params": [net.log_a], "lr": 2e-2}])
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9975)
data_x, data_t, data_u = thermometers()
start_x = torch.linspace(0, 1, 50)[:, None]
start_u = exact(start_x, torch.zeros_like(start_x))

for step in range(STEPS):
    x, t = torch.rand(160, 1), T_END * torch.rand(160, 1)
    edge_t = T_END * torch.rand(40, 1)
    pde_loss = residual(net, x, t).square().mean()
    left, right = net(torch.zeros_like(edge_t), edge_t), net(torch.ones_like(edge_t), edge_t)
    boundary_loss = left.square().mean() + right.square().mean()
    start_loss = (net(start_x, torch.zeros_like(start_x)) - start_u).square().mean()
    data_loss = (net(data_x, data_t) - data_u).square().mean()
    loss = W_PDE * pde_loss + W_BOUNDARY * boundary_loss + W_START * start_loss + W_DATA * data_loss

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 100 == 0 or step == STEPS - 1:
        print(f"{step:4d} loss {loss.item():.5f} pde {pde_loss.item():.5f} edge {boundary_loss.item():.5f} "
              f"start {start_loss.item():.5f} data {data_loss.item():.5f} a {net.log_a.exp().item():.4f}")

print(f"diffusivity {net.log_a.exp().item():.4f} (is {TRUE_A}), relative error {relative_error(net):.4f}")
