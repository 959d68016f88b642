from .guard import SpikeGuard
from .net import ValueNet
from .positions import sample_positions
from .trainer import ValueTrainer

__all__ = ["SpikeGuard", "ValueNet", "ValueTrainer", "sample_positions"]
