from .callbacks import Callback, ClipGradients, Progress
from .counts import load_counts
from .learner import Learner, RateNet

__all__ = ["Callback", "ClipGradients", "Learner", "Progress", "RateNet", "load_counts"]
