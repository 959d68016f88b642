import torch
from torch import Tensor, nn

from .graphs import GraphBatch


class Message(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.send = nn.Linear(width, width)
        self.update = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, atoms: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        received = torch.zeros_like(atoms).index_add(0, target, self.send(atoms)[source])
        return atoms + self.update(torch.cat([atoms, received], dim=-1))


class SolubilityNet(nn.Module):
    """Atoms exchange messages along bonds; the molecule's value is an offset plus the sum over its atoms."""

    def __init__(self, n_elements: int, width: int, rounds: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(n_elements, width)
        self.rounds = nn.ModuleList(Message(width) for _ in range(rounds))
        self.readout = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.offset = nn.Parameter(torch.zeros(()))

    def forward(self, batch: GraphBatch) -> Tensor:
        atoms = self.embed(batch.element)
        for layer in self.rounds:
            atoms = layer(atoms, batch.edges)
        per_atom = self.readout(atoms).squeeze(-1)
        return self.offset + torch.zeros(batch.size).index_add(0, batch.molecule, per_atom)
