"""The one change that an experiment makes: what an intervention may touch of a run, and how it proves that it did."""

from .run import Run

__all__ = ["Run"]
