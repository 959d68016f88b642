import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SPECIES = 15


def leaves(n, seed):
    world = torch.Generator().manual_seed(0)
    shape = 1.2 * torch.randn(SPECIES, 18, generator=world)
    g = torch.Generator().manual_seed(seed)
    species = torch.randint(SPECIES, (n,), generator=g)
    size = 1 + 0.2 * torch.randn(n, 1, generator=g)
    return size * shape[species] + 0.6 * torch.randn(n, 18, generator=g), species


class LeafTrainer:
    """Trains for `epochs` epochs and lowers the learning rate by `gamma` every `decay_epochs` epochs."""

    def __init__(self, model, train_loader, valid_loader, lr, decay_epochs, gamma):
        self.model = model
        self.train_loader = train_loader
        self.valid_loader = valid_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=decay_epochs, gamma=gamma)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for x, y in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            total += loss.item()
        return total / len(self.train_loader)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        hits = sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.valid_loader)
        return hits / len(self.valid_loader.dataset)

    def fit(self, epochs):
        for epoch in range(epochs):
            train_loss = self.train_epoch()
            print(f"Epoch [{epoch + 1}/{epochs}] loss {train_loss:.4f} val_acc {self.evaluate():.4f}")


if __name__ == "__main__":
    torch.manual_seed(25)
    model = nn.Sequential(nn.Linear(18, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, SPECIES))
    train = DataLoader(TensorDataset(*leaves(3000, 1)), batch_size=50, shuffle=True)
    valid = DataLoader(TensorDataset(*leaves(600, 2)), batch_size=200)
    LeafTrainer(model, train, valid, lr=0.01, decay_epochs=4, gamma=0.3).fit(10)
