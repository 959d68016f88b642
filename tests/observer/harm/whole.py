"""A program that uses every part of torch that the observer follows, and tells what came of it."""

import gc
import hashlib
import os
import shutil
import sys
import weakref

import torch
from torch import nn
from torch.nn import functional

spoiled = "spoiled" in sys.argv
torch.manual_seed(3)
seen = []


def digest(tensors) -> str:
    return hashlib.sha256(b"".join(t.detach().numpy().tobytes() for t in tensors)).hexdigest()[:16]


def trouble() -> None:
    """What a program may do to files that it did not open, and others to the recording."""
    if "closed" in sys.argv:
        os.closerange(3, 1000)
    if "removed" in sys.argv:
        # Again and again: another process may be thinning what is in it.
        while os.path.exists(globals()["recording"]):
            shutil.rmtree(globals()["recording"], ignore_errors=True)
    if "stopped" in sys.argv:
        os.chmod(globals()["recording"], 0o500)


def by_hand() -> None:
    """Updates without an optimizer, by gradients asked for by name and by backward."""
    weight = torch.randn(3, 1, requires_grad=True)
    for i in range(6):
        loss = (torch.ones(4, 3) @ weight - 1).pow(2).mean()
        if i % 2:
            (gradient,) = torch.autograd.grad(loss, [weight])
        else:
            weight.grad = None
            loss.backward()
            gradient = weight.grad
        with torch.no_grad():
            weight -= 0.1 * gradient
    print("by hand", digest([weight]))


class Doubled(torch.autograd.Function):
    """With a gradient that is written by hand."""

    @staticmethod
    def forward(context, x):
        return 2 * x

    @staticmethod
    def backward(context, gradient):
        return 2 * gradient


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(width, 3)

    def forward(self, x, labels=None):
        """What it is given beside the samples it only carries along."""
        return self.head(Doubled.apply(self.body(x)))


def evaluate(model, loader) -> float:
    model.eval()
    with torch.no_grad():
        total = sum(functional.cross_entropy(model(x), y).item() for x, y in loader)
    model.train()
    return total


def plain_loss(model, x, y):
    """One that is written with operations of its own."""
    return -(functional.one_hot(y, 3) * torch.log_softmax(model(x, y), 1)).sum(1).mean()


def train() -> None:
    model, other = Net(8), nn.Linear(6, 3)
    # Shapes tried out without numbers, as frameworks do before they train.
    functional.cross_entropy(torch.zeros(2, 3, device="meta"), torch.zeros(2, dtype=torch.long, device="meta"))
    torch.save(model.state_dict(), "begun.pt")
    model.load_state_dict(torch.load("begun.pt"))
    model.body[0].register_forward_hook(lambda module, given, made: seen.append(made.sum().item()))
    data = torch.utils.data.TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,)))
    loader = torch.utils.data.DataLoader(data, batch_size=6, shuffle=True)
    first = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    second = torch.optim.Adam(other.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(first, 4)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
    losses, step = [], 0
    for epoch in range(3):
        for x, y in loader:
            step += 1
            if step == 7:
                trouble()
            if spoiled and step == 6:
                x = x / 0
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = functional.cross_entropy(model(x, y), y) if epoch else plain_loss(model, x, y)
            first.zero_grad()
            scaler.scale(loss).backward()
            scaler.unscale_(first)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            nn.utils.clip_grad_value_(model.parameters(), 0.5)
            scaler.step(first)
            scaler.update()
            scheduler.step()
            second.zero_grad()
            other_loss = functional.mse_loss(other(x.nan_to_num()), model(x).detach().nan_to_num())
            other_loss.backward()
            second.step()
            losses += [loss.item(), other_loss.item()]
        losses.append(evaluate(model, loader))
        torch.save({"model": model.state_dict(), "first": first.state_dict()}, "state.pt")
        stored = torch.load("state.pt")
        model.load_state_dict(stored["model"])
        first.load_state_dict(stored["first"])
        scheduler.load_state_dict(scheduler.state_dict())
    for _ in range(2):
        try:
            loss.backward()
        except RuntimeError as error:
            print("again:", str(error)[:50])
    with torch.autograd.set_detect_anomaly(True, check_nan=True):
        spoilt = torch.sqrt(other.weight.sum() * 0)
        try:
            spoilt.backward()
        except RuntimeError as error:
            print("anomaly:", str(error)[:40])
    print("scripted", digest(torch.jit.script(nn.Linear(2, 2)).eval()(torch.ones(1, 2)).detach()))
    print("losses", losses, "seen", digest([torch.tensor(seen)]))
    print("weights", digest([*model.parameters(), *model.buffers(), *other.parameters()]))
    print("modes", torch.overrides._len_torch_function_stack())
    held = [weakref.ref(model), weakref.ref(first), weakref.ref(x), weakref.ref(model.head.weight)]
    del model, first, x, y, loss, other_loss, scheduler, stored, scaler, spoilt
    gc.collect()
    print("gone", [reference() is None for reference in held])


if not spoiled:
    by_hand()
train()
if "joined" in sys.argv:
    # After this the observer looks no more at what happens inside models.
    torch.distributed.init_process_group("gloo", init_method=f"file://{os.getcwd()}/store", rank=0, world_size=1)
    wrapped = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
    wrapped(torch.ones(1, 2)).sum().backward()
    print("wrapped", digest([p.grad for p in wrapped.parameters()]))
    torch.distributed.destroy_process_group()
    torch.compile(nn.Linear(2, 2), backend="eager")
print("drawn", torch.rand(1).item())
