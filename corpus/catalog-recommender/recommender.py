from typing import Optional

import torch
from torch import Tensor, nn


class Factorization(nn.Module):
    """rating = <user, item> + user bias + global bias"""

    def __init__(self, n_users: int, n_items: int, rank: int) -> None:
        super().__init__()
        self.users = nn.Embedding(n_users, rank)
        self.items = nn.Embedding(n_items, rank)
        self.user_bias = nn.Embedding(n_users, 1)
        self.bias = nn.Parameter(torch.zeros(()))
        nn.init.normal_(self.users.weight, std=0.3)
        nn.init.normal_(self.items.weight, std=0.3)
        nn.init.zeros_(self.user_bias.weight)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        dot = (self.users(user) * self.items(item)).sum(-1)
        return dot + self.user_bias(user).squeeze(-1) + self.bias


class RatingTrainer:
    def __init__(self, model: Factorization, lr: float = 0.02, batch_size: int = 256) -> None:
        self.model = model
        self.lr = lr
        self.batch_size = batch_size
        self.opt = torch.optim.Adam(self.model.parameters(), lr=self.lr)
        self.loss_fn = nn.MSELoss()
        self.history: list = []

    @torch.no_grad()
    def extend_catalog(self, n_items: int) -> None:
        """Make room for items that arrived after the model was built."""
        old = self.model.items.weight
        grown = nn.Embedding(n_items, old.shape[1])
        nn.init.normal_(grown.weight, std=0.3)
        grown.weight[: len(old)] = old
        self.model.items = grown

    def step(self, user: Tensor, item: Tensor, rating: Tensor) -> float:
        self.opt.zero_grad()
        loss = self.loss_fn(self.model(user, item), rating)
        loss.backward()
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, table: Tensor, ratings: Tensor) -> float:
        return self.loss_fn(self.model(table[:, 0], table[:, 1]), ratings).item()

    def fit(self, table: Tensor, ratings: Tensor, epochs: int, valid: Optional[tuple] = None) -> None:
        for epoch in range(epochs):
            order = torch.randperm(len(table))
            losses = []
            for rows in order.split(self.batch_size):
                losses.append(self.step(table[rows, 0], table[rows, 1], ratings[rows]))
            mean = sum(losses) / len(losses)
            self.history.append(mean)
            tail = f"  valid mse {self.evaluate(*valid):.4f}" if valid else ""
            print(f"epoch {epoch:3d}  mse {mean:.4f}{tail}")
