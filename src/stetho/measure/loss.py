"""The loss: its curve, its first values beside chance, and the terms it is added up from."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean, median, stdev
from typing import Any

from stetho.evidence import Place
from stetho.facts import FirstLoss, LineLoss, LossCurve, LossTerm, LossTerms, StepLosses
from stetho.measure.chance import chance_level, factor_of_loss, share_of_loss, uniform_level
from stetho.measure.label_noise import label_noise
from stetho.measure.series import FEW, Measured, finite, middle, plural, taken, thin
from stetho.recording import Recording, Step

# The name and the place of a term, with its value: one entry for each term of a step.
Made = tuple[str, Place | None]
Terms = list[tuple[str, Place | None, float]]
# Losses after this step are no longer first ones, in a recording whose beginning was thinned out.
BEGINNING = 10
# Backwards of one step whose scatter tells how far their mean may be off.
MANY = 16


def loss_curve(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The values of the busiest backward line, step by step."""
    own = Counter(site for s in steps for site, _ in s.losses)
    if not own:
        return
    site = own.most_common(1)[0][0]
    sites = one_line(recording, steps, site)
    values, where, doubts = [], [], []
    for step in steps:
        here = [v for s, v in step.losses if s in sites]
        if here:
            values.append(next((v for v in here if not math.isfinite(v)), None) or fmean(here))
            where.append(step.index)
        if len(here) >= MANY and math.isfinite(values[-1]):
            doubts.append(stdev(here) / math.sqrt(len(here)))
    part = share_of_loss(recording, steps, sites)
    chance, meaning = chance_level(recording)
    chance = chance * part if chance is not None and part is not None else None
    noise = label_noise(recording) if chance is not None else None
    first, kind = first_bad(steps, where, values)
    place = recording.place(site)
    share, samples = explained(recording, taken(steps))
    curve = LossCurve(
        values=tuple(values),
        steps=tuple(where),
        doubts=tuple(doubts) if len(doubts) == len(values) else (),
        where=place,
        chance=chance,
        chance_is=meaning,
        objectives=objectives(recording),
        nonfinite_step=first,
        nonfinite_in=kind,
        explained=share,
        explained_from=samples,
        factor=factor_of_loss(recording, steps, sites),
        label_noise=noise.spread * part if noise is not None and part is not None else None,
        rarest_label=noise.rarest * part if noise is not None and part is not None else None,
        **_made(recording, place),
    )
    yield (
        curve,
        f"loss {values[0]:.4g} at the first step, {values[-1]:.4g} at step {where[-1]}, {len(values)} steps ({place})",
    )


def step_losses(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The losses of each line, where backward is mostly called at several for a step."""
    busy = [s for s in steps if s.losses]
    several = [s for s in busy if len({recording.place(site) for site, _ in s.losses}) > 1]
    if len(several) < 0.5 * len(busy) or not several:
        return
    found: dict[Place | None, dict[int, float]] = defaultdict(dict)
    for step in busy:
        for place in dict.fromkeys(recording.place(site) for site, _ in step.losses):
            found[place][step.index] = fmean(v for site, v in step.losses if recording.place(site) == place)
    kept = {place: dict(thin(list(known.items()))) for place, known in found.items()}
    lines = [LineLoss(place, tuple(known), tuple(known.values())) for place, known in kept.items()]
    told = ", ".join(
        f"{one.values[0]:.3g} at first and {one.values[-1]:.3g} at last ({one.where})" for one in lines[:4]
    )
    yield StepLosses(tuple(lines)), f"{plural(len(lines), 'line')} call backward for each step: {told}"


def _made(recording: Recording, backward: Place | None) -> dict[str, Any]:
    """Where the loss was made, as most of the graphs that were followed show it, and what it sums up."""
    walked = [g for g in recording.of("graph") if g.get("nodes")]
    at = Counter(g["at"] for g in walked if g.get("at") is not None).most_common(1)
    place = recording.place(at[0][0]) if at else None
    known = [int(g.get("summed") or 0) for g in walked if "at" in g]
    return {"made_at": place if place != backward else None, "summed": int(median(known)) if known else None}


def one_line(recording: Recording, steps: list[Step], site: int) -> set[int]:
    """The call sites that go on where this one stops: the same line, reached from elsewhere, as in a second training.

    Where the two take turns, the line serves two losses, and they stay apart.
    """
    spans: dict[int, tuple[int, int]] = {}
    for step in steps:
        for s, _ in step.losses:
            spans[s] = (spans.get(s, (step.index, 0))[0], step.index)
    chosen = {site}
    for other in spans:
        apart = all(spans[other][1] < spans[s][0] or spans[s][1] < spans[other][0] for s in chosen)
        if apart and (place := recording.place(other)) is not None and place == recording.place(site):
            chosen.add(other)
    return chosen


def first_bad(steps: list[Step], where: list[int], values: list[float]) -> tuple[int | None, str | None]:
    """The first step with NaN or Inf, and whether the loss or the gradient had it."""
    loss = next((i for i, v in zip(where, values, strict=True) if not math.isfinite(v)), None)
    gradient = next((s.index for s in steps if s.gradient is not None and not math.isfinite(s.gradient)), None)
    if gradient is None or (loss is not None and loss <= gradient):
        return loss, "loss" if loss is not None else None
    return gradient, "gradient"


def objectives(recording: Recording) -> int:
    """How many optimizers are trained by losses of their own."""
    sites = {site for s in recording.steps for site, _ in s.losses}
    return len({s.optimizer for s in recording.steps if s.losses}) if len(sites) > 1 else 1


def explained(recording: Recording, steps: int) -> tuple[float | None, int | None]:
    """The median share of variance explained over what was looked at in the second half of the run, and from how many
    samples; an older record does not know them."""
    seen = [(f["step"], float(f["r2"]), f.get("n")) for f in recording.of("fit")]
    seen += [
        (c["step"], float(c["r2"]), (c.get("tshape") or [None])[0])
        for c in recording.of("loss-call")
        if c["grad"] and "r2" in c
    ]
    late = [(share, samples) for step, share, samples in seen if step >= steps // 2]
    known = [int(samples) for _, samples in late[-FEW:] if samples]
    return (median(share for share, _ in late) if late else None), (sum(known) or None)


def first_loss(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The first losses, when chance is known to compare them with."""
    curve = next((fact for fact, _ in loss_curve(recording, steps)), None)
    if not isinstance(curve, LossCurve) or curve.chance is None:
        return
    values = tuple(v for i, v in zip(curve.steps, curve.values, strict=True) if i < BEGINNING)[:FEW]
    if not values:
        return
    uniform, classes = uniform_level(recording)
    computed, _ = chance_level(recording)
    # Both levels are told in terms of what backward is called on.
    scale = curve.chance / computed if computed else 1.0
    fact = FirstLoss(
        values=values,
        where=curve.where,
        chance=curve.chance,
        chance_is=curve.chance_is,
        uniform=None if uniform is None else uniform * scale,
        classes=classes,
    )
    level = f"; equal chances for {classes} classes cost {fact.uniform:.4g}" if fact.uniform is not None else ""
    told = ", ".join(f"{v:.4g}" for v in values)
    yield fact, f"the first losses are {told}; chance is {curve.chance:.4g} ({curve.chance_is}){level}"


def loss_terms(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The summands of sampled steps, and the library's loss calls of all steps."""
    functions = {c["site"]: str(c["fn"]) for c in recording.of("loss-call") if c["fn"] != "log_softmax"}
    walked: list[Terms] = [
        [(str(op), recording.place(site), float(value)) for op, site, value, *_ in body.get("parts") or ()]
        for body in recording.of("terms")
    ]
    made = {
        (str(op), recording.place(site)): (str(how[0]), tuple(int(n) for n in how[1]))
        for body in recording.of("terms")
        for op, site, _, *how in body.get("parts") or ()
        if len(how) == 2
    }
    called: list[Terms] = [
        [(functions.get(site, "loss"), recording.place(site), value) for site, value in step.terms] for step in steps
    ]
    fact = LossTerms(parts=_terms(walked, made), calls=_terms(called), looked_at=sum(map(bool, walked)))
    shown = fact.parts or fact.calls
    if shown:
        told = ", ".join(f"{t.name} {t.last:.3g} ({t.where})" for t in shown[:4])
        more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
        yield fact, f"the loss is made of {plural(len(shown), 'value')}: {told}{more}"


def _terms(
    steps: Iterable[Terms], made: Mapping[Made, tuple[str, tuple[int, ...]]] | None = None
) -> tuple[LossTerm, ...]:
    """Each term over the steps it took part in, the largest share first."""
    how = made or {}
    values: dict[tuple[str, Place | None], list[float]] = defaultdict(list)
    shares: dict[tuple[str, Place | None], list[float]] = defaultdict(list)
    for step in steps:
        sums: dict[tuple[str, Place | None], float] = defaultdict(float)
        for name, where, value in step:
            sums[name, where] += value
        whole = sum(abs(v) for v in sums.values())
        for key, value in sums.items():
            values[key].append(value)
            shares[key] += [abs(value) / whole] if math.isfinite(whole) and whole > 0 else []
    found = [
        LossTerm(
            name=key[0],
            where=key[1],
            steps=len(seen),
            first=_level(seen[:FEW]),
            last=_level(seen[-FEW:]),
            share=middle(shares[key]),
            nonfinite=len(seen) - len(finite(seen)),
            total=how[key][0] if key in how else "",
            over=how[key][1] if key in how else (),
        )
        for key, seen in values.items()
    ]
    return tuple(sorted(found, key=lambda term: -(term.share or 0.0)))


def _level(values: list[float]) -> float:
    """The median of the finite values; NaN when there is none."""
    return median(finite(values) or [math.nan])
