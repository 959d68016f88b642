"""Measures what observing a run costs, beside other tools: docs/overhead.md.

    python bench/overhead.py [--write] [--quick] [--only SECTION ...] [--json FILE] [--peers PYTHON]
    python bench/overhead.py --profile NAME     where the observer's time per step goes

NAME is mlp, cnn, transformer, lstm, or has a size: wide-1000000, adam-1000000, deep-50. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from cost import commands, measurements, selective
from cost.measurements import Bounds, Compared, Results, compare
from cost.page import duration, interval, page

from stetho.executors.local import INJECT

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "overhead.md"
PEERS = ROOT / ".venv-bench" / "bin" / "python"
SECTIONS = ("interleaved", "start", "whole", "peers", "parameters", "layers")


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    programs: dict[str, tuple[Bounds, float, float]]
    """By program: the bounds for the observer, the seconds for the noise floor and for each other tool."""
    tools: tuple[str, ...]
    """Other tools that can be switched inside a process; the last ones live in the peers' environment."""
    traincheck: dict[str, int]
    whole: tuple[tuple[str, int], ...]
    parameters: dict[str, Bounds]
    layers: dict[str, Bounds]
    pairs: int
    starts: int


def _layers(seconds: float, *depths: int) -> dict[str, Bounds]:
    """Bounds for nets of these depths: shorter blocks for deeper nets."""
    return {f"deep-{d}": Bounds((max(2, 200 // d),) * 2, 30, seconds) for d in depths}


FULL = Plan(
    programs={
        "mlp": (Bounds((20, 20), 100, 12), 8, 4),
        "cnn": (Bounds((5, 5), 100, 35), 20, 6),
        "transformer": (Bounds((5, 5), 100, 65), 25, 8),
        "lstm": (Bounds((10, 10), 100, 20), 8, 4),
    },
    tools=("anomaly", "isnan", "underflow", "cockpit"),
    traincheck={"mlp": 100, "cnn": 20, "transformer": 10, "lstm": 40},
    whole=(("mlp", 200), ("mlp", 2000), ("cnn", 100), ("transformer", 20), ("lstm", 300)),
    parameters={
        "wide-1000000": Bounds((20, 20), 30, 6),
        "wide-3000000": Bounds((20, 20), 30, 6),
        "wide-10000000": Bounds((10, 10), 30, 8),
        "wide-30000000": Bounds((5, 5), 30, 8),
        "wide-100000000": Bounds((3, 10), 20, 20),
        "wide-300000000": Bounds((2, 8), 15, 40),
        "adam-1000000": Bounds((20, 20), 30, 6),
        "adam-10000000": Bounds((10, 10), 30, 8),
        "adam-100000000": Bounds((2, 8), 15, 20),
    },
    layers=_layers(5, 10, 50, 100, 200, 500),
    pairs=5,
    starts=10,
)
QUICK = Plan(
    programs={"mlp": (Bounds((10, 10), 100, 1), 1, 1)},
    tools=("anomaly", "isnan"),
    traincheck={},
    whole=(("mlp", 20),),
    parameters={"wide-100000": Bounds((5, 5), 20, 0.5), "wide-1000000": Bounds((5, 5), 20, 0.5)},
    layers={"deep-5": Bounds((5, 5), 20, 0.5), "deep-20": Bounds((5, 5), 20, 0.5)},
    pairs=1,
    starts=1,
)


def measure(plan: Plan, sections: tuple[str, ...], peers: Path, told: Callable[[Compared], Compared]) -> Results:
    """All chosen tables, in the order of the page."""
    # As pip leaves an installation.
    compileall.compile_dir(INJECT.parent, quiet=1)
    results = Results(machine=machine())
    if "interleaved" in sections:
        for name, (bounds, noise, _) in plan.programs.items():
            results.interleaved.append(told(compare(name, "stetho", bounds)))
            alone = Bounds(bounds.blocks, bounds.warm, noise)
            results.noise.append(told(compare(name, "unobserved", alone)))
    if "start" in sections:
        results.start = measurements.start(plan.starts)
        print(f"import torch: {results.start.extra.value:+.3f} s", file=sys.stderr, flush=True)
    if "whole" in sections:
        for name, steps in plan.whole:
            results.whole.append(measurements.whole(name, steps, plan.pairs))
            print(f"{name}, {steps} steps: {interval(results.whole[-1].ratio)}", file=sys.stderr, flush=True)
    if "peers" in sections:
        results.peers = [told(c) for c in others(plan, peers)]
    if "parameters" in sections:
        results.parameters = [told(compare(name, "stetho", bounds)) for name, bounds in plan.parameters.items()]
    if "layers" in sections:
        results.layers = [told(compare(name, "stetho", bounds)) for name, bounds in plan.layers.items()]
    return results


def others(plan: Plan, peers: Path) -> Iterator[Compared]:
    """The other tools, each in the environment it is installed in."""
    for tool in plan.tools:
        python = sys.executable if tool in ("anomaly", "isnan") else str(peers)
        for name, (bounds, _, seconds) in plan.programs.items():
            yield compare(name, tool, Bounds(bounds.blocks, 3, seconds, 2), python)
    for name, steps in plan.traincheck.items():
        yield selective.compare(name, steps, 2, peers)


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return {"one core of": model, "with torch": version("torch"), "and Python": platform.python_version()}


def tell(compared: Compared) -> Compared:
    """One line of progress."""
    r = compared.ratio
    shown = f"{interval(r.all)}  typical {interval(r.typical)}  step {duration(r.base)}" if r else compared.why
    print(f"{compared.program:16} {compared.tool:12} {shown}", file=sys.stderr, flush=True)
    return compared


def profile(name: str, warm: int, steps: int) -> None:
    with commands.recording() as (_, environment):
        print(commands.ask("profiled.py", {"name": name, "warm": warm, "steps": steps, "block": 10}, environment))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/overhead.md; needs a full run")
    parser.add_argument("--quick", action="store_true", help="about a minute, to see that it works")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--peers", type=Path, default=PEERS, metavar="PYTHON", help="interpreter that has the peers")
    parser.add_argument("--profile", metavar="NAME")
    parser.add_argument("--warm", type=int, default=150)
    parser.add_argument("--steps", type=int, default=200)
    given = parser.parse_args()
    os.environ.update(commands.ONE_THREAD)
    if given.profile:
        profile(given.profile, given.warm, given.steps)
        return
    if given.write and (given.quick or tuple(given.only) != SECTIONS):
        parser.error("the page is written from a full run only")
    results = measure(QUICK if given.quick else FULL, tuple(given.only), given.peers, tell)
    if given.json:
        given.json.write_text(json.dumps(asdict(results), indent=1))
    text = page(results)
    if given.write:
        PAGE.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
