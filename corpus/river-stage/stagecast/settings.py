from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    store: Path = Path("store/hourly.csv")
    lookback: int = 12      # hours of history the model sees
    lead: int = 4           # hours ahead
    columns: tuple = ("stage_cm", "rain_mm", "rain_6h_mm", "soil_pct", "air_c", "stage_dev_cm")
    train_until: float = 0.75
    hidden: int = 32
    lr: float = 4e-3
    batch: int = 128
    epochs: int = 9
    seed: int = 77
    out: Path = field(default=Path("out"))
