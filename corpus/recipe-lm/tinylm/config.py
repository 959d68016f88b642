from dataclasses import dataclass


@dataclass
class Config:
    d_model: int = 48
    n_head: int = 4
    n_layer: int = 2
    context: int = 24
    dropout: float = 0.0

    batch: int = 24
    steps: int = 300
    lr: float = 2e-3
    betas: tuple = (0.9, 0.98)
    eval_every: int = 30
    seed: int = 1337
