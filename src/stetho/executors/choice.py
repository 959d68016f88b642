"""Which executor runs the jobs of an investigation, by its name."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import replace
from pathlib import Path

from stetho.config import CLUSTERS, Config, OnSlurm
from stetho.errors import BadRequest
from stetho.executors import local
from stetho.executors.protocol import Executor
from stetho.experiment import ExecutorName

CLUSTER = "STETHO_SLURM_CLUSTER"
# Each extra is called like the executor that needs it.
PACKAGES = {"ray": "ray", "slurm": "submitit"}


def executor(name: ExecutorName, settings: Config, folder: Path) -> Executor:
    """The executor of that name; `folder`, in sight of all nodes, is where it may keep files while a job runs."""
    refuse_missing(name, settings)
    if name == "ray":
        from stetho.executors.ray import RayExecutor

        return RayExecutor(settings.ray)
    if name == "slurm":
        from stetho.executors.slurm import SlurmExecutor

        return SlurmExecutor(_slurm(settings), folder)
    return local.run


def refuse_missing(name: ExecutorName, settings: Config) -> None:
    """Say in one line what an executor lacks on this machine, before anything is begun."""
    package = PACKAGES.get(name)
    if package and importlib.util.find_spec(package) is None:
        raise BadRequest(f"--executor {name} needs the {name} extra: pip install 'stetho[{name}]'")
    if name == "slurm" and _slurm(settings).cluster == "slurm" and shutil.which("sbatch") is None:
        raise BadRequest(
            "--executor slurm needs sbatch, which is not on this machine; to try it without Slurm, set "
            f'{CLUSTER}=local, or cluster = "local" in [tool.stetho.slurm]'
        )


def _slurm(settings: Config) -> OnSlurm:
    """What the project says of Slurm; the environment has the last word on which cluster it is."""
    cluster = os.environ.get(CLUSTER) or settings.slurm.cluster
    if cluster not in CLUSTERS:
        raise BadRequest(f"{CLUSTER} must be one of {', '.join(CLUSTERS)}, not '{cluster}'")
    return replace(settings.slurm, cluster=cluster)
