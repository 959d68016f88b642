from pathlib import Path

import torch


class Checkpoints:
    """Keeps last.pt, and best.pt for the best validation accuracy so far."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.best = 0.0

    def save(self, epoch, accuracy, model, optimizer):
        state = {"epoch": epoch, "accuracy": accuracy, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, self.folder / "last.pt")
        if accuracy > self.best:
            self.best = accuracy
            torch.save(state["model"], self.folder / "best.pt")

    def restore(self, model, optimizer):
        """The epoch to go on with."""
        path = self.folder / "last.pt"
        if not path.exists():
            return 0
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        self.best = state["accuracy"]
        print(f"resumed {path}: epoch {state['epoch']}, accuracy {self.best:.3f}")
        return state["epoch"] + 1
