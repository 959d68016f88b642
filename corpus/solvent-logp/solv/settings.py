from dataclasses import dataclass, field


@dataclass(frozen=True)
class Data:
    molecules: int = 5000
    fragments: int = 30
    noise: float = 0.15
    held_out: float = 0.2


@dataclass(frozen=True)
class Model:
    width: int = 80
    depth: int = 3


@dataclass(frozen=True)
class Optim:
    lr: float = 4e-3
    floor: float = 1e-5
    warmup: int = 40
    weight_decay: float = 1e-4


@dataclass(frozen=True)
class Settings:
    data: Data = field(default_factory=Data)
    model: Model = field(default_factory=Model)
    optim: Optim = field(default_factory=Optim)
    epochs: int = 8
    batch: int = 80
    seed: int = 2
