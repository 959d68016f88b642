import torch
from torch.nn.utils import clip_grad_norm_


class ValueTrainer:
    def __init__(self, net, guard, lr, max_norm):
        self.net = net
        self.guard = guard
        self.max_norm = max_norm
        self.optim = torch.optim.Adam(net.parameters(), lr=lr)
        self.steps = 0

    def update(self, board, value):
        self.net.train()
        loss = torch.mean((self.net(board) - value) ** 2)
        self.optim.zero_grad()
        loss.backward()
        norm = clip_grad_norm_(self.net.parameters(), self.max_norm)
        if self.guard.lets_pass(norm.item()):
            self.optim.step()
        self.steps += 1
        return loss.item()

    def evaluate(self, board, value):
        self.net.eval()
        with torch.no_grad():
            pred = self.net(board)
        mse = torch.mean((pred - value) ** 2).item()
        side = ((pred > 0) == (value > 0)).float().mean().item()
        return mse, side
