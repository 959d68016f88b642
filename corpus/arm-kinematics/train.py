import torch
from torch import nn

torch.manual_seed(20)

# three-link arm in the plane
links = torch.tensor([1.0, 0.7, 0.4])


def hand_position(q):
    a = q.cumsum(dim=1)
    return torch.stack([(links * a.cos()).sum(1), (links * a.sin()).sum(1)], dim=1)


def features(q):
    return torch.cat([q.sin(), q.cos()], dim=1)


q = (torch.rand(6000, 3) * 2 - 1) * 2.0
xy = hand_position(q)
train_q, train_xy = q[:5000], xy[:5000]
test_q, test_xy = q[5000:], xy[5000:]
scale = train_xy.std(0)
print("target std:", scale.tolist())

model = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=6, gamma=0.3)
bs = 100

for epoch in range(14):
    train_q = train_q[torch.randperm(len(train_q))]
    running = 0.0
    for i in range(0, len(train_q), bs):
        inputs = features(train_q[i:i + bs])
        target = train_xy[i:i + bs]
        pred = model(inputs)
        loss = (((pred - target) / scale) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * bs
    scheduler.step()
    with torch.no_grad():
        err = (model(features(test_q)) - test_xy).norm(dim=1).mean()
    print("epoch %2d   loss %.5f   mean hand error %.3f" % (epoch, running / len(train_q), err))
