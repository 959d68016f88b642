from .model import CopModel
from .scaling import Scaler
from .trials import load_trials

__all__ = ["CopModel", "Scaler", "load_trials"]
