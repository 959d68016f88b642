from .data import WindowSource, make_series
from .loop import Loop
from .model import Forecaster
from .optim import Updater

__all__ = ["Forecaster", "Loop", "Updater", "WindowSource", "make_series"]
