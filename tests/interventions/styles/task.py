"""What the six programs train, each in a style of its own: noisy points, and the faults that can be asked for."""

import argparse

import torch
from torch import nn

CLASSES, FEATURES, SAMPLES, BATCH = 4, 12, 256, 32


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--softmax", action="store_true", help="probabilities go into a loss that wants scores")
    parser.add_argument("--never-clear", action="store_true", help="gradients are never cleared")
    parser.add_argument("--wipe", action="store_true", help="gradients are cleared between backward and step")
    parser.add_argument("--always-eval", action="store_true", help="the model stays in evaluation mode")
    parser.add_argument("--forget", action="store_true", help="the last layer is not given to the optimizer")
    parser.add_argument("--freeze", action="store_true", help="the first layer asks for no gradient")
    parser.add_argument("--summed", action="store_true", help="the loss is summed over the batch")
    parser.add_argument("--regress", action="store_true", help="targets (B,) against outputs (B, 1)")
    parser.add_argument("--plain", action="store_true", help="the loss is written with plain operations")
    parser.add_argument("--zeros", action="store_true", help="logarithms are taken at zero")
    parser.add_argument("--edges", action="store_true", help="roots and quotients at zero, exponentials that overflow")
    parser.add_argument("--half", action="store_true", help="the model runs under autocast")
    parser.add_argument("--recompute", action="store_true", help="activations are computed again in backward")
    parser.add_argument("--compiled", action="store_true", help="the model is compiled")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--ordered", action="store_true", help="samples come in the order of their classes")
    parser.add_argument("--lr", type=float, default=0.05)
    return parser.parse_args()


def points(seed: int = 0, samples: int = SAMPLES, ordered: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    centers = 2 * torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(99))
    y = torch.randint(0, CLASSES, (samples,), generator=generator)
    y = y.sort().values if ordered else y
    return centers[y] + torch.randn(samples, FEATURES, generator=generator) + 3.0, y


class Points(torch.utils.data.Dataset):
    """The same as a data set, each sample a little different every time."""

    def __init__(self, seed: int = 0, samples: int = SAMPLES, ordered: bool = False, floats: bool = False) -> None:
        self.x, self.y = points(seed, samples, ordered)
        self.floats = floats

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.y[i].float() if self.floats else self.y[i]
        return self.x[i] + 0.05 * torch.randn(FEATURES), y


class Net(nn.Module):
    def __init__(self, o: argparse.Namespace) -> None:
        super().__init__()
        self.first = nn.Linear(FEATURES, 32)
        self.body = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(32), nn.Dropout(0.2), nn.Linear(32, 32), nn.ReLU())
        self.head = nn.Linear(32, 1 if o.regress else CLASSES)
        self.softmax, self.recompute = o.softmax, o.recompute
        if o.freeze:
            self.first.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(x)
        if self.recompute:
            h = torch.utils.checkpoint.checkpoint(self.body, h, use_reentrant=False)
        else:
            h = self.body(h)
        out = self.head(h)
        return out.softmax(dim=-1) if self.softmax else out


def objective(o: argparse.Namespace, out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The loss: one term for the labels, a small one that keeps the outputs small."""
    kind = "sum" if o.summed else "mean"
    if o.regress and o.plain:
        main = ((out - y) ** 2).mean()
    elif o.regress:
        main = nn.functional.mse_loss(out, y.float(), reduction=kind)
    elif o.plain:
        chosen = out - out.logsumexp(dim=1, keepdim=True)
        main = -chosen[torch.arange(len(y)), y].mean()
    else:
        main = nn.functional.cross_entropy(out, y, reduction=kind)
    if o.zeros:
        main = main - 1e-6 * out.float().relu().log().mean()
    if o.edges:
        main = main + 1e-6 * at_the_edge(out.float())
    if o.summed:
        return main
    return main + 1e-3 * out.float().pow(2).mean()


def at_the_edge(out: torch.Tensor) -> torch.Tensor:
    """A root and a quotient that meet zeros, and an exponential that overflows."""
    none = out.relu() * 0
    return none.sqrt().mean() + (none / none.sum()).mean() + (100 + none).exp().mean()


def trained(o: argparse.Namespace, model: nn.Module) -> list[nn.Parameter]:
    return [p for name, p in model.named_parameters() if not (o.forget and "head" in name) and p.requires_grad]


def made(o: argparse.Namespace, model: nn.Module) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    optimizer = torch.optim.SGD(trained(o, model), lr=o.lr, momentum=0.9, weight_decay=0.01)
    return optimizer, torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.7)
