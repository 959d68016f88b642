"""Knowledge distillation: the student sees only the teacher's class probabilities."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_teacher(n_in, n_out, seed):
    torch.manual_seed(seed)
    teacher = nn.Sequential(nn.Linear(n_in, 128), nn.Tanh(), nn.Linear(128, n_out))
    with torch.no_grad():
        teacher[0].weight.mul_(2.0)
        teacher[2].weight.mul_(6.0)
    for w in teacher.parameters():
        w.requires_grad_(False)
    return teacher.eval()


class Distiller:
    def __init__(self, teacher, student, temperature=2.0, lr=3e-3, batch_size=128):
        self.teacher, self.student = teacher, student
        self.T = temperature
        self.batch_size = batch_size
        self.optimizer = torch.optim.Adam(student.parameters(), lr=lr)

    def soft_targets(self, x):
        with torch.no_grad():
            return F.softmax(self.teacher(x) / self.T, dim=1)

    def step(self, x):
        target = self.soft_targets(x)
        loss = F.cross_entropy(self.student(x) / self.T, target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        floor = -(target * target.clamp_min(1e-12).log()).sum(1).mean()
        return loss.item(), floor.item()

    def agreement(self, x):
        with torch.no_grad():
            return (self.student(x).argmax(1) == self.teacher(x).argmax(1)).float().mean().item()

    def fit(self, n_in, steps, every=60):
        probe = torch.randn(2000, n_in)
        loss = floor = 0.0
        for i in range(1, steps + 1):
            l, f = self.step(torch.randn(self.batch_size, n_in))
            loss, floor = loss + l / every, floor + f / every
            if i % every == 0:
                print(f"step {i:4d} soft ce {loss:.4f} (teacher entropy {floor:.4f}) agreement {self.agreement(probe):.3f}")
                loss = floor = 0.0


if __name__ == "__main__":
    teacher = make_teacher(10, 8, seed=1)
    torch.manual_seed(2)
    student = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 8))
    Distiller(teacher, student).fit(10, steps=900)
