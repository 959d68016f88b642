"""Small trainings that can be asked for with a fault and without: the numbers they print are compared.

Run by path, under a change; or called in the test's own process, where nothing is changed.
"""

import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

STEPS = 5


def data(rows=24):
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(rows, 6, generator=generator)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()


def small(inplace=False, act=None):
    torch.manual_seed(1)
    act = act or nn.ReLU(inplace)
    return nn.Sequential(nn.Linear(6, 8), act, nn.BatchNorm1d(8), nn.Linear(8, 8), act, nn.Linear(8, 3))


def trained(model, optimizer, loss, scheduler=None, between=None, closure=False):
    """The loss of each step, then the sum of all parameters in absolute value."""
    found = []
    for _ in range(STEPS):

        def once():
            optimizer.zero_grad()
            value = loss()
            value.backward()
            if between is not None:
                between(optimizer)
            found.append(value.item())
            return value

        if closure:
            optimizer.step(once)
        else:
            once()
            optimizer.step()
        if scheduler is not None:
            scheduler.step()
    return [*found, sum(p.detach().double().abs().sum().item() for p in model.parameters())]


class Dropping(nn.Module):
    """Every way to drop: layers, functions, attention, recurrence."""

    def __init__(self, p):
        super().__init__()
        self.p = p
        self.first = nn.Linear(6, 8)
        self.layers = nn.Sequential(nn.Dropout(p), nn.AlphaDropout(p))
        self.attention = nn.MultiheadAttention(8, 2, dropout=p, batch_first=True)
        self.recurrent = nn.LSTM(8, 8, num_layers=2, dropout=p, batch_first=True)
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        h = self.layers(self.first(x)).view(6, 4, 8)
        h = F.dropout(self.attention(h, h, h, need_weights=False)[0], self.p, self.training)
        h = F.dropout1d(h, self.p, self.training) + self.attention(h, h, h)[0]
        h = torch.dropout(self.recurrent(h)[0], self.p, self.training)
        return self.last(h.reshape(24, 8))


def dropout(p, drawn=""):
    torch.manual_seed(1)
    x, y = data()
    model = Dropping(float(p))
    torch.manual_seed(3)
    found = trained(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y))
    return [*found, dropout("0.3")[-1] if drawn else torch.rand(1).item()]


class Wrapped(torch.optim.Optimizer):
    """Steps with another optimizer, whose groups are its own, and looks back every second step."""

    def __init__(self, inner):
        self.inner, self.count = inner, 0
        super().__init__(inner.param_groups, {})
        self.param_groups = inner.param_groups
        self.slow = [p.detach().clone() for group in self.param_groups for p in group["params"]]

    @torch.no_grad()
    def step(self, closure=None):
        loss = self.inner.step(closure)
        self.count += 1
        if self.count % 2 == 0:
            for p, slow in zip((p for group in self.param_groups for p in group["params"]), self.slow, strict=True):
                p.copy_(slow.lerp_(p, 0.5))
        return loss


def stepping(kind, lr, momentum="0", decay="0", schedule="none", closure=""):
    x, y = data()
    model = small()
    if kind in ("sgd", "wrapped"):
        optimizer = torch.optim.SGD(
            model.parameters(), lr=float(lr), momentum=float(momentum), weight_decay=float(decay)
        )
    else:
        optimizer = getattr(torch.optim, kind)(model.parameters(), lr=float(lr), weight_decay=float(decay))
    if kind == "wrapped":
        optimizer = Wrapped(optimizer)
    shapes = {
        "none": lambda t: 1.0,
        "halved": lambda t: 0.5**t,
        "warm": lambda t: min(1.0, (t + 1) / 4),
        "again": lambda t: 0.5 ** (t if t < 3 else t - 3),
    }
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, shapes[schedule])
    return trained(model, optimizer, lambda: F.cross_entropy(model(x), y), scheduler, closure=bool(closure))


def terms(which):
    x, y = data()
    model, other = small(), nn.Linear(6, 3)
    both = nn.ModuleList([model, other])

    def loss():
        out = model(x)
        found = [F.cross_entropy(out, y), 0.1 * out.pow(2).mean(), F.cross_entropy(other(x), y)]
        return 2 * torch.stack(found).sum() if which == "all" else 2 * found[int(which)]

    found = trained(both, torch.optim.SGD(both.parameters(), lr=0.1, weight_decay=0.1), loss)
    return found[-1:]


def wiped(*ways):
    """The same training for each way to clear gradients before the step."""
    x, y = data()
    found = []
    for how in ways:
        model = small()

        def between(optimizer, how=how, model=model):
            for p in model.parameters():
                if how == "none":
                    p.grad = None
                elif how == "zero":
                    p.grad.zero_()
            if how == "optimizer":
                optimizer.zero_grad(set_to_none=False)
            elif how == "module":
                model.zero_grad()

        optimizer = torch.optim.Adam(model.parameters())
        found += trained(model, optimizer, lambda model=model: F.cross_entropy(model(x), y), between=between)
    return found


def several(*ways):
    """Two losses for each step: the gradients of the first one cleared, kept, or cleared after they were put to use."""
    x, y = data()
    found = []
    for how in ways:
        model, ranks = small(), nn.Linear(3, 1)
        held = [*model.parameters(), *ranks.parameters()]
        optimizer = torch.optim.SGD(held, lr=0.1)
        for _ in range(4):
            before = [p.detach().clone() for p in held]
            inputs = x.clone().requires_grad_(how == "attack")
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), y).backward()
            if how == "moved":
                with torch.no_grad():
                    for p in model.parameters():
                        p.sub_(0.01 * p.grad)
            if how != "kept":
                optimizer.zero_grad(set_to_none=how == "none")
            ranks(model(x)).square().mean().backward()
            optimizer.step()
            moved = [(p.detach() - old).norm() for p, old in zip(held, before, strict=True)]
            found.append(torch.stack(moved).norm().item())
    return found


def players(order):
    """A generator whose gradients reach the critic and are cleared there, before or after the critic's own."""
    x, _ = data()
    generator, critic = small(), nn.Linear(3, 1)
    one, other = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (generator, critic))
    found = []
    for _ in range(4):
        before = [p.detach().clone() for m in (generator, critic) for p in m.parameters()]
        one.zero_grad()
        critic(generator(x)).mean().backward()
        if order == "in turn":
            one.step()
        other.zero_grad()
        (critic(generator(x).detach()) - 1).square().mean().backward()
        other.step()
        if order == "together":
            one.step()
        now = [p.detach() for m in (generator, critic) for p in m.parameters()]
        found.append(torch.stack([(a - b).norm() for a, b in zip(now, before, strict=True)]).norm().item())
    return found


def reduced(reduction):
    x, y = data()
    model = small()
    loss = nn.CrossEntropyLoss(reduction=reduction)
    return trained(model, torch.optim.SGD(model.parameters(), lr=0.01), lambda: loss(model(x), y))


def terms_beside(how):
    """A summed loss with another term: one written by hand, or one that is summed over as many elements."""
    x, y = data()
    model = small()

    def loss():
        out = model(x)
        main = F.cross_entropy(out, y, reduction="sum")
        return main + (out.pow(2).sum() if how == "own" else 0.5 * F.cross_entropy(2 * out, y, reduction="sum"))

    return trained(model, torch.optim.SGD(model.parameters(), lr=0.001), loss)


def scaled(*how):
    """Steps of an optimizer under a gradient scaler; the sizes of its updates."""
    x, y = data()
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0, fused="fused" in how)
    scaler = torch.amp.GradScaler("cpu", enabled="plain" not in how)
    found = []
    for _ in range(STEPS):
        before = [p.detach().clone() for p in model.parameters()]
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        if "wiped" in how:
            optimizer.zero_grad(set_to_none=False)
        scaler.step(optimizer)
        scaler.update()
        moved = [(p.detach() - old).norm() for p, old in zip(model.parameters(), before, strict=True)]
        found.append(torch.stack(moved).norm().item())
    return found


def shapes(how):
    """Once with a loss of torch's, once with plain operations."""
    x, y = data()
    target = (y[:, None] if how == "right" else y).float()
    found = []
    for plain in (False, True):
        model = nn.Sequential(small(), nn.Linear(3, 1))

        def loss(model=model, plain=plain):
            out = model(x)
            return (out - target).abs().mean() if plain else F.smooth_l1_loss(out, target)

        found += trained(model, torch.optim.SGD(model.parameters(), lr=0.1), loss)
    return found


def weighted(how):
    x, y = data()
    model = small()
    counts = torch.bincount(y, minlength=3).double()
    weight = (len(y) / (3 * counts)).float() if how == "weighted" else None
    return trained(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y, weight))


def activated(name, inplace=""):
    x, y = data()
    model = small(bool(inplace), nn.LeakyReLU() if name == "leaky" else None)
    return trained(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y))


class Mixed(nn.Module):
    """Makes constants of its own in single precision."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.recurrent = nn.GRU(8, 8, batch_first=True)
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        h = self.first(x).view(6, 4, 8) @ torch.eye(8, dtype=x.dtype)
        return self.last(self.recurrent(h)[0].reshape(24, 8).to(x.dtype)).squeeze(1)


def double(kind):
    x, y = data()
    torch.manual_seed(2)
    model = Mixed()
    if kind == "double":
        model, x = model.double(), x.double()
    target = y.to(x.dtype)
    found = trained(model, torch.optim.Adam(model.parameters()), lambda: F.mse_loss(model(x), target))
    with torch.no_grad():
        return [*found, model(x).sum().item()]


def modes(how):
    x, y = data()
    model = small()
    model[3].eval()
    if how == "always eval":
        model.eval()
    before = model[2].running_mean.sum().item()

    def loss():
        if how == "forgets":
            model.eval()
            model(x[:8]).sum()
            model.train()
        return F.cross_entropy(model(x), y)

    found = trained(model, torch.optim.SGD(model.parameters(), lr=0.1), loss)
    flags = [float(m.training) for m in model.modules()]
    return [*found, model[2].running_mean.sum().item() - before, *flags]


class Recomputed(nn.Module):
    """Computes its parts again in backward, one of them within another."""

    def __init__(self, off):
        super().__init__()
        self.off = off
        self.model = small()
        self.drop = nn.Dropout(0.5)

    def part(self, x):
        return torch.utils.checkpoint.checkpoint(self.drop, self.model[:3](x), use_reentrant=False)

    def forward(self, x):
        if self.off:
            return self.model[3:](self.drop(self.model[:3](x.to(self.model[0].weight.dtype))))
        return self.model[3:](torch.utils.checkpoint.checkpoint(self.part, x, use_reentrant=False))


def recomputed(how):
    """Trained in a mode, or in a precision, with parts that are computed again; `off`: with none."""
    x, y = data()
    model = Recomputed("off" in how)
    if "eval" in how:
        model.eval()
    if "double" in how:
        model.double()
    torch.manual_seed(7)
    found = trained(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y))
    return [*found, model.model[2].num_batches_tracked.item()]


def idle(how):
    """A model without gradients makes what another is given, or what it is to give."""
    x, y = data()
    model, other = small(), small()
    judge = nn.Linear(3, 3)

    def loss():
        with torch.no_grad():
            made = other(x)
        if how == "input":
            return F.cross_entropy(judge(made.view(24, 3)), y)
        if how == "target":
            return F.mse_loss(model(x), made)
        return (model(x) - made).pow(2).mean() if how == "plain" else F.cross_entropy(model(x), y)

    return trained(model, torch.optim.SGD([*model.parameters(), *judge.parameters()], lr=0.1), loss)


def thawed(how):
    x, y = data()
    model = small()
    if how == "frozen":
        model[0].requires_grad_(False)
    held = list(model.parameters()) if how == "right" else [*model[2].parameters(), *model[3].parameters()]
    return trained(model, torch.optim.SGD(held, lr=0.1), lambda: F.cross_entropy(model(x), y))


def remembered(how):
    x, _ = data()
    torch.manual_seed(6)
    model = nn.Linear(6, 3)
    optimizer, state, kept, found = torch.optim.SGD(model.parameters(), lr=0.1), torch.zeros(3), [], []
    for _ in range(STEPS):
        state = 0.5 * (state if how == "carried" else state.detach()) + model(x).mean(0)
        loss = (state - 1).pow(2).sum()
        optimizer.zero_grad()
        loss.backward(retain_graph=how == "carried")
        optimizer.step()
        kept.append(loss)
        found.append(loss.item())
    return [*found, sum(p.detach().abs().sum().item() for p in model.parameters())]


def written(how):
    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x, scale)
            return torch.sin(x) * scale * (torch.rand_like(x) > 0.1)

        @staticmethod
        def backward(ctx, gradient):
            x, scale = ctx.saved_tensors
            return -gradient * torch.cos(x), gradient.sum() * scale

    x, y = data()
    torch.manual_seed(7)
    model, scale, head = nn.Linear(6, 8), nn.Parameter(torch.tensor(1.5)), nn.Linear(8, 3)
    own = Own.apply if how == "wrong" else lambda a, b: torch.sin(a) * b * (torch.rand_like(a) > 0.1)
    held = nn.ParameterList([*model.parameters(), scale, *head.parameters()])
    return trained(held, torch.optim.SGD(held, lr=0.1), lambda: F.cross_entropy(head(own(model(x), scale)), y))


def statistics():
    x, y = data()
    torch.manual_seed(4)
    model = nn.Sequential(nn.Sequential(small(), nn.Dropout(0.3)), nn.Linear(3, 3))
    found = trained(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y))
    norm = model[0][0][2]
    return [*found, norm.running_var.sum().item(), float(norm.num_batches_tracked), torch.rand(1).item()]


def called(name, *arguments):
    """The numbers of one training."""
    return globals()[name](*arguments)


if __name__ == "__main__":
    print(json.dumps(called(*sys.argv[1:])))
