"""Ranks: what each process of a distributed run did, whether they hold the same parameters, who waits for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import permutations
from math import isfinite
from statistics import median

from stetho.facts import (
    LossCurve,
    Memory,
    RankAgreement,
    RankArrival,
    RankRun,
    Ranks,
    RankSamples,
    RankWaiting,
    StepTimes,
)  # fmt: skip
from stetho.measure.loading import prints
from stetho.measure.loss import loss_curve
from stetho.measure.lost_rank import lost_rank
from stetho.measure.run import memory, step_times
from stetho.measure.series import Measured, main_steps, plural, taken
from stetho.recording import Recording

Recordings = Mapping[int, Recording]
# Steps by which one rank may be ahead of another, at least and as a share, where each waits for the others.
AHEAD, AHEAD_SHARE = 2, 0.02
# Samples of a rank from which it can be told whether it shares them.
LEAST_SHARED = 48
# Checksums of parameters and of buffers by optimizer and step.
Checksums = dict[tuple[int, int], tuple[str | None, str | None]]


def rank_facts(ranks: Recordings) -> Iterator[Measured]:
    """What only the records of all ranks together can tell."""
    if len(ranks) > 1:
        yield from every_rank(ranks)
        agreed = list(agreement(ranks))
        yield from agreed
        yield from samples(ranks)
        apart = any(isinstance(fact, RankAgreement) and fact.first_parameters == 0 for fact, _ in agreed)
        if in_step(ranks) and not apart:
            # Parts of a model take turns, and models that differ from the first step on are none that wait.
            yield from waiting(ranks)
        yield from lost_rank(ranks)


def in_step(ranks: Recordings) -> bool:
    """Whether all ranks have taken as many steps: where some have more batches than others and go on alone, a number
    stands for another step on each of them."""
    counts = [taken(main_steps(recording)) for recording in ranks.values()]
    return max(counts) - min(counts) <= max(AHEAD, AHEAD_SHARE * max(counts))


def every_rank(ranks: Recordings) -> Iterator[Measured]:
    """Each rank's run in a few numbers."""
    runs = tuple(_run(rank, recording) for rank, recording in ranks.items())
    worlds = [b["world"] for r in ranks.values() for b in r.of("run") if isinstance(b.get("world"), int)]
    fact = Ranks(runs, max(worlds, default=None))
    steps = ", ".join(f"{run.rank}: {run.steps}" for run in runs[:8])
    of = f" of {fact.world}" if fact.world else ""
    yield fact, f"{plural(len(runs), 'rank')}{of} took steps ({steps}{', …' if len(runs) > 8 else ''})"


def _run(rank: int, recording: Recording) -> RankRun:
    steps = main_steps(recording)
    found = {
        type(f): f for part in (loss_curve(recording, steps), step_times(steps), memory(recording)) for f, _ in part
    }
    curve, times, used = found.get(LossCurve), found.get(StepTimes), found.get(Memory)
    return RankRun(
        rank=rank,
        steps=taken(steps),
        loss_first=curve.values[0] if isinstance(curve, LossCurve) else None,
        loss_last=curve.values[-1] if isinstance(curve, LossCurve) else None,
        nonfinite_step=curve.nonfinite_step if isinstance(curve, LossCurve) else None,
        step_seconds=times.median if isinstance(times, StepTimes) else None,
        wait_seconds=times.wait_median if isinstance(times, StepTimes) else None,
        memory=used.highest if isinstance(used, Memory) else None,
        faults=len(recording.faults),
        loss_lost=_lost(curve),
    )


def _lost(curve: object) -> int | None:
    if not isinstance(curve, LossCurve):
        return None
    steps = curve.steps or range(len(curve.values))
    return next((i for i, v in zip(steps, curve.values, strict=False) if not isfinite(v)), None)


def samples(ranks: Recordings) -> Iterator[Measured]:
    """Fingerprints of the training batches, compared at every step that all ranks have one for."""
    seen: dict[int, dict[int, tuple[str, ...]]] = {}
    for rank, recording in ranks.items():
        for body in recording.of("batch"):
            if body.get("h") and body.get("phase") == "train":
                seen.setdefault(rank, {}).setdefault(int(body["step"]), tuple(prints(body)))
    common = sorted(set.intersection(*(set(table) for table in seen.values()))) if len(seen) > 1 else []
    if not common:
        return
    lowest = seen[min(seen)]
    same = sum(len({table[i] for table in seen.values()}) == 1 for i in common)
    sizes = median(len(lowest[i]) for i in common)
    fact = RankSamples(
        tuple(sorted(seen)),
        len(common),
        same,
        len({lowest[i] for i in common}),
        int(sizes),
        *_losses(ranks),
        *_shared(seen),
        one_model=_alike(ranks),
    )
    yield fact, f"all ranks had the same samples in {same} of {plural(len(common), 'step')} compared"


def _shared(seen: Mapping[int, Mapping[int, tuple[str, ...]]]) -> tuple[float | None, int]:
    """How much of what one rank reads in its first pass another one reads, too; the pair that shares least tells."""
    passes = {rank: _first_pass(table) for rank, table in seen.items()}
    if any(len(found) < LEAST_SHARED for found, _ in passes.values()):
        return None, 0
    shares = [
        min(1.0, len(one & two) / len(one) / max(known, 1e-9))
        for (one, _), (two, known) in permutations(passes.values(), 2)
    ]
    return min(shares), min(len(found) for found, _ in passes.values())


def _first_pass(table: Mapping[int, tuple[str, ...]]) -> tuple[set[str], float]:
    """The samples of a rank until one of them comes again, and the share of those steps that is on record."""
    met: set[str] = set()
    steps: list[int] = []
    for step in sorted(table):
        if met.intersection(table[step]):
            break
        met.update(table[step])
        steps.append(step)
    return met, len(steps) / (steps[-1] - steps[0] + 1) if steps else 0.0


def _losses(ranks: Recordings) -> tuple[int, int, int]:
    """Steps that all ranks have a loss for, those in which it is the same, and how many different ones there are."""
    tables = [{s.index: s.losses for s in main_steps(recording) if s.losses} for recording in ranks.values()]
    values = [{i: tuple(v for _, v in losses) for i, losses in table.items()} for table in tables]
    common = set.intersection(*(set(table) for table in values))
    same = sum(len({table[i] for table in values}) == 1 for i in common)
    return len(common), same, len({values[0][i] for i in common})


def agreement(ranks: Recordings) -> Iterator[Measured]:
    """Checksums, compared at every step that all ranks have one for."""
    sums: dict[int, Checksums] = {
        rank: {(int(b["o"]), int(b["i"])): (_text(b.get("p")), _text(b.get("b"))) for b in recording.of("check")}
        for rank, recording in ranks.items()
    }
    sums = {rank: table for rank, table in sums.items() if table}
    if len(sums) < 2:
        return
    if not _alike({rank: ranks[rank] for rank in sums}):
        # Each rank has a part of the model, or a model of its own.
        return
    common = sorted(set.intersection(*(set(table) for table in sums.values())), key=lambda key: (key[1], key[0]))
    if not in_step(ranks):
        # At its first step each rank is where the others are.
        common = [key for key in common if key[1] == 0]
    if not common:
        return
    parts = [[key for key in common if len({t[key][part] for t in sums.values()}) > 1] for part in (0, 1)]
    parameters, buffers = parts
    lowest = min(sums)
    apart = (
        tuple(r for r, table in sorted(sums.items()) if table[parameters[0]][0] != sums[lowest][parameters[0]][0])
        if parameters
        else ()
    )
    fact = RankAgreement(
        ranks=tuple(sorted(sums)),
        steps=len(common),
        parameters_differ=len(parameters),
        buffers_differ=len(buffers),
        first_parameters=parameters[0][1] if parameters else None,
        first_buffers=buffers[0][1] if buffers else None,
        apart=apart,
    )
    told = f"the parameters differ between ranks at {fact.parameters_differ} of {fact.steps} steps compared"
    first = f", first at step {fact.first_parameters} (ranks {', '.join(map(str, apart))})" if parameters else ""
    yield fact, told + first


def _exchanges_after_backward(recording: Recording) -> bool:
    """Whether no wrapper brings gradients together during backward, so that nobody waits in it."""
    told = [body["wrapped"] for body in recording.of("own-gradient") if "wrapped" in body]
    return bool(told) and not any(told)


def _alike(ranks: Recordings) -> bool:
    """Whether the parameters of all ranks have the same sizes."""
    shapes = [[b.get("sizes") for b in recording.of("parameters")] for recording in ranks.values()]
    return all(shape == shapes[0] for shape in shapes)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def waiting(ranks: Recordings) -> Iterator[Measured]:
    """When each rank comes to the exchange of gradients in the same step, by the wall clock."""
    after = all(_exchanges_after_backward(recording) for recording in ranks.values())
    began = {
        rank: {
            s.index: s.backward_began + (s.backward_took or 0.0 if after else 0.0)
            for s in main_steps(recording)
            if s.backward_began is not None
        }
        for rank, recording in ranks.items()
    }
    began = {rank: table for rank, table in began.items() if table}
    if len(began) < 2 or not _alike(ranks):
        return
    common = sorted(set.intersection(*(set(table) for table in began.values())))
    if not common:
        return
    last = {i: max(began, key=lambda rank: began[rank][i]) for i in common}
    spread = {i: began[last[i]][i] - min(table[i] for table in began.values()) for i in common}
    counts = Counter(last.values())
    worst = max(spread, key=lambda i: spread[i])
    arrivals = []
    for rank, table in sorted(began.items()):
        waits = [began[last[i]][i] - table[i] for i in common]
        took = [s.backward_took for s in main_steps(ranks[rank]) if s.backward_took is not None]
        arrivals.append(RankArrival(rank, counts[rank], median(waits), sum(waits), median(took) if took else None))
    quarter = max(1, len(common) // 4)
    early, late = (median(spread[i] for i in part) for part in (common[:quarter], common[-quarter:]))
    fact = RankWaiting(
        len(common), median(spread.values()), spread[worst], worst, tuple(arrivals), spread_early=early,
        spread_late=late, after_backward=after,
    )  # fmt: skip
    rank, times = counts.most_common(1)[0]
    verb = "ends" if after else "begins"
    told = f"rank {rank} {verb} backward last in {times} of {plural(len(common), 'step')}"
    yield fact, f"{told}; the first rank waits {fact.spread_median:.3g} s for the last (median)"
