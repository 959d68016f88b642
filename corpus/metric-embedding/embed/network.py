import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, inputs, hidden, out):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.project = nn.Linear(hidden, out)

    def forward(self, x):
        return F.normalize(self.project(self.body(x)), dim=1)


class TripletObjective:
    def __init__(self, margin):
        self.margin = margin

    def __call__(self, anchor, positive, negative):
        near = (anchor - positive).square().sum(1)
        far = (anchor - negative).square().sum(1)
        return F.relu(near - far + self.margin).mean(), (near < far).float().mean()
