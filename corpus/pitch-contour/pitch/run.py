"""A run on disk: progress.json, weights.pt and solver.pt (optimizer and schedule)."""
import json
from pathlib import Path

import torch


class Run:
    def __init__(self, folder):
        self.folder = Path(folder)

    def save(self, epoch, net, optimizer, schedule, **scores):
        self.folder.mkdir(parents=True, exist_ok=True)
        torch.save(net.state_dict(), self.folder / "weights.pt")
        torch.save({"optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}, self.folder / "solver.pt")
        (self.folder / "progress.json").write_text(json.dumps({"epoch": epoch, **scores}))

    def restore(self, net, optimizer, schedule):
        progress = json.loads((self.folder / "progress.json").read_text())
        net.load_state_dict(torch.load(self.folder / "weights.pt", weights_only=True))
        solver = torch.load(self.folder / "solver.pt", weights_only=True)
        optimizer.load_state_dict(solver["optimizer"])
        schedule.load_state_dict(solver["schedule"])
        return progress
