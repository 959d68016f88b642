"""Parameters: which of them the loss reaches, an optimizer holds and a step changes, and their types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from stetho.evidence import Place
from stetho.facts import Coverage, Frozen, GraphCut, GraphCuts, ParameterStates, Types
from stetho.measure.samples import sampled
from stetho.measure.series import Measured, amounts, texts
from stetho.recording import Recording


def coverage(recording: Recording) -> Iterator[Measured]:
    for first in recording.of("coverage")[:1]:
        if not first["reached"]:
            continue
        made, thawed = recording.of("optimizer"), recording.of("thawed")
        body = first
        if thawed and not first["left_out"]:
            # They were thawed on purpose: that they were loaded is no reason to leave them out.
            body = {**first, **thawed[0], "loaded": False, "reached": first["reached"] + thawed[0]["left_out"]}
        fact = Coverage(
            reached=body["reached"],
            left_out=body["left_out"],
            names=tuple(body["names"]),
            idle=body["idle"],
            loaded=body["loaded"],
            optimizer_at=recording.place(made[0].get("site")) if made else None,
            made_after=body["late"],
            unregistered=tuple(Place(f, line, key=a) for f, line, a in body["unregistered"]),
            covering=tuple(Place(f, line, key=e) for f, line, e in body["covering"]),
            extra=tuple(Place(f, line, key=e) for f, line, e in body["extra"]),
            optimizer=str(made[0]["name"]) if made else "",
            made_at=tuple(Place(f, line, key=name) for f, line, name in body["made"]),
            thawed_at=int(thawed[0]["step"]) if body is not first else None,
        )
        share = fact.left_out / fact.reached
        shown = ", ".join(fact.names[:4]) + (" …" if len(fact.names) > 4 else "")
        summary = f"the loss reaches {fact.reached} parameters, {fact.left_out} ({share:.0%}) in no optimizer"
        yield fact, summary + (f": {shown}" if shown else "")


def parameter_states(recording: Recording) -> Iterator[Measured]:
    """Parameters by name: without a gradient, unchanged, frozen, shared, left out."""
    covered, models = recording.of("coverage"), recording.of("model")
    frozen = _names(covered, "frozen")
    if any("frozen" in m for m in models):
        frozen = texts([frozen, *(_inside(m, m.get("frozen")) for m in models)])
    groups = [_inside(m, group) for m in models for group in m.get("shared") or ()]
    without, still = _names(covered, "nograd"), _names(covered, "unchanged")
    fact = ParameterStates(
        no_gradient=without if without is not None else _always(recording, "g", None),
        unchanged=still if still is not None else _always(recording, "u", 0.0),
        frozen=frozen,
        shared=tuple(dict.fromkeys(groups)) if any("shared" in m for m in models) else None,
        left_out=_names(covered, "names"),
    )
    rows = {
        "without a gradient": fact.no_gradient, "unchanged": fact.unchanged, "frozen": fact.frozen,
        "shared": fact.shared, "in no optimizer": fact.left_out,
    }  # fmt: skip
    told = [f"{len(names)} {word}" for word, names in rows.items() if names is not None]
    if told:
        yield fact, f"parameters: {', '.join(told)}"


def graph_cuts(recording: Recording) -> Iterator[Measured]:
    """Lines that keep parameters from the loss."""
    for body in recording.of("coverage")[:1]:
        found = body.get("cut")
        if not isinstance(found, dict):
            continue
        cuts = tuple(
            GraphCut(
                kind=str(line["kind"]),
                elements=int(line["elements"]),
                inside=bool(line["inside"]),
                where=recording.places(line.get("site")),
                names=tuple(map(str, line.get("names") or ())),
            )
            for line in found["lines"]
        )
        fact = GraphCuts(int(found["of"]), int(found["random"]), int(found["kept"]), int(body["reached"]), cuts)
        told = f"the loss does not reach {fact.idle} elements that an optimizer holds"
        yield fact, told + (f"; {cuts[0].kind} at {cuts[0].where[0]} is before them" if cuts and cuts[0].where else "")


def frozen(recording: Recording) -> Iterator[Measured]:
    """How much of the models in training is frozen."""
    for body in recording.of("coverage")[:1]:
        found = body.get("thaw")
        if isinstance(found, dict) and found["elements"]:
            places = tuple(Place(f, line) for f, line, _ in found["at"])
            fact = Frozen(int(found["elements"]), int(found["frozen"]), int(found["random"]), places)
            told = f"{fact.frozen} of {fact.elements} elements of the models in training ask for no gradient"
            yield fact, told + (f", {fact.random} of them as random as at first" if fact.frozen else "")


def _inside(model: dict[str, Any], names: object) -> tuple[str, ...]:
    """Names of a model's parameters as they are told elsewhere: with the model's class before them."""
    return tuple(f"{model.get('class')}.{name}" for name in names) if isinstance(names, list) else ()


def _names(bodies: list[dict[str, Any]], key: str) -> tuple[str, ...] | None:
    """The newest list of names that was written under a key; None when there is none."""
    lists = [body[key] for body in bodies if body.get(key) is not None]
    return tuple(map(str, lists[-1])) if lists else None


def _always(recording: Recording, key: str, value: float | None) -> tuple[str, ...] | None:
    """Parameters that had one value in every sample; None when nothing was sampled twice."""
    columns = [one for one in sampled(recording, key) if len(one.values) > 1]
    return tuple(one.name for one in columns if all(v == value for v in one.values)) if columns else None


def types(recording: Recording) -> Iterator[Measured]:
    """Data types and devices of everything that was seen."""
    held: dict[str, Counter[str]] = {"dtypes": Counter(), "devices": Counter()}
    # An optimizer that was given more parameters later has told them all again.
    for body in {body.get("o"): body for body in recording.of("parameters")}.values():
        for key, counts in held.items():
            for kind, size in zip(body.get(key) or (), body.get("sizes") or (), strict=False):
                counts[str(kind)] += int(size)
    calls, entered, met = recording.of("loss-call"), recording.of("input"), recording.of("mode")
    fact = Types(
        parameters=amounts(held["dtypes"]),
        devices=amounts(held["devices"]),
        inputs=texts([*(m.get("in") for m in met), *(i.get("dtype") for i in entered)]),
        outputs=texts(m.get("out") for m in met),
        output_devices=texts(m.get("device") for m in met),
        losses=texts(c.get("dtype") for c in calls),
        targets=texts(c.get("tdtype") for c in calls),
        autocast=texts(m.get("autocast") for m in met),
    )
    rows = {
        "parameters": tuple(a.kind for a in fact.parameters), "on": tuple(a.kind for a in fact.devices),
        "inputs": fact.inputs, "outputs": fact.outputs, "losses": fact.losses, "targets": fact.targets,
        "autocast": fact.autocast,
    }  # fmt: skip
    told = [f"{word} {' and '.join(kinds)}" for word, kinds in rows.items() if kinds]
    if told:
        yield fact, ", ".join(told)
