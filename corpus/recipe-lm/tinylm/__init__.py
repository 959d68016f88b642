from .config import Config
from .model import TinyLM

__all__ = ["Config", "TinyLM"]
