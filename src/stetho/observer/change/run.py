"""What an intervention may touch of a run: the moments it can ask for, and what it has to show for itself."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterable

import torch

from .. import arrival, sites
from ..graph import leaves_of
from ..guard import guarded
from ..late import snapshot
from ..late.streams import Unfit, flat, rebuilt
from ..seen import saved, workers
from ..tensors import tensors_in
from ..unseen import in_transform
from . import again, moments, order
from .asking import Asking
from .batch import Batch, replaced, tensors_at
from .features import Features
from .generators import Generators
from .lending import Lending, Value
from .lending import Look as LookAtGroup
from .made_up import Pools, Rule
from .meeting import Meetings
from .memory import Memory
from .moments import LossCall
from .proof import Proof
from .reading import Reading
from .roles import names_places
from .rows import Choose, Entered, Rows, prints
from .samples import Change, Look, Samples
from .taught import Taught

if TYPE_CHECKING:
    from ..watch import Watch


class Run(Proof, Asking):
    """Each `on_…` method registers a function for a moment of the training; `applied` and `verified` are its proof."""

    def __init__(self, watch: Watch) -> None:
        Proof.__init__(self, watch)
        Asking.__init__(self)
        self.torch = torch
        self.folder = ""
        self.batch = Batch(self)
        self.taught = Taught(self)
        self.reading = Reading(self)
        self.meetings = Meetings(self)
        self.generators = Generators(watch)
        self.computing_again = 0
        """How many checkpoints of activations, one within another, are being computed again in backward."""

    def load(self, changes: Iterable[tuple[str, str, str]]) -> None:
        """Run each intervention's file by its path, since the user's interpreter need not have stetho."""
        for name, value, path in changes:
            self.folder = os.path.dirname(path)
            self.tell("change", id=name, value=value)
            self.file(name, path).apply(self, value)
        if changes:
            self.watch.journal.gathering.append(self.report)

    def file(self, name: str, path: str) -> Any:
        """The module of an intervention's file."""
        spec: Any = importlib.util.spec_from_file_location("_stetho_change_" + name.replace("-", "_"), path)
        # Registered, so that what it puts into a program can be sent to the program's other processes.
        sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def also(self, name: str, value: str) -> None:
        """Make another change of the same folder as a part of this one."""
        self.file(name, os.path.join(self.folder, name.replace("-", "_") + ".py")).apply(self, value)

    def here(self, path: str) -> str:
        """Where a file of the user's lies in this run, which may be in a copy of the project."""
        for copy, original in self.watch.plan.get("moved") or ():
            if path == original or path.startswith(original + os.sep):
                return str(copy) + path[len(original) :]
        return path

    def finish(self, reason: str = "bound") -> None:
        """End the run here: what was to be seen has been seen."""
        self.watch.process.finish(reason)

    def step_aside(self, optimizer: Any) -> None:
        """Let an optimizer step between the program's own steps, by which alone the run is counted and compared."""
        self.watch.aside = True
        try:
            optimizer.step()
        finally:
            self.watch.aside = False

    def trained_by(self, loss: Any) -> list[Any]:
        """The tensors that a backward of this loss makes gradients for."""
        return leaves_of(loss)

    def on_samples(self, change: Change, look: Look, always: bool = False) -> None:
        """Put other tensors in the place of a model's samples, not of labels and masks; `always`: in evaluation."""
        Samples(self, change, look, always)

    def prints(self, module: Any, args: Any, kwargs: Any) -> list[str]:
        """A fingerprint of each sample that a model is called with; none where no tensor holds samples."""
        chief = self.batch.chief(module, args, kwargs)
        return [] if chief is None or not chief.dim() else prints(chief.detach())

    def prints_of(self, tensor: Any) -> list[str]:
        """A fingerprint of each row of a tensor."""
        return prints(tensor.detach())

    def on_rows(self, choose: Choose, entered: Entered) -> Rows:
        """Put other samples, of this batch or of earlier ones, in the place of a batch's, input and target alike."""
        return Rows(self, choose, entered)

    def own_order(self, numbers: Any, settings: dict[str, Any], batches: bool) -> order.OwnOrder:
        """A stand-in for a loader's own sampler, or sampler of batches, with what it says in a random order."""
        collate = settings.get("collate_fn") or torch.utils.data.default_collate
        shows = functools.partial(order.shows, settings["dataset"], collate)
        return order.OwnOrder(numbers, settings.get("batch_size", 1) or 1, batches, shows)

    def spread(self, tensor: Any) -> Any:
        """How the rows of a tensor lie, to compare it with others by `apart`."""
        return order.spread(tensor)

    def apart(self, spreads: list[Any]) -> bool:
        """Whether groups of samples differ by more than chance."""
        return order.apart(spreads)

    def lend(self, key: str, value: Value, look: LookAtGroup | None = None) -> Lending:
        """Lend each group of an optimizer another value for the length of each step; it is looked at and verified."""
        return Lending(self, key, value, look)

    def around_step(self, optimizer: Any, begins: Callable[..., Any], ended: Callable[..., Any]) -> None:
        """`begins(optimizer)` and `ended(optimizer)` at each step of one optimizer, inside of what is measured."""
        moments.around_step(optimizer, begins, ended)

    def again(self, lent: again.Lent) -> None:
        """`lent()` at each checkpoint of activations: makes the scope in which they are computed again in backward."""
        again.lend_again(self, lent)

    def before(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        """`function(args, kwargs) -> (args, kwargs) or None` before each call of a function of torch's or Python's."""
        moments.before(self, owner, name, function)

    def instead(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        """`function(original, *args, **kwargs)` in place of a function; what it raises reaches the program."""
        moments.instead(self, owner, name, function)

    def when_imported(self, name: str, function: Callable[..., Any]) -> None:
        """`function(module)` once the program has imported a module; at once if it has."""
        arrival.when_imported(name, guarded(function))

    def reporting(self) -> None:
        self.fire("report")

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.calls = {}
        self.reading.end()
        self.batch, self.taught = Batch(self), Taught(self)
        self.meetings.let_go()

    # What is known of the run.

    @property
    def evaluating(self) -> bool:
        """Whether the program is evaluating just now: gradients are off, or the models that train are in that mode."""
        trained = [root.module() for root in self.watch.modules.roots.values() if root.trained]
        modes = [module.training for module in trained if module is not None]
        return not torch.is_grad_enabled() or (bool(modes) and not any(modes))

    @property
    def training(self) -> bool:
        """Whether the call of a model that is under way, or was the last, is one for training."""
        return self.watch.modules.training

    @property
    def inside_model(self) -> bool:
        """Whether a whole model is running."""
        return self.watch.modules.depth > 0

    @property
    def optimizers(self) -> list[Any]:
        """The optimizers made so far, in the order of their making."""
        return [w.optimizer for w in self.watch.optimizers.values()]

    def schedulers(self, optimizer: Any) -> list[Any]:
        """The schedulers of an optimizer."""
        known = self.watch.procedure.live_schedulers()
        return [one for one in known if getattr(one, "optimizer", None) is optimizer]

    def steps(self, optimizer: Any) -> int:
        """How many steps an optimizer has taken."""
        return self.watch.known(optimizer).steps

    def gradients_used(self, optimizer: Any) -> bool:
        """Whether the gradients of this optimizer's last step were not cleared since."""
        watched = self.watch.known(optimizer)
        return watched.steps > 0 and not watched.cleared

    @property
    def clipped_norm(self) -> float | None:
        """The norm that the program's clipping has measured in this step, or None when it did not clip."""
        clipped = self.watch.procedure.clipped
        return None if clipped is None else float(clipped.total)

    @property
    def in_loss(self) -> bool:
        """Whether a loss of torch's is being called."""
        return self.watch.objectives.inside

    @property
    def in_backward(self) -> bool:
        """Whether a backward is under way."""
        return self.watch.backwards.inside

    @property
    def compiles(self) -> bool:
        """Whether anything was given to torch's compiler."""
        return self.watch.tracer.compiled

    def left_out(self) -> list[Any]:
        """Parameters that the loss reaches and no optimizer holds."""
        return self.watch.reach.left_out()

    def saved_states(self, read: Any) -> list[Any]:
        """The states of optimizers and of schedules in what the program has read from a file."""
        return [*saved.states_in(read, saved.is_optimizer), *saved.states_in(read, saved.is_schedule)]

    def continues(self, one: Any, state: Any) -> bool:
        """Whether a saved state is that of this optimizer or schedule, which stands at its beginning."""
        return saved.continues(one, state)

    def put_back(self, state: dict[str, Any]) -> None:
        """Make this process's training that of a checkpoint; raises, with nothing changed, if it cannot be."""
        snapshot.put_back(self.watch, state, snapshot.frames_here(2))

    def memory(self, most: int) -> Memory:
        """For the last few tensors of a kind: a place to know them by, without holding them."""
        return Memory(most)

    def features(self) -> Features:
        """A notebook for what one place of the samples holds."""
        return Features()

    def pools(self) -> Pools:
        """Made-up samples for each place, like those seen there."""
        return Pools()

    def rule(self) -> Rule:
        """What made-up samples have for targets."""
        return Rule()

    def leaves(self, batch: Any) -> list[Any] | None:
        """The tensors and plain values of a batch, tensors copied; None where a batch has things of its own in it."""
        try:
            return self.copies(flat(batch))
        except Unfit:
            return None

    def copies(self, leaves: list[Any]) -> list[Any]:
        """The same, tensors copied."""
        return [leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def rebuilt(self, batch: Any, leaves: list[Any]) -> Any:
        """A batch of the same form with the tensors and values of another."""
        return rebuilt(batch, leaves)

    def tensors(self, value: Any) -> list[Any]:
        """The tensors of what a function is given or gives back."""
        return list(tensors_in(value))

    def mapped(self, value: Any, function: Callable[[Any], Any]) -> Any:
        """The same with other tensors in it; what is no plain container of them stays as it is."""
        new = {path: function(tensor) for path, tensor in tensors_at((value,), {})}
        changed = {path: new[path] for path, tensor in tensors_at((value,), {}) if new[path] is not tensor}
        return replaced((value,), {}, changed)[0][0] if changed else value

    def names_places(self, target: Any, met: Any) -> bool:
        """Whether targets are places in the batch, each once, where every sample is compared with all."""
        return names_places(target, met)

    def called_from(self) -> tuple[Any, ...]:
        """The program's lines that have led here, innermost first."""
        return tuple(sites.here(3, 3))

    def made_of(self, tensor: Any) -> tuple[Any, Any, Any] | None:
        """The program's own numbers that an input was made of, with the scale and shift of each feature that is looked
        at; None where they are not at hand."""
        return self.watch.data.units.source(tensor, sites.user_frames(4, 2))

    def seed_worker(self, everything: bool) -> None:
        """In a worker of a loader: seed the generators of its data set apart, and all others if asked to."""
        workers.seed_here(everything)

    def first_input(self) -> list[str] | None:
        """Fingerprints of what the step under way was first called with."""
        return self.watch.ring.first_input()

    # Called by the observer.

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        """Before a step; with a closure, the step's arguments with the closure followed by what wants gradients."""
        self.meetings.clear()
        self.fire("step", optimizer)
        return moments.gradients_come(self, optimizer, args, kwargs)

    def after_step(self, optimizer: Any) -> None:
        self.fire("stepped", optimizer)
        self.fire("over", optimizer)
        self.taught.stepped()
        if self.taught.used:
            self.meetings.go_on()

    @guarded
    def passed(self, moment: str, *args: Any) -> Any:
        """The last argument, passed through every function of a moment in turn."""
        *first, value = args
        for function in self.calls.get(moment, ()):
            changed = function(*first, value)
            value = value if changed is None else changed
        return value

    @guarded
    def objective(self, loss: Any) -> Any:
        """What backward is to be called on, as every registered function leaves it."""
        with torch.enable_grad():
            return self.passed("objective", loss)

    @guarded
    def loss_arguments(self, call: LossCall) -> bool:
        """A call of a loss as every registered function leaves it."""
        self.meetings.at_loss(call)
        self.fire("loss", call)
        return True

    @guarded
    def loss_returned(self, name: str, args: Any, kwargs: dict[str, Any], output: Any) -> None:
        if isinstance(output, torch.Tensor):
            self.fire("loss over", LossCall(name, args, kwargs), output)

    @guarded
    def loader_settings(self, settings: dict[str, Any]) -> None:
        self.fire("loader", settings)

    def model_input(self, module: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        """Arguments of a model that is called for training, passed through every registered function in turn."""
        self.batch.comes(module, args, kwargs)
        self.meetings.over()
        changed = None
        for function in self.calls.get("input", ()):
            given = function(module, args, kwargs)
            if given is not None:
                (args, kwargs), changed = given, given
        self.batch.entered(args, kwargs)
        self.reading.begin(self.batch.model, self.batch.tensors)
        return changed

    def out_of_reach(self) -> None:
        """A model is called where its samples cannot be told: say so, for changes that are about them."""
        if in_transform() and self.wants("input", "target"):
            self.refused("the model is called inside a transform (vmap, functional_call), out of reach")

    def idle_input(self, module: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        """Arguments of a model that is called for something else than training."""
        self.meetings.lift()
        changed = None
        for function in self.calls.get("idle", ()):
            given = function(module, args, kwargs)
            if given is not None:
                (args, kwargs), changed = given, given
        return changed

    def model_left(self, module: Any, training: bool, output: Any) -> Any:
        """After a whole model; what it returns, if anything, replaces the model's output."""
        self.reading.end()
        changed = None
        for function in self.calls.get("output", ()):
            given = function(module, training, output)
            if given is not None:
                output = changed = given
        self.fire("left", module, training)
        self.batch.left(module, training, output)
        if not (training and any(tensor.requires_grad for tensor in tensors_in(output))):
            self.taught.left(output)
        if training:
            self.meetings.begin(output)
        else:
            self.meetings.go_on()
        return changed
