"""A few steps seen operation by operation: which line made which value, and what the loss is made of."""

from __future__ import annotations

import functools
import math
import weakref
from typing import TYPE_CHECKING, Any, Sequence

import torch

from .. import guard, sites
from ..graph import MOST, node_kind, node_of
from ..guard import guarded
from ..schedule import glimpsed
from ..seen.fit import PAIRING, explained, paired, ranges
from ..seen.gradients import PLAIN
from ..unseen import transformed, unrecorded
from .activations import DROPPING, FUNCTIONS
from .cuts import Cuts
from .marks import KEY, Mark, produced, terms
from .mode import Mode
from .pairs import Pairs
from .shares import note_form
from .window import Window

if TYPE_CHECKING:
    from ..patches import Patches
    from ..sites import Place
    from ..watch import Watch

# Numbers in a tensor that is kept as it was, when an operation outside the models is about to write to it.
FEW = 64


class Tracer:
    """Switches the close look on and off at step boundaries and keeps what it shows.

    Between close looks the same mode runs outside the models only, where a loss is written with plain operations
    and a replay must know them; where library losses do all that work it does not run at all.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.window, self.cuts = Window(watch), Cuts(watch)
        self.pairs = Pairs(watch)
        self.looking = False
        self.checking = False
        self.keeping = False
        self.mode: Mode | None = None
        self.operations = 0
        self.compiled = False
        # Whether operations outside models and library losses took part in the loss, as the last close look saw it.
        self.plain = False
        # Whether operations outside loaders made what models are called with, and the results that might be that.
        self.prepares = False
        self.recent: dict[int, weakref.ref[Any]] = {}

    def install(self, patches: Patches) -> None:
        """Note whether anything is compiled: inside a compiled graph there are no operations to look at."""
        original = torch.compile
        mine = self

        @functools.wraps(original)
        def compile(*args: Any, **kwargs: Any) -> Any:
            mine.compiling()
            result = original(*args, **kwargs)
            if isinstance(result, torch.nn.Module):
                # Its own call is outside the graph, so what enters and leaves it can be seen.
                mine.watch.modules.adopt(result)
            return result

        patches.replace(torch, "compile", compile)

    @guarded
    def compiling(self) -> None:
        """The compiler reads hooks as part of a model, and there will be no replay of what it makes."""
        self.compiled = True
        self.stop()
        self.watch.modules.release()
        # It follows constructors into ours, which it cannot read, and may have taken it for torch's own.
        self.watch.patches.drop(torch.nn.Module, "__init__", "torch._dynamo.")
        self.watch.replay.on = False
        self.watch.replay.let_go()

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.recent = {}
        self.cuts.let_go()

    @guarded
    def keep(self, func: Any, args: Any, kwargs: Any, out: Any, before: Any) -> None:
        """An operation that a replay will need."""
        self.watch.replay.operation(func, args, kwargs, out, 4, before)

    @guarded
    def overwriting(self, tensor: Any) -> Any:
        """What an operation is about to write to, where a loss is summed up in place or an average is carried on."""
        if type(tensor) in PLAIN and not tensor.requires_grad and tensor.numel() <= FEW and not transformed():
            with unrecorded():
                return tensor.clone() if tensor.device.type == "cpu" else None
        return None

    def look(self, step: int) -> None:
        """Called between steps: look closely at the next one, or stop doing so."""
        if self.compiled:
            return
        if self.recent:
            self.recent = {}
        # Not whether it looks: one look that was too long has ended, and what was put on for it is still there.
        on = self.mode is not None or self.watch.modules.close
        if not (on or self.window.planned or self.plain or self.prepares or glimpsed(step)):
            return
        self.checking = self.window.covers(step)
        wanted = self.checking or glimpsed(step)
        # Where no model comes first, or its input is made by operations, these count from here on.
        first = self.watch.replay.on and (self.prepares or (self.plain and not self.watch.modules.roots))
        self.watch.modules.activations.write(step - 1)
        if wanted and not self.looking:
            self.plain = self.prepares = False
            self._enter()
            self.looking = self.mode is not None
        elif not wanted:
            self.looking = False
        self.watch.modules.watch_closely(wanted)
        self.operations = 0
        if first:
            self._enter()
        elif not self.looking:
            self.leave()
        self.keeping = first and self.mode is not None

    def _enter(self) -> None:
        """Put the mode on, where there is none of the user's."""
        if self.mode is None and torch.overrides._len_torch_function_stack() == 0:
            self.mode = Mode(self)
            self.mode.__enter__()

    def leave(self) -> None:
        """Take the mode off; below a mode of the user's it stays where it is, and does nothing."""
        if self.mode is not None and torch.overrides._get_current_function_mode() is self.mode:
            self.mode.__exit__(None, None, None)
            self.mode = None

    def lift(self) -> bool:
        """A library loss or backward is called: below a mode it takes another way, and warns of torch's lines."""
        if guard.off:
            self.leave()
            return False
        if guard.away() or self.mode is None or torch.overrides._get_current_function_mode() is not self.mode:
            return False
        torch.overrides._pop_mode()
        return True

    def lower(self) -> None:
        """It has returned."""
        if self.looking or self.keeping:
            torch.overrides._push_mode(self.mode)
        else:
            self.mode = None

    def pause(self) -> bool:
        """A loader works: its operations are not the loop's. Whether there is anything to go on with afterwards."""
        if not self.keeping or self.looking:
            return False
        self.keeping = False
        self.leave()
        return True

    def go_on(self) -> None:
        """The loader has delivered."""
        if guard.off:
            return
        self._enter()
        self.keeping = self.mode is not None

    def input_comes(self, versions: Any) -> None:
        """A model is called: note whether operations of this step made what it is given."""
        recent = [self.recent[id(t)]() is t for t, _ in versions if id(t) in self.recent]
        self.prepares = self.prepares or any(recent)

    def suspend(self) -> None:
        """A model begins: what happens inside it is found by calling it again."""
        self.keeping = False
        if not self.looking and self.mode is not None:
            self.leave()

    def resume(self) -> None:
        """A model has ended: what follows it, up to backward, is part of the loss."""
        if self.compiled or not self.watch.replay.on:
            return
        if self.looking:
            self.keeping = True
        elif self.plain:
            self._enter()
            self.keeping = self.mode is not None

    def backward_begins(self) -> None:
        """The loss is complete."""
        self.keeping = False
        if not self.looking and self.mode is not None:
            self.leave()

    def elsewhere(self) -> None:
        """Another thread is followed from now on: the mode stays on the first one's stack, where it does nothing."""
        self.mode = None
        self.looking = self.keeping = self.checking = False

    def stop(self) -> None:
        """Look at nothing any more."""
        self.looking = self.checking = self.keeping = False
        self.leave()
        self.watch.modules.watch_closely(False)

    @guarded
    def saw(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], out: Any) -> None:
        """Note on the graph which line made this value, and check whether it is still finite."""
        name = getattr(func, "__name__", "")
        if not self.watch.reach.written:
            self.cuts.saw(func, name, args, kwargs, out)
        if not isinstance(out, torch.Tensor):
            return
        self.operations += 1
        if self.operations > MOST:
            self.looking = self.checking = False
            return
        if name in ("__get__", "__set__", "detach", "backward", "requires_grad_"):
            return
        node = node_of(out)
        if node is None and not self.watch.modules.depth and not self.watch.data.loading and len(self.recent) < 512:
            self.recent[id(out)] = weakref.ref(out)
        frames = None
        if node is not None and KEY not in node.metadata:
            frames = self.frames()
            # A copy: `loss += term` writes into the very tensor that held the first term.
            value = out.detach().clone() if out.numel() == 1 else None
            node.metadata[KEY] = Mark(name, frames, value)
            note_form(node, out)
            if not self.plain and not self.watch.modules.depth and not self.watch.objectives.inside:
                self.plain = True
        if (name in FUNCTIONS or name in DROPPING) and self.watch.modules.running and torch.is_grad_enabled():
            site = self.watch.journal.site(frames or self.frames())
            self.watch.modules.activations.computed(self.watch.modules.running, name, args, out, site)
        if name in PAIRING and not self.watch.objectives.inside:
            self._labels_beside(args, frames)
        if not self.watch.modules.depth and not self.watch.objectives.inside:
            self.pairs.seen(name, args, kwargs, out, self.frames)
        # What is spread over several processes is not asked: the answer would take all of them.
        if self.checking and type(out) in PLAIN and self.window.wants(out):
            self.window.check(name, args, kwargs, frames or self.frames())

    def _labels_beside(self, args: Sequence[Any], frames: Any) -> None:
        """A loss written with plain operations may show its labels here, and how well they are met."""
        pair = paired(args)
        if pair is None:
            return
        with unrecorded():
            self.watch.data.loss_seen(pair[1])
            share = explained(*pair)
            if share is not None:
                body: dict[str, Any] = {**ranges(*pair), "site": self.watch.journal.site(frames or self.frames())}
                made = produced(pair[0])
                if made is not None:
                    body.update(by=made[0], by_at=self.watch.journal.site(made[1]))
                self.watch.journal.write("fit", step=self.watch.step, r2=share, n=int(pair[1].shape[0]), **body)

    def frames(self) -> list[Place]:
        """The user's frames, led by the line that built the layer when a library layer does the work."""
        found = sites.user_frames(5, 4)
        made = self.watch.modules.layer_made_at(found[0] if found else None)
        return ([made] if made else []) + sites.places(found)

    def walk(self, loss: Any, retain: bool) -> None:
        """Follow the graph from the loss: which parameters it reaches, its terms, and a watch on each gradient."""
        node = loss.grad_fn
        if node is None:
            self.watch.reach.graph_walked([], 0, retain, {})
            return
        parts = terms(loss) if loss.numel() == 1 else None
        if parts is not None:
            self._write_terms(*parts)
        leaves: list[Any] = []
        seen, waiting = {node}, [node]
        while waiting:
            node = waiting.pop()
            variable = getattr(node, "variable", None)
            if variable is not None:
                leaves.append(variable)
            elif self.checking and len(seen) < MOST:
                self.window.follow(node)
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
        made = {**self._made(loss), **self.watch.history.walked(seen, leaves)}
        self.watch.reach.graph_walked(leaves, len(seen), retain, made)

    def _made(self, loss: Any) -> dict[str, Any]:
        """Which line made the loss, and how many numbers it sums up, where the last thing done is a sum."""
        made, top = produced(loss), loss.grad_fn
        fields: dict[str, Any] = {}
        if made is not None and made[1]:
            fields = {"by": made[0], "at": self.watch.journal.site(made[1])}
        if node_kind(top) == "Sum":
            fields["summed"] = math.prod(getattr(top, "_saved_self_sym_sizes", None) or (1,))
        return fields

    def _write_terms(self, total: float, parts: list[tuple[Mark, tuple[str, list[int]] | None]]) -> None:
        """Record what the loss is made of."""
        written = [
            [part.name, self.watch.journal.site(part.frames), float(part.value), *(made or ())] for part, made in parts
        ]
        self.watch.journal.write("terms", step=self.watch.step, total=total, parts=written)

    def produced(self, value: Any) -> tuple[str, list[Place]] | None:
        """The operation that made a value, and the user's frames that called it."""
        return produced(value)
