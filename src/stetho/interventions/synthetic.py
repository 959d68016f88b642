"""Train on made-up data that can be learned: random inputs, and targets that follow from them by a fixed rule.

## What changes
Every tensor of samples that the model is called with for training comes from a pool of random ones with the shape, the
mean and the spread of the program's own; tokens are drawn from a few of those seen. The targets that meet its output
follow from these inputs: a class is the largest of fixed weighted sums, or depends on one token; a number is a weighted
sum with the mean and spread of the program's targets; what is to be ignored stays so. A target that is the input stays
the input. The first call of a model that is given several tensors is left alone: it shows which of them are labels.

## How it is known
Input and target of one call are both looked at: the input is in the pool, and the loss is given the rule's targets.

## What it tells
A model, loss and optimizer that work learn this. If they do, the fault is in the data; if they do not, it is in the
training itself.

## When it says nothing
Targets that the model computes itself, or meets in plain operations inside; samples that are compared with each other;
complex numbers. In plain operations, tensors of several kinds that meet the output, and scales before the target. The
loss is another quantity than before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "smoke"
question = "Can the training learn anything, given data that can be learned?"
applies = "models called with tensors, whose targets meet their output in a loss or outside"
values = {"": "a pool of 512 samples"}
alters = "loss"
# Samples of the pool, and the bytes it may take.
POOL, BYTES = 512, 64 * 2**20
# Parts that a rule looks at, along the features of a sample and along each other axis, by the number of its axes.
PARTS_BY_AXES = {1: (256, 1), 2: (64, 4)}
# Different numbers of one sample, where it is to have many, and different tokens that samples are made of.
NUMBERS, TOKENS = 256, 64
# How much of a sample varies by part, so that a model which averages over places can see it too.
BY_PART, BY_ELEMENT = 0.8, 0.6


class Pool:
    """Made-up samples for one place, of one shape."""

    def __init__(self, torch: Any, features: Any, tensor: Any, generator: Any) -> None:
        self.torch, self.whole = torch, not measured(tensor)
        form = tuple(tensor.shape[1:])
        size = tensor[:1].numel() * 8
        count = max(32, min(POOL, BYTES // max(1, size)))
        if self.whole:
            few = torch.zeros((TOKENS, *form), dtype=tensor.dtype)
            few = features.drawn(few, generator).reshape(TOKENS, -1)
            picked = torch.randint(TOKENS, (count, few.shape[1]), generator=generator)
            self.rows = few.gather(0, picked).reshape(count, *form)
            self.varies = (few != few[:1]).any(0)
            return
        self.mean, self.spread = (moment.float() for moment in features.moments(tensor.float()))
        self.parts, number = parts(torch, form)
        by_part = torch.randn(count, number, generator=generator)[:, self.parts].reshape(count, *form)
        noise = BY_PART * by_part + BY_ELEMENT * torch.randn(count, *form, generator=generator)
        self.rows = (noise * self.spread + self.mean).to(torch.float32)
        if not tensor.is_floating_point():
            self.rows = self.rows.round().clamp(0, 255)

    def standard(self, rows: Any) -> Any:
        """Rows with mean 0 and spread 1."""
        return (rows.float() - self.mean) / self.torch.where(self.spread > 0, self.spread, 1.0)

    def by_part(self, rows: Any) -> Any:
        """The mean of each part of each row."""
        flat = self.standard(rows).reshape(len(rows), -1)
        count = self.torch.bincount(self.parts).clamp_min(1)
        return self.torch.zeros(len(rows), len(count)).index_add_(1, self.parts, flat) / count


class Rule:
    """Targets from inputs, always the same ones for the same input."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.known: dict[tuple[int, int], Any] = {}

    def weights(self, lines: int, columns: int) -> Any:
        if (lines, columns) not in self.known:
            generator = self.torch.Generator().manual_seed(20256 + lines + 7919 * columns)
            made = self.torch.randn(lines, columns, generator=generator) / max(1, lines) ** 0.5
            self.known[lines, columns] = made
        return self.known[lines, columns]

    def tokens(self, pool: Pool, rows: Any, attended: Any, many: int) -> Any:
        """The token that each target depends on: the one in its place, or the first that varies and is attended to."""
        flat = rows.reshape(len(rows), -1)
        if many > 1:
            return flat[:, self.torch.arange(many) % flat.shape[1]].long()
        fit = pool.varies & (attended.reshape(len(rows), -1) > 0) if attended is not None else pool.varies
        first = fit.expand(len(rows), -1).float().argmax(dim=1, keepdim=True)
        return flat.gather(1, first).long()

    def scores(self, pool: Pool, rows: Any, many: int, columns: int) -> Any:
        """For each sample and each of its targets, weighted sums of what the target depends on."""
        values = pool.standard(rows)
        if values.dim() > 2:
            values = values.flatten(2).transpose(1, 2) if values.dim() > 3 else values
            if many == values.shape[1] and many > 1:
                return values @ self.weights(values.shape[2], columns)
        sums = pool.by_part(rows)
        if columns > 1:
            return (sums @ self.weights(sums.shape[1], columns))[:, None].expand(-1, many, -1)
        made = sums @ self.weights(sums.shape[1], min(many, NUMBERS))
        return made[:, self.torch.arange(many) % made.shape[1], None]

    def classes(self, pool: Pool, rows: Any, attended: Any, many: int, number: int) -> Any:
        """One of so many classes for each target."""
        if pool.whole:
            return (self.tokens(pool, rows, attended, many) * 40503 // 8) % number
        return self.scores(pool, rows, many, number).argmax(dim=-1)

    def numbers(self, pool: Pool, rows: Any, attended: Any, many: int) -> Any:
        """A number with mean 0 and spread near 1 for each target."""
        if pool.whole:
            return ((self.tokens(pool, rows, attended, many) * 40503 % 997) / 997 - 0.5) * 12**0.5
        return self.scores(pool, rows, many, 1)[..., 0]


def apply(run: Run, value: str) -> None:
    """Draw the inputs of each call from the pool, and answer its targets by the rule."""
    torch, rule = run.torch, Rule(run.torch)
    generator = torch.Generator().manual_seed(20257)
    seen: dict[Any, Any] = {}
    pools: dict[Any, Pool] = {}
    spread: dict[int, Any] = {}
    state: dict[str, Any] = {"call": -1}

    def drawn(place: Any, tensor: Any, known: bool) -> Any:
        features = seen.setdefault(place, run.features())
        key = (place, tensor.shape[1:], tensor.dtype)
        if key not in pools:
            features.add(tensor.float() if measured(tensor) else tensor)
        if tensor.is_complex():
            run.refused("the inputs are complex numbers")
            return None
        if not known or not tensor.numel():
            return None
        if key not in pools:
            pools[key] = Pool(torch, features, tensor, generator)
        if state["call"] != run.batch.calls:
            rows = torch.randint(POOL, (tensor.shape[0],), generator=generator)
            state.update(call=run.batch.calls, picked=rows, pool=pools[key], given=[], path=place[1])
            state.update(kinds=[], answers=[])
            state["attended"] = mask(tensor)
        new = pools[key].rows[state["picked"] % len(pools[key].rows)]
        state["given"].append((tensor, new))
        run.applied()
        return new

    def mask(tensor: Any) -> Any:
        """The tensor of the call that says which tokens count."""
        for other in run.batch.tensors.values():
            if other.shape == tensor.shape and not other.is_floating_point() and other is not tensor:
                values = other.detach().cpu()
                if bool(((values == 0) | (values == 1)).all()) and bool((values == 1).any()):
                    return values
        return None

    def look(place: Any, given: Any, entered: Any) -> None:
        """Verified where the targets are, which comes later, and may never."""

    def answered(target: Any, met: Any) -> Any:
        """The rule's target in the form of the program's; None where it is left alone."""
        pool, attended = state["pool"], state["attended"]
        for tensor, new in state["given"]:
            if tensor.numel() == target.numel() and bool((tensor.reshape(-1) == target.reshape(-1)).all()):
                return new.reshape(target.shape).to(target)
        rows = pool.rows[state["picked"] % len(pool.rows)]
        size, many = len(rows), target.numel() // max(1, len(rows))
        if not many or target.numel() % size:
            run.contradicted("a target does not have a row for each sample")
            return None
        old = target.detach().cpu()
        if is_share(old) and old.shape == met.shape:
            number, rest = old.shape[1], many // old.shape[1]
            found = rule.classes(pool, rows, attended, rest, number).reshape(size, rest)
            hot = torch.nn.functional.one_hot(found, number).transpose(1, 2)
            return hot.reshape(old.shape).to(target)
        number = met.numel() // target.numel() if met.numel() % target.numel() == 0 else 1
        if number == old.numel() > 1 and bool((old.reshape(-1).sort().values == torch.arange(number)).all()):
            run.contradicted("targets name places in the batch, as where samples are compared with each other")
            return None
        if not old.is_floating_point() and old.dtype != torch.bool and number > 1:
            found = rule.classes(pool, rows, attended, many, number).reshape(old.shape)
            # What the loss ignores is no class.
            return torch.where((old < 0) | (old >= number), old, found.to(old)).to(target)
        if old.numel() > 1 and old.is_floating_point() and bool((old == old.reshape(-1)[0]).all()):
            return None
        numbers = rule.numbers(pool, rows, attended, many).reshape(old.shape)
        if bool(((old == 0) | (old == 1)).all()):
            return (numbers > 0).to(target)
        return like_those_seen(old, numbers).to(target)

    def like_those_seen(old: Any, numbers: Any) -> Any:
        held = spread.setdefault(run.meetings.number, run.features())
        held.add(old.reshape(-1).float())
        mean, deviation = (float(moment) for moment in held.moments(old.reshape(-1).float()))
        scaled = numbers * deviation + mean
        return scaled if old.is_floating_point() else scaled.round().clamp(int(old.min()), int(old.max()))

    def known_answer(target: Any) -> Any:
        """The answer to a target that has met the output before in this call, as it was or as what is left to 1."""
        for old, new in state["answers"]:
            if old.numel() != target.numel():
                continue
            if bool((old.reshape(-1) == target.reshape(-1)).all()):
                return new.reshape(target.shape).to(target)
            if bool((1 - old.reshape(-1).double() == target.reshape(-1).double()).all()):
                return (1 - new.reshape(target.shape).double()).to(target)
        return None

    @run.on_beside
    def accompany(tensor: Any, met: Any, what: str) -> Any:
        """The input stays the input; weights of a loss can stay, but not what turns its sign."""
        if state["call"] != run.batch.calls or not tensor.numel():
            return None
        if what == "input":
            if any(tensor.numel() == given.numel() for given, _ in state["given"]):
                return answer(tensor, met)
            run.contradicted("a part of the input meets the output")
        if what == "factor":
            state["kinds"].append(("factor", True))
            if bool((tensor < 0).any()):
                run.contradicted("what multiplies the output turns its sign for some samples")
        return None

    @run.on_target
    def labelled(target: Any, met: Any) -> Any:
        if state["call"] != run.batch.calls or not target.numel() or target.is_complex():
            return None
        # In plain operations a label is guessed at: with others about, the rule may answer what is none.
        kind = (target.is_floating_point(), tuple(size for size in target.shape[1:] if size > 1))
        if any(other != kind and (plain or run.meetings.plain) for other, plain in state["kinds"]):
            run.contradicted("tensors of several kinds meet the output, and which of them are targets is not known")
        state["kinds"].append((kind, run.meetings.plain))
        new = answer(target, met)
        if new is not None:
            state["answers"].append((target.detach(), new))
        return new

    def answer(target: Any, met: Any) -> Any:
        new = known_answer(target)
        if new is None:
            new = answered(target, met)
        state["answer"] = new
        entered = run.batch.tensors.get(state["path"])
        if new is None or entered is None:
            return None
        first = pool_row(entered)
        if first and bool((new != target).any()):
            run.verified()
        return new

    def pool_row(entered: Any) -> bool:
        """Whether what entered the model is in the pool."""
        wanted = state["pool"].rows.to(entered.dtype).reshape(len(state["pool"].rows), -1)
        return bool((wanted == entered.detach().cpu()[:1].reshape(1, -1)).all(1).any())

    @run.on_loss
    def given_to_the_loss(call: Any) -> None:
        target, wanted = call.target, state.get("answer")
        if state["call"] != run.batch.calls or not isinstance(target, torch.Tensor) or wanted is None:
            return
        if call.trained and (target.shape != wanted.shape or not torch.equal(target, wanted)):
            run.contradicted("the loss was given other targets than the rule's")

    run.on_samples(drawn, look)


def measured(tensor: Any) -> bool:
    """Whether values are measured and not names of things: floats, and the bytes of images."""
    return bool(tensor.is_floating_point()) or (tensor.dim() > 3 and tensor.element_size() == 1)


def parts(torch: Any, form: tuple[int, ...]) -> tuple[Any, int]:
    """For each element of a sample the number of the part that it lies in, and how many parts there are."""
    number, total = torch.zeros((), dtype=torch.long), 1
    features = 0 if len(form) > 2 else len(form) - 1
    # Few along places and times: many models see these only as a mean.
    along, across = PARTS_BY_AXES.get(len(form), (16, 2))
    for axis, size in enumerate(form):
        blocks = max(1, min(size, along if axis == features else across))
        number = number[..., None] * blocks + torch.arange(size) * blocks // max(1, size)
        total *= blocks
    return number.reshape(-1), total


def is_share(target: Any) -> bool:
    """Whether a target says for each class how much of it there is: one of them, or a mixture."""
    if target.dim() < 2 or target.shape[1] < 2 or bool((target < 0).any()):
        return False
    return bool(((target.double().sum(1) - 1).abs() < 1e-3).all())
