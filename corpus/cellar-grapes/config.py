from dataclasses import dataclass, field


@dataclass
class Net:
    width: int = 96
    blocks: int = 3
    dropout: float = 0.9
    act: str = "mish"


@dataclass
class Optim:
    lr: float = 2e-3
    weight_decay: float = 1e-5
    label_smoothing: float = 0.02


@dataclass
class CFG:
    exp: str = "mlp_v3"
    seed: int = 42
    epochs: int = 14
    bs: int = 128
    n_rows: int = 7000
    net: Net = field(default_factory=Net)
    optim: Optim = field(default_factory=Optim)
