"""A classifier trained as most are, with a parameter in every state that one can be in."""

import argparse
import random
import resource

import numpy
import torch
from slow import Calls, Steps, output, tell
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=10)
parser.add_argument("--epochs", type=int, default=3)
options = parser.parse_args()
random.seed(11)  # @seed-random
numpy.random.seed(12)  # @seed-numpy
torch.manual_seed(13)  # @seed-torch


class Net(nn.Module):
    def __init__(self, hidden, classes, slope=0.5):
        super().__init__()
        self.first = nn.Linear(6, hidden)  # @relu-layer
        self.norm = nn.BatchNorm1d(hidden)
        self.relu = nn.ReLU()  # @relu
        self.still = nn.Linear(hidden, hidden)  # in a group whose rate is 0
        self.frozen = nn.Linear(hidden, hidden).requires_grad_(False)
        self.extra = nn.Linear(hidden, hidden)  # used, and in no optimizer
        self.again = nn.Linear(hidden, hidden)
        self.again.weight = self.extra.weight
        self.tanh = nn.Tanh()
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(hidden, classes)
        self.spare = nn.Linear(3, 3)  # in the optimizer, and not used
        self.slope = slope
        nn.init.zeros_(self.head.bias)
        nn.init.zeros_(self.still.bias)
        self.norm.bias.data[:2] = -100.0  # two units that no input can wake

    def forward(self, x):
        x = self.relu(self.norm(self.first(x)))
        x = self.frozen(x) + self.again(self.extra(self.still(x)))
        return self.head(self.drop(self.tanh(3 * x)))


def heard(layer, name, into):
    """Keep what a layer puts out for training."""

    def hook(module, given, value):
        if torch.is_grad_enabled():
            into[name] = output(value)

    layer.register_forward_hook(hook)


def memory():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()


before = memory()
x = torch.randn(48, 6)
x[:, 2], x[:, 4] = 7.0, 50 * x[:, 4]
x[9] = x[8]
y = torch.tensor([0] * 24 + [1] * 12 + [2] * 8 + [3] * 4)
others = torch.cat([torch.randn(13, 6), x[:3]])
train = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)  # @train-loader
test = DataLoader(TensorDataset(others, torch.arange(16) % 3), batch_size=8, drop_last=True)  # @test-loader
model = Net(options.hidden, 4)  # @model
trained = [*model.first.parameters(), *model.norm.parameters(), *model.frozen.parameters()]
trained += [*model.head.parameters(), *model.spare.parameters()]
optimizer = torch.optim.Adam(  # @optimizer
    [{"params": trained}, {"params": model.still.parameters(), "lr": 0.0}], lr=0.03, betas=(0.8, 0.9)
)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)  # @scheduler
steps, call, layers, told, seen, modes = Steps(optimizer), Calls(), {}, [], [], []
for name, layer in model.named_modules():
    if not list(layer.children()) and name not in ("spare", ""):
        heard(layer, f"Net.{name}", layers)
for _ in range(options.epochs):  # @epochs
    model.train()
    for inputs, labels in train:  # @batches
        optimizer.zero_grad()
        call("z")
        scores = model(inputs)  # @call
        call("f")
        loss = nn.functional.cross_entropy(scores, labels, ignore_index=3)  # @loss
        loss.backward()  # @backward
        call("b")
        steps.backward()
        limit = 0.1 if len(steps.rows) % 2 else 1000.0
        nn.utils.clip_grad_norm_(steps.held(), limit)
        call("c")
        steps.begin()
        optimizer.step()  # @step
        call("s")
        steps.end(loss=loss.item(), limit=limit, order=call.taken())
        seen.append(["train", inputs.tolist(), labels.tolist(), scores.tolist()])
        modes.append([True, True])
        told.append(dict(layers))
    scheduler.step()
    call("l")
    model.eval()
    with torch.no_grad():
        for inputs, labels in test:
            scores = model(inputs)  # @eval-call
            call("e")
            nn.functional.cross_entropy(scores, labels)  # @eval-loss
            seen.append(["eval", inputs.tolist(), labels.tolist(), scores.tolist()])
            modes.append([False, False])
tell(
    steps=steps.rows,
    batches=seen,
    layers=told,
    modes=modes,
    names=[f"Net.{name}" for p in steps.held() for name, q in model.named_parameters() if p is q],
    parameters=sum(p.numel() for p in model.parameters()),
    trainable=sum(p.numel() for p in model.parameters() if p.requires_grad),
    reached=sum(p.numel() for p in model.parameters() if p.grad is not None),
    idle=sum(p.numel() for p in steps.held() if p.grad is None),
    groups=[sum(p.numel() for p in group["params"]) for group in optimizer.param_groups],
    memory=[before, memory()],
    threads=torch.get_num_threads(),
)
