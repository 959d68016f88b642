"""From a recording to facts: arithmetic only, no judgement."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import fmean, median
from typing import Any

from stetho.association import association
from stetho.evidence import Place
from stetho.facts import (
    Coverage,
    Fact,
    GradientNorms,
    GradientReset,
    InputScale,
    LearningRate,
    LossCurve,
    LossInput,
    LossInputs,
    NonfiniteOrigin,
    UpdateRatios,
)
from stetho.recording import Recording, Step

Measured = tuple[Fact, str]
LIKELIHOODS = ("cross_entropy", "nll_loss")


def facts(recording: Recording, *, relate: bool = True) -> Iterator[Measured]:
    """Every fact that a recording holds, each with a sentence that says it."""
    steps = main_steps(recording)
    if not steps:
        return
    yield from loss_curve(recording, steps)
    yield from loss_inputs(recording)
    yield from gradient_reset(recording, steps)
    yield from coverage(recording)
    yield from updates(steps)
    yield from learning_rate(recording, steps)
    yield from gradient_norms(steps)
    yield from input_scale(recording)
    yield from origin(recording, steps)
    if relate:
        yield from association(recording)


def main_steps(recording: Recording) -> list[Step]:
    """The steps of the optimizer that stepped most often, the first one on a tie."""
    counts = Counter(s.optimizer for s in recording.steps)
    if not counts:
        return []
    busiest = max(counts, key=lambda o: (counts[o], -o))
    return [s for s in recording.steps if s.optimizer == busiest]


def optimizer_name(recording: Recording, index: int) -> str:
    return next((str(o["name"]) for o in recording.of("optimizer") if o["o"] == index), "optimizer")


def loss_curve(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    sites = Counter(site for s in recording.steps for site, _ in s.losses)
    own = Counter(site for s in steps for site, _ in s.losses)
    if not own:
        return
    site = own.most_common(1)[0][0]
    values, where = [], []
    for step in steps:
        here = [v for s, v in step.losses if s == site]
        if here:
            values.append(next((v for v in here if not math.isfinite(v)), None) or fmean(here))
            where.append(step.index)
    chance, meaning = chance_level(recording)
    part = share_of_loss(recording, steps, site)
    # What backward is called on may be the loss divided by the micro-batches, or one term among several.
    chance = chance * part if chance is not None and part is not None else None
    bad = next((i for i, v in zip(where, values, strict=True) if not math.isfinite(v)), None)
    worse = next((s.index for s in steps if s.gradient is not None and not math.isfinite(s.gradient)), None)
    first, kind = (bad, "loss") if worse is None or (bad is not None and bad <= worse) else (worse, "gradient")
    objectives = len({s.optimizer for s in recording.steps if s.losses}) if len(sites) > 1 else 1
    place = recording.place(site)
    start, end = values[0], values[-1]
    summary = f"loss {start:.4g} at the first step, {end:.4g} at step {where[-1]}, {len(values)} steps ({place})"
    yield (
        LossCurve(
            values=tuple(values),
            steps=tuple(where),
            where=place,
            chance=chance,
            chance_is=meaning,
            objectives=objectives,
            nonfinite_step=first,
            nonfinite_in=kind if first is not None else None,
            explained=explained(recording, len(steps)),
        ),
        summary,
    )


def explained(recording: Recording, steps: int) -> float | None:
    """The median share of variance explained over what was looked at in the second half of the run."""
    seen = [(f["step"], float(f["r2"])) for f in recording.of("fit")]
    seen += [(c["step"], float(c["r2"])) for c in recording.of("loss-call") if c["grad"] and "r2" in c]
    late = [share for step, share in seen if step >= steps // 2]
    return median(late) if late else None


def share_of_loss(recording: Recording, steps: list[Step], site: int) -> float | None:
    """The value that backward is called on, over the loss that was computed; None when they do not go together."""
    computed: dict[int, list[float]] = defaultdict(list)
    for value in recording.of("loss-value"):
        computed[value["step"]].append(float(value["v"]))
    if not computed:
        return 1.0
    shares = []
    for step in steps:
        given, known = [v for s, v in step.losses if s == site], computed.get(step.index, [])
        if given and len(given) == len(known) and all(map(math.isfinite, given + known)) and sum(known) != 0:
            shares.append(sum(given) / sum(known))
    if not shares:
        return None
    middle = median(shares)
    near = [s for s in shares if abs(s - middle) <= 0.1 * abs(middle)]
    if len(near) < 0.8 * len(shares) or middle <= 0:
        return None
    return 1.0 if abs(middle - 1) < 0.1 else middle


def chance_level(recording: Recording) -> tuple[float | None, str]:
    """The loss of always answering with the label frequencies, for the busiest loss that is trained on."""
    calls = [c for c in recording.of("loss-call") if c["grad"] and c["fn"] != "log_softmax"]
    if len({(c["fn"], c["site"]) for c in calls}) != 1:
        return None, ""
    name = calls[0]["fn"]
    if calls[0].get("red") != "mean":
        return None, ""
    if name in LIKELIHOODS:
        counts: Counter[int] = Counter()
        for call in calls:
            counts.update(dict(enumerate(call.get("hist", []))))
        total = sum(counts.values())
        if not total:
            return None, ""
        entropy = -sum(c / total * math.log(c / total) for c in counts.values() if c)
        return entropy, f"entropy of the labels over {sum(1 for c in counts.values() if c)} classes"
    known = [{k: float(c[k]) for k in ("m", "mean", "sq")} for c in calls if "sq" in c]
    known = [c for c in known if math.isfinite(c["sq"])]
    size = sum(c["m"] for c in known)
    if not size:
        return None, ""
    mean = sum(c["mean"] * c["m"] for c in known) / size
    square = sum(c["sq"] * c["m"] for c in known) / size
    if name == "mse_loss":
        return square - mean * mean, "variance of the targets"
    if name.startswith("binary_cross_entropy") and 0 < mean < 1:
        return -(mean * math.log(mean) + (1 - mean) * math.log(1 - mean)), "entropy of the binary labels"
    return None, ""


def loss_inputs(recording: Recording) -> Iterator[Measured]:
    groups: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for call in recording.of("loss-call"):
        groups[(call["fn"], call["site"])].append(call)
    found = [one_loss(recording, name, site, calls) for (name, site), calls in groups.items()]
    if found:
        told = [
            f"{s.function} at {s.where}: rows sum to 1 in {s.normalised} of {s.looked_at} calls looked at"
            if s.normalised
            else f"{s.function} at {s.where}"
            for s in found
        ]
        yield LossInputs(tuple(found)), "; ".join(told)


def one_loss(recording: Recording, name: str, site: int, calls: list[dict[str, Any]]) -> LossInput:
    trained = [c for c in calls if c["grad"]]
    looked = trained or calls
    made = next((c for c in looked if "by" in c), {})
    accuracy = [c["acc"] for c in looked if "acc" in c]
    return LossInput(
        function=name,
        where=recording.place(site),
        looked_at=len(looked),
        normalised=sum(1 for c in looked if c.get("norm")),
        classes=looked[0].get("k"),
        trained=bool(trained),
        reduction=looked[0].get("red"),
        batch=looked[0]["shape"][0] if looked[0]["shape"] else None,
        produced_by=made.get("by"),
        produced_at=recording.places(made.get("by_at")),
        accuracy_first=fmean(accuracy[:5]) if accuracy else None,
        accuracy_last=fmean(accuracy[-5:]) if accuracy else None,
    )


def gradient_reset(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    later = [s for s in steps if s.index > 0]
    if not later:
        return
    name = optimizer_name(recording, steps[0].optimizer)
    kept = sum(s.kept for s in later)
    step_at = next((recording.place(s.at) for s in steps if s.at is not None), None)
    losses = Counter(site for s in steps for site, _ in s.losses)
    backward = recording.place(losses.most_common(1)[0][0]) if losses else None
    summary = f"{name}: gradients not cleared before {kept} of {len(later)} steps"
    yield GradientReset(name, len(later), kept, step_at, backward), summary


def coverage(recording: Recording) -> Iterator[Measured]:
    for body in recording.of("coverage")[:1]:
        if not body["reached"]:
            continue
        made = recording.of("optimizer")
        fact = Coverage(
            reached=body["reached"],
            left_out=body["left_out"],
            names=tuple(body["names"]),
            idle=body["idle"],
            loaded=body["loaded"],
            optimizer_at=recording.place(made[0]["site"]) if made else None,
            made_after=body["late"],
            unregistered=tuple(Place(f, line, key=a) for f, line, a in body["unregistered"]),
            covering=tuple(Place(f, line, key=e) for f, line, e in body["covering"]),
            extra=tuple(Place(f, line, key=e) for f, line, e in body["extra"]),
            optimizer=str(made[0]["name"]) if made else "",
            made_at=tuple(Place(f, line, key=name) for f, line, name in body["made"]),
        )
        share = fact.left_out / fact.reached
        shown = ", ".join(fact.names[:4]) + (" …" if len(fact.names) > 4 else "")
        summary = f"the loss reaches {fact.reached} parameters, {fact.left_out} ({share:.0%}) in no optimizer"
        yield fact, summary + (f": {shown}" if shown else "")


def updates(steps: list[Step]) -> Iterator[Measured]:
    seen = [(s.index, s.change, s.rates[0] if s.rates else None) for s in steps if s.change is not None]
    if seen:
        # A step that turns the parameters into NaN has changed them beyond measure.
        ratios = tuple(r if math.isfinite(r) else math.inf for _, r, _ in seen)
        middle = sorted(ratios)[len(ratios) // 2]
        yield (
            UpdateRatios(tuple(i for i, _, _ in seen), ratios, tuple(rate or 0.0 for _, _, rate in seen)),
            f"a step changes the parameters by {middle:.2g} of their norm (median of {len(ratios)} steps)",
        )


def learning_rate(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    rated = [(s.index, s.rates[0]) for s in steps if s.rates and s.rates[0] is not None]
    made = [o for o in recording.of("optimizer") if o["o"] == steps[0].optimizer]
    if not rated or not made:
        return
    thin = rated[:: max(1, len(rated) // 200)]
    clips = [s.clip for s in steps if s.clip]
    name = str(made[0]["name"])
    fact = LearningRate(
        optimizer=name,
        steps=tuple(i for i, _ in thin),
        values=tuple(r for _, r in thin),
        initial=rated[0][1],
        where=recording.place(made[0]["site"]),
        frames=recording.places(made[0]["site"]),
        clipped=fmean(norm > limit for norm, limit in clips) if clips else None,
    )
    last = f", {rated[-1][1]:.3g} at step {rated[-1][0]}" if rated[-1][1] != rated[0][1] else ""
    yield fact, f"{name} steps with lr {rated[0][1]:.3g}{last} ({fact.where})"


def gradient_norms(steps: list[Step]) -> Iterator[Measured]:
    seen = [(s.index, s.gradient) for s in steps if s.gradient is not None]
    if seen:
        fact = GradientNorms(tuple(i for i, _ in seen), tuple(g for _, g in seen))
        yield (
            fact,
            f"gradient norm {seen[0][1]:.3g} at the first step, {seen[-1][1]:.3g} at step {seen[-1][0]}",
        )


def input_scale(recording: Recording) -> Iterator[Measured]:
    seen = recording.of("input")
    if not seen:
        return
    size = sum(i["n"] for i in seen)
    spreads = [float(i["spread"]) for i in seen if "spread" in i]
    fact = InputScale(
        mean=fmean(float(i["mean"]) for i in seen),
        std=fmean(float(i["std"]) for i in seen),
        low=min(float(i["low"]) for i in seen),
        high=max(float(i["high"]) for i in seen),
        feature_spread=fmean(spreads) if spreads else None,
        nonfinite=sum(i["bad"] for i in seen),
        where=recording.place(seen[0]["site"]),
        samples=size,
        discrete=all(i.get("discrete") for i in seen),
    )
    if fact.discrete:
        yield fact, f"the model's input is whole numbers, {fact.low:.0f} to {fact.high:.0f}"
        return
    bad = f", {fact.nonfinite} values NaN or Inf" if fact.nonfinite else ""
    yield (
        fact,
        f"the model's input has mean {fact.mean:.3g}, std {fact.std:.3g}, range {fact.low:.3g} to {fact.high:.3g}{bad}",
    )


def origin(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The first operation that made NaN or Inf; once the parameters are lost, every operation does."""
    bad = [s.index for s in steps if s.gradient is not None and not math.isfinite(s.gradient)]
    bad += [s.index for s in steps if any(not math.isfinite(v) for _, v in s.losses)]
    seen = [o for o in recording.of("origin") if o["step"] <= min(bad, default=o["step"])]
    # A constant made infinite on purpose (a mask) does not lie on the way to the loss.
    on_path = [o for o in seen if o["graph"] or o["phase"] == "backward"] or seen
    for body in on_path[:1]:
        frames = recording.places(body["site"])
        fact = NonfiniteOrigin(
            step=body["step"],
            operation=body["op"],
            phase=body["phase"],
            where=frames[0] if frames else None,
            frames=frames,
            input_min=None if body["low"] is None else float(body["low"]),
            input_max=None if body["high"] is None else float(body["high"]),
            input_zeros=body["zeros"],
            input_size=body["size"],
            divisor_zeros=body["divisor_zeros"],
        )
        what = (
            f"{fact.input_zeros} zeros among {fact.input_size} inputs" if fact.input_zeros else "no zero in its input"
        )
        yield (
            fact,
            f"{fact.operation} ({fact.phase}) gives the first NaN or Inf at step {fact.step}, {fact.where}: {what}",
        )
