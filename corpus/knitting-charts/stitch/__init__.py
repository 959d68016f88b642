from .charts import Charts
from .model import StitchModel
from .trainer import Trainer

__all__ = ["Charts", "StitchModel", "Trainer"]
