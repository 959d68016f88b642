from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor


@dataclass
class GraphBatch:
    """Several molecules as one graph without bonds between them."""

    element: Tensor    # [atoms]
    edges: Tensor      # [2, directed bonds]
    molecule: Tensor   # [atoms], which molecule an atom is of
    log_s: Tensor      # [molecules]

    @property
    def size(self) -> int:
        return len(self.log_s)


def load_molecules(folder: Path, part: str) -> list[dict]:
    molecules: list[dict] = []
    for path in sorted(folder.glob(f"{part}.*.pt")):
        molecules.extend(torch.load(path, weights_only=True))
    return molecules


def collate(molecules: list[dict]) -> GraphBatch:
    elements, edges, owner = [], [], []
    offset = 0
    for k, mol in enumerate(molecules):
        atoms = len(mol["element"])
        elements.append(mol["element"])
        edges.append(mol["edges"] + offset)
        owner.append(torch.full((atoms,), k))
        offset += atoms
    log_s = torch.tensor([mol["log_s"] for mol in molecules])
    return GraphBatch(torch.cat(elements), torch.cat(edges, dim=1), torch.cat(owner), log_s)
