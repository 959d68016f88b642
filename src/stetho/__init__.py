"""stetho finds out why a machine-learning training run fails, and proves it."""

from __future__ import annotations

# Spelled out, as importing typing would cost `stetho --help` a tenth of its time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from stetho.session import Session

__version__ = "0.1.0"
__all__ = ["__version__", "observe"]


def observe(path: str | os.PathLike[str] | None = None) -> Session:
    """Observe the training that happens inside a `with` block of this very process, such as a notebook's.

    Nothing is changed and nothing is seeded; models and optimizers that are already there are watched, too, and
    afterwards the process is as it was. The recording goes into a new case below `path` (default: `.stetho`).

        with stetho.observe() as session:
            train(model, optimizer)
        session.facts()
    """
    from stetho.session import Session

    return Session(path)
