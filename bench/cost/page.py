"""Lays the results out as docs/overhead.md; computes nothing that was not measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cost.events import FACTS
from cost.measurements import Compared, Results, Whole
from cost.ratios import Spread

# What the observer is built to stay under.
TARGETS = {"mlp": 1.08, "cnn": 1.02, "transformer": 1.02}
START_TARGET = 0.050
TITLES = {
    "mlp": "MLP 3×128, batch 64, Adam",
    "cnn": "CNN on 32×32, batch 64, Adam",
    "transformer": "transformer 6×256, sequence 64, batch 8, Adam",
    "lstm": "LSTM 128, sequence 32, batch 32, Adam",
    "stetho": "stetho's observer",
    "anomaly": "`torch.autograd.set_detect_anomaly`",
    "isnan": "an `isnan` hook on every module",
    "underflow": "Hugging Face `DebugUnderflowOverflow`",
    "traincheck": "TrainCheck, selective, 100 invariants",
    "cockpit": "Cockpit, economy",
    "wide": "SGD",
    "adam": "Adam",
}

METHOD = """
**The programs** are in `bench/cost/programs.py`: raw loops over a pool of eight batches that are in memory, so
that no loading hides the cost. One thread, one core, processor time (`time.process_time`), which other processes on
the machine disturb least; the wall clock is shown beside it.

**Interleaved.** In one process, blocks of steps run without and with the tool in the order A B B A …, after a warm-up
with it. The ratio of *all steps* is sum over sum: it holds in full the rare steps at which layers are sampled. The
ratio of the *typical block* is the median over pairs of neighbouring blocks: it leaves most of them out. Intervals are
95 % bootstrap intervals over pairs. The *noise floor* is the same comparison where both arms are unobserved, in a
process of its own: a ratio inside its interval cannot be told from 1. Targets are compared with the whole interval of
all steps.

**How tools are switched.** stetho by the switch that makes every hook of its observer return at once; its wrappers
stay installed in both arms, and only the comparison of whole commands holds what they cost. Tools that use module
hooks by taking these out. Cockpit needs its own loop and model, so its other arm is a twin of the model. TrainCheck
rewrites the program, so two pairs of runs are compared, by the time that the program itself takes for the second half
of its steps; the interval is then the range. stetho samples by a schedule; the others work at every step.

**Whole commands** are started with and without the observer in turn: user time as the kernel counts it, with start-up,
imports and the close look at the first steps. The additional time counts the kernel's work, too. The observer's files
are compiled before, as an installation leaves them.

**The first 100 steps** are those of one observed process over those of one unobserved process.

`python bench/overhead.py --profile NAME` shows where the observer's time goes.
""".strip()


def page(results: Results) -> str:
    parts = [
        "# What observing costs",
        "Written by `make overhead`. Ratios of processor time, with 95 % intervals; 1.00 means no cost. Measured on "
        + ", ".join(f"{k} {v}".strip() for k, v in results.machine.items())
        + ".",
        "## Step time, observed over unobserved",
        *_interleaved(results),
        "## Beside other tools",
        *_peers(results),
        "## Whole commands",
        *_whole(results),
        "## Growth",
        *_growth(results),
        "## How often each fact is recorded",
        *_facts(results),
        "## Method",
        METHOD,
    ]
    return "\n\n".join(parts) + "\n"


def _interleaved(results: Results) -> list[str]:
    noise = {c.program: c for c in results.noise}
    rows = []
    for c in results.interleaved:
        floor = noise.get(c.program)
        if c.ratio is None:
            rows.append([_title(c.program), f"no number: {c.why}"])
            continue
        target = TARGETS.get(c.program)
        met = "" if target is None else f"≤ {target}: {_reached(c.ratio.all, target)}"
        first = f"{c.first / floor.first:.2f}" if floor and floor.first else ""
        rows.append(
            [
                _title(c.program),
                duration(c.ratio.base),
                interval(c.ratio.all),
                interval(c.ratio.typical),
                f"{c.ratio.wall:.3f}",
                interval(floor.ratio.all) if floor and floor.ratio else "",
                first,
                met,
            ]
        )
    head = ["program", "step", "all steps", "typical block", "wall", "noise floor", "first 100 steps", "target"]
    return [table(head, rows)]


def _reached(found: Spread, target: float) -> str:
    """Whether a target is met, or missed, by the whole interval; else the measurement cannot tell."""
    if found.high <= target:
        return "met"
    return "missed" if found.low > target else "the interval has both sides of it"


def _peers(results: Results) -> list[str]:
    found = {(c.program, c.tool): c for c in [*results.interleaved, *results.peers]}
    programs = list(dict.fromkeys(c.program for c in results.interleaved))
    tools = list(dict.fromkeys(["stetho", *(c.tool for c in results.peers)]))
    rows, reasons = [], []
    for tool in tools:
        cells = [found.get((program, tool)) for program in programs]
        rows.append([_title(tool), *(_cell(c) for c in cells)])
        reasons += [f"- {_title(tool)} on {c.program}: {c.why}" for c in cells if c is not None and c.why]
    text = [table(["tool", *programs], rows)]
    return text + (["Without a number:", "\n".join(reasons)] if reasons else [])


def _cell(compared: Compared | None) -> str:
    if compared is None:
        return "not measured"
    return "does not run" if compared.ratio is None else interval(compared.ratio.all, 2)


def _whole(results: Results) -> list[str]:
    rows = [
        [_title(w.program), str(w.steps), duration(w.plain), interval(w.ratio), _more(w.extra), str(w.pairs)]
        for w in results.whole
    ]
    text = [table(["program", "steps", "user time, unobserved", "ratio", "additional time", "pairs"], rows)]
    if results.start:
        w: Whole = results.start
        met = _reached(w.extra, START_TARGET)
        text.append(
            f"Start-up: `python -c 'import torch'` takes {duration(w.plain)} of user time, and {_more(w.extra)} with "
            f"the observer on its path (target ≤ {duration(START_TARGET)}: {met}; {w.pairs} pairs)."
        )
    return text


def _growth(results: Results) -> list[str]:
    head = ["step", "the observer adds", "ratio, all steps", "typical block", "observed steps", "of them sampled"]
    parameters = [[_millions(c.program), _title(c.program.split("-")[0]), *_grown(c)] for c in results.parameters]
    layers = [[c.program.split("-")[1], *_grown(c)] for c in results.layers]
    return [
        "With parameters: four square layers, batch 4.",
        table(["parameters", "optimizer", *head], parameters),
        "With layers: 32 wide, batch 64, Adam.",
        table(["layers", *head], layers),
    ]


def _grown(c: Compared) -> list[str]:
    if c.ratio is None:
        return [f"no number: {c.why}"]
    return [
        duration(c.ratio.base),
        _more(c.ratio.extra),
        interval(c.ratio.all),
        interval(c.ratio.typical),
        str(c.steps),
        str(c.counts.sampled if c.counts else 0),
    ]


def _facts(results: Results) -> list[str]:
    counted = [c for c in results.interleaved if c.counts]
    kinds = dict.fromkeys(k for c in counted if c.counts for k in [*c.counts.first, *c.counts.later])
    rows = []
    for kind in sorted(kinds, key=lambda k: (list(FACTS).index(k) if k in FACTS else len(FACTS), k)):
        cells = [f"{c.counts.first.get(kind, 0)}, {c.counts.later.get(kind, 0):.3g}" for c in counted if c.counts]
        rows.append([FACTS.get(kind, f"`{kind}`"), *cells])
    sizes = [f"{c.counts.bytes_first / 1e3:.0f}, {c.counts.bytes_later / 1e3:.1f}" for c in counted if c.counts]
    rows.append(["kilobytes written", *sizes])
    told = "In the runs of the first table: how often in the first 100 observed steps, then per 100 steps later."
    return [told, table(["fact", *(c.program for c in counted)], rows)]


def _title(name: str) -> str:
    return TITLES.get(name, name)


def _millions(program: str) -> str:
    return f"{int(program.rsplit('-', 1)[1]) / 1e6:g} M"


def interval(s: Spread, digits: int = 3) -> str:
    return f"{s.value:.{digits}f} ({s.low:.{digits}f}–{s.high:.{digits}f})"


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _more(s: Spread) -> str:
    return f"{'+' if s.value >= 0 else ''}{duration(s.value)}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(head), ["---"] * len(head), *([*r, *[""] * (len(head) - len(r))] for r in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "¦") for cell in line) + " |" for line in lines)
