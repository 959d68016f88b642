"""Train on made-up data that can be learned: random inputs, and targets that follow from them by a fixed rule.

## What changes
Every tensor of samples that the model is called with for training comes from a pool of random ones with the shape,
the mean and the spread of the program's own, or the spread 1 where those are all the same; tokens are drawn from a
few of those seen. The targets that meet its output follow from these inputs: a class is the largest of fixed weighted
sums, or depends on one token; a number is a weighted sum with the mean and spread of the program's targets; what is
to be ignored stays so. A target that is the input stays the input. The first call of a model that is given several
tensors is left alone: it shows which of them are labels.

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
    from stetho.observer.change.features import Features
    from stetho.observer.change.made_up import Drawn, Pool
    from stetho.observer.change.moments import LossCall
    from stetho.observer.change.samples import Place

kind = "smoke"
question = "Can the training learn anything, given data that can be learned?"
applies = "models called with tensors, whose targets meet their output in a loss or outside"
values = {"": "a pool of 512 samples"}
alters = "loss"
backgrounds = {"": {"symptom-gone": 0.05, "better": 0.04, "same": 0.72, "worse": 0.15, "new-failure": 0.04}}


class Call:
    """One call of the model: what it is given from the pools, and what its targets have become so far."""

    def __init__(self, number: int, place: Place, drawn: Drawn) -> None:
        self.number, self.place, self.drawn = number, place, drawn
        self.given: list[tuple[Any, Any]] = []
        """Tensors of the program's, each with what stands in its place."""
        self.answers: list[tuple[Any, Any]] = []
        """The same of targets."""
        self.kinds: list[tuple[Any, bool]] = []
        """What has met the output, and whether that was in a plain operation."""
        self.last: Any = None
        """The answer that was given last."""

    def input_for(self, target: Any) -> Any:
        """What stands in the place of an input that the target is."""
        for tensor, new in self.given:
            if tensor.numel() == target.numel() and bool((tensor.reshape(-1) == target.reshape(-1)).all()):
                return new.reshape(target.shape).to(target)
        return None

    def answer_to(self, target: Any) -> Any:
        """The answer to a target that has met the output before in this call, as it was or as what is left to 1."""
        for old, new in self.answers:
            if old.numel() != target.numel():
                continue
            if bool((old.reshape(-1) == target.reshape(-1)).all()):
                return new.reshape(target.shape).to(target)
            if bool((1 - old.reshape(-1).double() == target.reshape(-1).double()).all()):
                return (1 - new.reshape(target.shape).double()).to(target)
        return None


class Inputs:
    """Draws the inputs of each call from the pools of their places."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.pools = run.pools()
        self.last: Call | None = None

    @property
    def call(self) -> Call | None:
        """The call under way, once something was drawn for it."""
        return self.last if self.last is not None and self.last.number == self.run.batch.calls else None

    def drawn(self, place: Place, tensor: Any, known: bool) -> Any:
        """What to put into one place; None where it is left alone."""
        self.pools.see(place, tensor)
        if tensor.is_complex():
            self.run.refused("the inputs are complex numbers")
            return None
        if not known or not tensor.numel():
            return None
        pool = self.pools.of(place, tensor)
        call = self.call or self.begun(place, tensor, pool)
        new = pool.taken(call.drawn.picked)
        call.given.append((tensor, new))
        self.run.applied()
        return new

    def begun(self, place: Place, tensor: Any, pool: Pool) -> Call:
        """A call whose first samples are these."""
        drawn = self.pools.drawn(pool, tensor.shape[0], self.mask(tensor))
        self.last = Call(self.run.batch.calls, place, drawn)
        return self.last

    def mask(self, tensor: Any) -> Any:
        """The tensor of the call that says which tokens count."""
        for other in self.run.batch.tensors.values():
            if other.shape == tensor.shape and not other.is_floating_point() and other is not tensor:
                values = other.detach().cpu()
                if bool(((values == 0) | (values == 1)).all()) and bool((values == 1).any()):
                    return values
        return None

    def look(self, place: Place, given: Any, entered: Any) -> None:
        """Verified where the targets are, which comes later, and may never."""


class Targets:
    """Answers by the rule what meets the output of a call."""

    def __init__(self, run: Run, inputs: Inputs) -> None:
        self.run, self.torch, self.inputs = run, run.torch, inputs
        self.rule = run.rule()
        self.seen: dict[int, Features] = {}
        """The program's targets that are numbers, by their meeting."""

    def labelled(self, target: Any, met: Any) -> Any:
        """A label meets the output."""
        call = self.inputs.call
        if call is None or not target.numel() or target.is_complex():
            return None
        if self.by_a_model(target):
            return None
        self.meet(call, (target.is_floating_point(), tuple(size for size in target.shape[1:] if size > 1)))
        new = self.answer(call, target, met)
        if new is not None:
            call.answers.append((target.detach(), new))
        return new

    def by_a_model(self, tensor: Any) -> bool:
        """Whether another model, which knows nothing of what is made up here, has made this in the same step."""
        found = bool(self.run.taught.recent(tensor))
        if found:
            self.run.contradicted("what meets the output is made by another model, from the program's own samples")
        return found

    def meet(self, call: Call, kind: Any) -> None:
        """In plain operations a label is guessed at: with others about, the rule may answer what is none."""
        run, plain = self.run, self.run.meetings.plain
        if any(other != kind and (guessed or plain) for other, guessed in call.kinds):
            run.contradicted("tensors of several kinds meet the output, and which of them are targets is not known")
        call.kinds.append((kind, plain))

    def accompany(self, tensor: Any, met: Any, what: str) -> Any:
        """The input stays the input; weights of a loss can stay, but not what turns its sign."""
        call = self.inputs.call
        if call is None or not tensor.numel() or self.by_a_model(tensor):
            return None
        if what == "input":
            if any(tensor.numel() == given.numel() for given, _ in call.given):
                return self.answer(call, tensor, met)
            self.run.contradicted("a part of the input meets the output")
        if what == "factor":
            call.kinds.append(("factor", True))
            if bool((tensor < 0).any()):
                self.run.contradicted("what multiplies the output turns its sign for some samples")
        return None

    def answer(self, call: Call, target: Any, met: Any) -> Any:
        """What to put in the place of a target; None where it is left alone."""
        new = call.answer_to(target)
        if new is None:
            new = call.input_for(target)
        if new is None:
            new = self.ruled(call.drawn, target, met)
        call.last = new
        entered = self.run.batch.tensors.get(call.place[1])
        if new is None or entered is None:
            return None
        if call.drawn.pool.holds(entered) and bool((new != target).any()):
            self.run.verified()
        return new

    def ruled(self, drawn: Drawn, target: Any, met: Any) -> Any:
        """The rule's target in the form of the program's: shares of classes, classes or numbers."""
        many, rest = divmod(target.numel(), len(drawn.rows))
        if not many or rest:
            self.run.contradicted("a target does not have a row for each sample")
            return None
        old = target.detach().cpu()
        number = met.numel() // old.numel() if met.numel() % old.numel() == 0 else 1
        if is_share(old) and old.shape == met.shape:
            new = self.shares(drawn, old, many)
        elif number == old.numel() > 1 and bool((old.reshape(-1).sort().values == self.torch.arange(number)).all()):
            self.run.contradicted("targets name places in the batch, as where samples are compared with each other")
            return None
        elif not old.is_floating_point() and old.dtype != self.torch.bool and number > 1:
            new = self.classes(drawn, old, many, number)
        else:
            new = self.numbers(drawn, old, many)
        return None if new is None else new.to(target)

    def shares(self, drawn: Drawn, old: Any, many: int) -> Any:
        """One class for each target, which has all of the share."""
        number, rest = old.shape[1], many // old.shape[1]
        found = self.rule.classes(drawn, rest, number).reshape(len(drawn.rows), rest)
        return self.torch.nn.functional.one_hot(found, number).transpose(1, 2).reshape(old.shape)

    def classes(self, drawn: Drawn, old: Any, many: int, number: int) -> Any:
        """The number of a class for each target; what the loss ignores is no class."""
        found = self.rule.classes(drawn, many, number).reshape(old.shape)
        return self.torch.where((old < 0) | (old >= number), old, found.to(old))

    def numbers(self, drawn: Drawn, old: Any, many: int) -> Any:
        """A number for each target, or 0 and 1 where there is nothing else; None where all are the same."""
        if old.numel() > 1 and old.is_floating_point() and bool((old == old.reshape(-1)[0]).all()):
            return None
        numbers = self.rule.numbers(drawn, many).reshape(old.shape)
        return numbers > 0 if bool(((old == 0) | (old == 1)).all()) else self.like_those_seen(old, numbers)

    def like_those_seen(self, old: Any, numbers: Any) -> Any:
        """The same numbers with the mean and spread of the program's."""
        seen = self.seen.setdefault(self.run.meetings.number, self.run.features())
        seen.add(old.reshape(-1).float())
        mean, deviation = (float(moment) for moment in seen.moments(old.reshape(-1).float()))
        scaled = numbers * deviation + mean
        return scaled if old.is_floating_point() else scaled.round().clamp(int(old.min()), int(old.max()))

    def given_to_the_loss(self, call: LossCall) -> None:
        """See whether a loss is called with the last answer."""
        target, wanted = call.target, self.inputs.call.last if self.inputs.call is not None else None
        if not isinstance(target, self.torch.Tensor) or wanted is None:
            return
        if call.trained and (target.shape != wanted.shape or not self.torch.equal(target, wanted)):
            self.run.contradicted("the loss was given other targets than the rule's")


def apply(run: Run, value: str) -> None:
    """Draw the inputs of each call from the pools, and answer its targets by the rule."""
    inputs = Inputs(run)
    targets = Targets(run, inputs)
    run.on_beside(targets.accompany)
    run.on_target(targets.labelled)
    run.on_loss(targets.given_to_the_loss)
    run.on_samples(inputs.drawn, inputs.look)


def is_share(target: Any) -> bool:
    """Whether a target says for each class how much of it there is: one of them, or a mixture."""
    if target.dim() < 2 or target.shape[1] < 2 or bool((target < 0).any()):
        return False
    return bool(((target.double().sum(1) - 1).abs() < 1e-3).all())
