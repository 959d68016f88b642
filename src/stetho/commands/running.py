"""Options of the verbs that run a command in a scratch: how far, how long, where, and what it may reach."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from stetho import config
from stetho.errors import BadRequest

if TYPE_CHECKING:
    from stetho.experiment import ExecutorName, Isolation, Limits

OPTIONS = (
    click.option("--budget", metavar="TIME", help="How long everything may take: 90s, 10m, 1h (default 10m)."),
    click.option("--seed", type=int, help="Seed for what the program leaves unseeded (default 0)."),
    click.option("--time", metavar="TIME", help="The longest a single run may take: 90s, 10m."),
    click.option("--steps", type=click.IntRange(1), help="The most optimizer steps a single run may take."),
    click.option("--memory", metavar="SIZE", help="The most memory a single run may take: 800M, 2G."),
    click.option(
        "--executor", type=click.Choice(["local", "ray", "slurm"]), help="Where the command is run (default local)."
    ),
    click.option("--fresh", is_flag=True, help="Make every run anew, those made before too."),
    click.option("--allow-network", is_flag=True, help="Let the command reach the network; trackers stay off."),
    click.option("--allow-write", metavar="DIR", multiple=True, help="A directory that may really be written to."),
    click.option("--in-copy", is_flag=True, help="Run in a copy of the project, not under an overlay."),
)


@dataclass(frozen=True)
class Running:
    """What was asked for, read and checked."""

    budget: float | None
    """Seconds; None leaves it to the project."""
    seed: int | None
    limits: Limits
    isolation: Isolation
    fresh: bool
    executor: ExecutorName | None
    """None leaves it to the project."""


def running_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a verb, which gets them as one `running`."""

    @functools.wraps(function)
    def collected(
        *args: Any, budget: str | None, seed: int | None, time: str | None, steps: int | None, memory: str | None,
        executor: ExecutorName | None, fresh: bool, allow_network: bool, allow_write: tuple[str, ...], in_copy: bool,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        from stetho.experiment import Limits

        limits = Limits(config.seconds(time) if time else None, steps, config.size(memory) if memory else None)
        allowed = isolation(allow_network, allow_write, in_copy)
        running = Running(config.seconds(budget) if budget else None, seed, limits, allowed, fresh, executor)
        return function(*args, running=running, **kwargs)

    wrapped: Callable[..., Any] = collected
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def isolation(allow_network: bool, allow_write: tuple[str, ...], in_copy: bool) -> Isolation:
    """What the user allows, with every directory as it is on disk."""
    from stetho.experiment import Isolation

    for folder in allow_write:
        if not os.path.isdir(folder):
            raise BadRequest(f"--allow-write {folder}: there is no such directory")
    return Isolation(allow_network, tuple(os.path.realpath(folder) for folder in allow_write), in_copy)
