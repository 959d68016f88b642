import torch
from torch import nn


class Listener(nn.Module):
    def __init__(self, n_species, channels=10):
        super().__init__()
        self.ear = nn.Sequential(
            nn.Conv1d(1, channels, 9, stride=2), nn.ReLU(),
            nn.Conv1d(channels, 2 * channels, 7, stride=2), nn.ReLU(),
        )
        self.brain = nn.Linear(2 * channels * 15, n_species)

    def forward(self, wave):
        return self.brain(self.ear(wave).flatten(1))


class Session:
    """Model, loss and optimizer in one place."""

    def __init__(self, model, lr):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def learn(self, batch):
        loss = self.criterion(self.model(batch["wave"]), batch["species"])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def review(self, feed):
        losses, hits, n = 0.0, 0, 0
        for batch in feed:
            logits = self.model(batch["wave"])
            k = len(logits)
            losses += self.criterion(logits, batch["species"]).item() * k
            hits += (logits.argmax(1) == batch["species"]).sum().item()
            n += k
        return losses / n, hits / n
