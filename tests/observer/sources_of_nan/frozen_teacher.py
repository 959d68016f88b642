"""The targets come from a teacher that runs without gradients, and divides by zero there."""

# truth: step=66 phase=forward op=div module=sharpen
import torch
from torch import nn


class Sharpen(nn.Module):
    def forward(self, scores):
        power = scores.relu().square()
        return power / power.sum(-1, keepdim=True)  # <- here


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.sharpen = nn.Linear(5, 3, bias=False), Sharpen()

    def forward(self, x):
        return self.sharpen(self.score(x))


torch.manual_seed(41)
student = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
teacher = Teacher()
with torch.no_grad():
    teacher.score.weight.abs_()
optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
data = torch.rand(80, 8, 5)
data[66, 1] = 0
losses = []
for x in data:
    with torch.no_grad():
        target = teacher(x)
    loss = (student(x).softmax(-1) - target).square().sum(-1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())
