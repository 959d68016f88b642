"""Run under observation: says where the observer's time per step goes. Started by `bench/overhead.py --profile NAME`.

Three views of the same steps: whole steps with the observer on and off, the time inside each guarded hook, and
a deterministic profile by function, which is finer and inflates small functions.
"""

from __future__ import annotations

import cProfile
import functools
import json
import os
import pstats
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

guard: Any = sys.modules.get("_stetho_observer.guard")
folder = os.path.dirname(os.path.abspath(guard.__file__)) + os.sep if guard else ""
# What the observer's wrappers call on the program's behalf; its time is not the observer's.
OF_THE_PROGRAM = {"backward", "cross_entropy", "zero_grad", "step", "_call_impl", "forward", "inner", "wrapper"}
# Per hook: calls, time in it and all it called, time that inner hooks took of that.
hooks: dict[str, list[float]] = {}
running: list[float] = []


def time_hooks() -> None:
    """Have every hook that is declared from now on timed; torch, and with it the hooks, is imported later."""
    original = guard.guarded

    def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
        inner = original(function)
        spent = hooks.setdefault(getattr(function, "__qualname__", repr(function)), [0, 0.0, 0.0])

        @functools.wraps(inner)
        def run(*args: Any, **kwargs: Any) -> Any:
            if guard.off:
                return inner(*args, **kwargs)
            running.append(0.0)
            begun = time.thread_time()
            try:
                return inner(*args, **kwargs)
            finally:
                taken = time.thread_time() - begun
                inside = running.pop()
                spent[0] += 1
                spent[1] += taken
                spent[2] += inside
                if running:
                    running[-1] += taken

        return run

    guard.guarded = guarded


def clear() -> None:
    for spent in hooks.values():
        spent[:] = [0, 0.0, 0.0]


def whole_steps(
    step: Callable[[], None], count: int, block: int, looking: Callable[[], bool]
) -> tuple[list[float], list[float]]:
    """Times of single steps, observed and not, in alternating blocks."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(2 * count // block):
        on = number % 4 in (1, 2)
        guard.off = not on
        done = 0
        while done < block or (on and looking()):
            begun = time.process_time()
            step()
            times[on].append((time.process_time() - begun) * 1e6)
            done += 1
        if on and guard.off:
            raise SystemExit("the observer switched itself off: see the fault in its recording")
    guard.off = False
    return times[1], times[0]


def show_steps(on: list[float], off: list[float]) -> None:
    base, usual = statistics.median(off), statistics.median(on)
    print(f"step, unobserved   median {base:10.1f} µs   mean {statistics.fmean(off):10.1f} µs")
    print(f"step, observed     median {usual:10.1f} µs   mean {statistics.fmean(on):10.1f} µs")
    print(
        f"ratio              median {usual / base:10.4f}      mean {statistics.fmean(on) / statistics.fmean(off):10.4f}"
    )
    edge = usual + 3 * (sorted(off)[int(0.9 * len(off))] - base) + 0.05 * base
    dear = [t - usual for t in on if t > edge]
    share = 100 * len(dear) / len(on)
    print(
        f"dearer steps       {len(dear)} of {len(on)} ({share:.0f} %) add {sum(dear) / len(on):.1f} µs to the mean step"
    )


def show_hooks(steps: int) -> None:
    print("\ninside guarded hooks, µs per step (timing a call adds about 1 µs to it)")
    print(f"{'own':>10} {'with inner':>11} {'calls':>7}  hook")
    for name, (calls, taken, inner) in sorted(hooks.items(), key=lambda h: h[1][2] - h[1][1]):
        if calls:
            own = (taken - inner) * 1e6 / steps
            print(f"{own:10.1f} {taken * 1e6 / steps:11.1f} {calls / steps:7.2f}  {name}")
    print(f"{sum(t - i for _, t, i in hooks.values()) * 1e6 / steps:10.1f} {'':11} {'':7}  all hooks")


def show_functions(step: Callable[[], None], steps: int, most: int = 40) -> None:
    """By function of the observer: its own time, and that of the torch and Python calls it makes itself."""
    profile = cProfile.Profile(time.thread_time)
    profile.enable()
    for _ in range(steps):
        step()
    profile.disable()
    found: dict[tuple[str, int, str], Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    mine = {key for key in found if key[0].startswith(folder)}
    called: dict[Any, list[tuple[float, str, float]]] = {key: [] for key in mine}
    for key, (_, _, _, _, callers) in found.items():
        for caller, numbers in callers.items():
            if caller in mine and key not in mine and key[2] not in OF_THE_PROGRAM and key[0] != __file__:
                called[caller].append((numbers[3] * 1e6 / steps, key[2], numbers[1] / steps))
    print("\nby function of the observer, µs per step under a deterministic profile (inflated; use it to compare)")
    print(f"{'own':>8} {'calls it makes':>15} {'all below':>10} {'calls':>7}  function, and its dearest calls")
    rows = [(found[k][2] * 1e6 / steps, sum(c[0] for c in called[k]), k) for k in mine]
    for own, direct, key in sorted(rows, reverse=True, key=lambda r: r[0] + r[1])[:most]:
        calls, below = found[key][1] / steps, found[key][3] * 1e6 / steps
        dear = ", ".join(f"{_short(n)} {t:.1f} ×{c:.2g}" for t, n, c in sorted(called[key], reverse=True)[:4])
        print(
            f"{own:8.1f} {direct:15.1f} {below:10.1f} {calls:7.2f}  {key[0][len(folder) :]}:{key[1]} {key[2]}  [{dear}]"
        )


def _short(name: str) -> str:
    return name.removeprefix("<built-in method ").removeprefix("<method ").rstrip(">")


def show_events(first: int) -> None:
    """Kinds of events that were written while steps were profiled, with their bytes."""
    lines = [line for line in events() if line][first:]
    kinds: dict[str, list[int]] = {}
    for line in lines:
        kinds.setdefault(json.loads(line)["e"], []).append(len(line) + 1)
    told = ", ".join(f"{k} ×{len(v)} ({sum(v)} bytes)" for k, v in sorted(kinds.items(), key=lambda k: -sum(k[1])))
    print(f"\nevents written in these steps: {told or 'none'}")


def events() -> list[str]:
    folder = os.environ["STETHO_BENCH_RECORDING"]
    path = [os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(f"-{os.getpid()}.jsonl")]
    if not path:
        return []
    with open(path[0], encoding="utf-8") as lines:
        return lines.read().splitlines()


def main() -> None:
    if guard is None:
        raise SystemExit("the observer was not loaded into this process")
    request = json.loads(sys.argv[1])
    if hasattr(guard, "guarded"):
        time_hooks()
    import torch
    from peers import looking
    from programs import build

    torch.set_num_threads(1)
    step = build(request["name"]).step
    for _ in range(request["warm"]):
        step()
    print(f"{request['name']}, after {request['warm']} observed steps; {request['steps']} steps of each kind\n")
    clear()
    first = len(events())
    on, off = whole_steps(step, request["steps"], request["block"], looking)
    show_steps(on, off)
    if hooks:
        show_hooks(len(on))
    show_events(first)
    show_functions(step, request["steps"])


if __name__ == "__main__":
    main()
