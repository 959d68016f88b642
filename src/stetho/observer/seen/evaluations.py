"""Losses that are computed without training on them: what each evaluation of held-out data comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .. import sites
from ..unseen import unrecorded

if TYPE_CHECKING:
    from ..watch import Watch

# Evaluations on record, lines that are told apart within one, and samples of each by which it is told what it is of.
MOST, LINES, PRINTS = 400, 8, 64
# Classes of which it is counted how often each is taken for each other, and counts of these that are kept.
CLASSES, COUNTS = 128, 600
SHARES = {"binary_cross_entropy_with_logits": 0.0, "binary_cross_entropy": 0.5}


class Line:
    """What one line of an evaluation has come to so far; sums stay on the device until they are written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = self.samples = 0
        self.loss: Any = 0.0
        self.right: Any = 0
        self.answers: Any = 0
        self.taken: Any = None
        self.prints: list[str] = []


class Evaluations:
    """Adds up the losses between two calls of a model for training, line by line."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.lines: dict[int, Line] = {}
        self.written = 0

    def seen(self, name: str, given: Any, target: Any, reduction: str, value: Any) -> None:
        """A loss was computed that cannot be trained on, of what a model was last called with for evaluation."""
        watch = self.watch
        if self.written >= MOST or watch.modules.evaluating is None or name == "log_softmax":
            return
        if not isinstance(given, torch.Tensor) or not isinstance(target, torch.Tensor) or not given.dim():
            return
        if not given.shape[0] or given.is_meta:
            return
        site = watch.journal.site(sites.here(4, 5))
        line = self.lines.get(site)
        if line is None:
            if len(self.lines) >= LINES:
                return
            line = self.lines[site] = Line(name)
        with unrecorded():
            rows = given.shape[0]
            line.calls += 1
            line.samples += rows
            line.loss = line.loss + (value.detach().float().mean() * (1 if reduction == "sum" else rows))
            right, answers = answered(name, given, target)
            line.right, line.answers = line.right + right, line.answers + answers
            counts = taken_for(name, given, target)
            fits = counts is not None and line.taken is not None and counts.shape == line.taken.shape
            line.taken = line.taken + counts if fits else counts
        if watch.data.batch is not None and watch.data.batch["phase"] == "eval":
            line.prints.extend(watch.data.batch["h"][: PRINTS - len(line.prints)])

    def over(self) -> None:
        """Training goes on, or the run ends: write down what the evaluation came to."""
        lines, self.lines = self.lines, {}
        for site, line in lines.items():
            self.written += 1
            answers = int(line.answers)
            self.watch.journal.write(
                "evaluation",
                step=self.watch.step,
                site=site,
                fn=line.name,
                calls=line.calls,
                n=line.samples,
                loss=float(line.loss) / line.samples,
                right=int(line.right) / answers if answers else None,
                **kept(line.taken),
                h=line.prints,
            )

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.lines = {}


def answered(name: str, given: Any, target: Any) -> tuple[Any, Any]:
    """Right answers and all answers, where a loss of classes tells them."""
    if name in ("cross_entropy", "nll_loss") and not target.is_floating_point() and given.dim() > 1:
        # What is ignored is below zero, which no answer is.
        known = target >= 0
        return ((given.argmax(dim=1) == target) & known).sum(), known.sum()
    if name.startswith("binary_cross_entropy") and given.shape == target.shape:
        return ((given > (0.0 if name.endswith("logits") else 0.5)) == (target > 0.5)).sum(), target.numel()
    return 0, 0


def taken_for(name: str, given: Any, target: Any) -> Any:
    """How often each class was taken for each, a line for each right answer, and how often each was right in a last
    column; None where there are no classes, or many.

    Where a sample may have several classes, a line counts the answers that were given beside that one.
    """
    if name in SHARES and given.shape == target.shape:
        right, said = target > 0.5, given > SHARES[name]
        if given.dim() < 2 or given.shape[1] == 1:
            right, said = right.reshape(-1, 1), said.reshape(-1, 1)
            right, said = torch.cat([~right, right], 1), torch.cat([~said, said], 1)
        if right.dim() != 2 or right.shape[1] > CLASSES:
            return None
        table = right.float().t() @ said.float()
        return torch.cat([table, right.float().sum(0).reshape(-1, 1)], 1).round().long()
    kinds = given.shape[1] if given.dim() > 1 else 0
    whole = name in ("cross_entropy", "nll_loss") and not target.is_floating_point()
    if not whole or not 2 <= kinds <= CLASSES or target.numel() * kinds != given.numel():
        return None
    # What lies outside, as what is ignored does, is counted in a line of its own and left out.
    flat, answers = target.reshape(-1), given.argmax(dim=1).reshape(-1)
    inside = torch.where((flat >= 0) & (flat < kinds), flat, torch.full_like(flat, kinds))
    table = torch.bincount(inside * kinds + answers, minlength=(kinds + 1) * kinds).reshape(kinds + 1, kinds)[:kinds]
    return torch.cat([table, table.sum(1).reshape(-1, 1)], 1)


def kept(table: Any) -> dict[str, Any]:
    """The largest counts of a table, each with its line and column, and how often each class was right."""
    if table is None:
        return {}
    counts = table[:, :-1].cpu()
    places = counts.nonzero()
    found = counts[places[:, 0], places[:, 1]]
    most = found.argsort(descending=True)[:COUNTS]
    return {"taken": [[*places[k].tolist(), int(found[k])] for k in most], "of": table[:, -1].tolist()}
