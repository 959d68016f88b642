"""What one run shows along the way that data takes, step by step, as it was recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from stetho.events import number
from stetho.evidence import Place
from stetho.measure.series import main_steps
from stetho.recording import Recording, Step

Numbers: TypeAlias = "tuple[float | str | None, ...]"
OUTPUT = ("low", "high", "acc")
TARGET = ("tlow", "thigh")


@dataclass(frozen=True)
class Weights:
    """Parameters before the first step, in the optimizer's order."""

    names: tuple[str, ...]
    shapes: tuple[str, ...]
    norms: Numbers
    """None, where an earlier observer looked."""


@dataclass(frozen=True)
class Track:
    """A recording, asked for one thing at a time; every answer is by step."""

    record: Recording

    @cached_property
    def steps(self) -> dict[int, Step]:
        return {step.index: step for step in main_steps(self.record)}

    @cached_property
    def optimizer(self) -> int:
        return next((step.optimizer for step in self.steps.values()), 0)

    def _first(self, kind: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[int, dict[str, Any]]:
        """The first event of a kind in each step."""
        found: dict[int, dict[str, Any]] = {}
        for body in self.record.of(kind):
            step = body.get("step", body.get("i"))
            if isinstance(step, int) and wanted(body):
                found.setdefault(step, body)
        return found

    @cached_property
    def batches(self) -> dict[int, dict[str, Any]]:
        return self._first("batch", lambda body: body.get("phase") == "train")

    @cached_property
    def calls(self) -> dict[int, dict[str, Any]]:
        """Calls of losses that were learned from."""
        return self._first("loss-call", lambda body: bool(body.get("grad")))

    @cached_property
    def samples(self) -> dict[int, dict[str, Any]]:
        return self._first("sample", lambda body: body.get("o") == self.optimizer)

    @property
    def inputs(self) -> dict[int, Numbers]:
        return {step: tuple(body.get("h") or ()) for step, body in self.batches.items() if body.get("h")}

    @property
    def labels(self) -> dict[int, Numbers]:
        return {step: tuple(body["labels"]) for step, body in self.batches.items() if body.get("labels")}

    @property
    def targets(self) -> dict[int, Numbers]:
        """What is known of the targets that a loss was given, whatever they are."""
        return self._of_calls(TARGET, "hist")

    @property
    def outputs(self) -> dict[int, Numbers]:
        return self._of_calls(OUTPUT, "pred")

    def _of_calls(self, keys: tuple[str, ...], listed: str) -> dict[int, Numbers]:
        found: dict[int, Numbers] = {}
        for step, body in self.calls.items():
            shape = tuple(str(body.get(key)) for key in (("tshape",) if listed == "hist" else ("shape", "dtype")))
            found[step] = (*shape, *(number(body.get(key)) for key in keys), *(body.get(listed) or ()))
        return found

    @property
    def losses(self) -> dict[int, Numbers]:
        return {i: tuple(value for _, value in step.losses) for i, step in self.steps.items() if step.losses}

    @property
    def gradients(self) -> dict[int, Numbers]:
        return {i: (step.gradient,) for i, step in self.steps.items() if step.gradient is not None}

    @property
    def rates(self) -> dict[int, Numbers]:
        return {i: step.rates for i, step in self.steps.items() if step.rates}

    @property
    def updates(self) -> dict[int, Numbers]:
        return {step: (number(body.get("ur")),) for step, body in self.samples.items() if body.get("ur") is not None}

    @property
    def order(self) -> dict[int, Numbers]:
        return {i: (step.order,) for i, step in self.steps.items() if step.order}

    @property
    def clipping(self) -> dict[int, Numbers]:
        return {i: (step.clip[1] if step.clip else None,) for i, step in self.steps.items()}

    @property
    def weights(self) -> Weights | None:
        """The parameters before the first step; None where nothing was recorded of them."""
        named = [b for b in self.record.of("parameters") if b.get("o") == self.optimizer]
        if not named:
            return None
        names, shapes = (tuple(map(str, named[0].get(key) or ())) for key in ("names", "shapes"))
        return Weights(names, shapes, tuple(map(number, self.samples.get(0, {}).get("w0") or ())))

    @property
    def settings(self) -> dict[str, object]:
        """What the optimizer was made with."""
        made = [b for b in self.record.of("optimizer") if b.get("o") == self.optimizer]
        return {"optimizer": made[0].get("name"), **(made[0].get("settings") or {})} if made else {}

    @property
    def seeds(self) -> dict[str, object]:
        return {str(b.get("what")): b.get("value") for b in reversed(self.record.of("seeded"))}

    @property
    def surroundings(self) -> dict[str, object]:
        told: Mapping[str, object] = next(iter(self.record.of("run")), {})
        devices = sorted({d for b in self.record.of("parameters") for d in b.get("devices") or ()})
        return {key: told.get(key) for key in ("python", "torch", "threads", "world")} | {"devices": devices}

    def place(self, part: str, step: int | None) -> Place | None:
        """The line that a part of the way belongs to."""
        site: object = None
        if part in ("outputs", "targets"):
            site = self.calls.get(step or 0, {}).get("site")
        elif part == "loss":
            taken = self.steps.get(step or 0)
            site = taken.losses[0][0] if taken is not None and taken.losses else None
        elif part in ("learning rate", "optimizer"):
            site = next((b.get("site") for b in self.record.of("optimizer") if b.get("o") == self.optimizer), None)
        elif part in ("updates", "loop order"):
            taken = self.steps.get(step or 0)
            site = taken.at if taken is not None else None
        found = self.record.place(site)
        return Place(found.file, found.line) if found is not None else None
