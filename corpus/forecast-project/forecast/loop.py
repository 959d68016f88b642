import torch
import torch.nn.functional as F


class Loop:
    def __init__(self, model, updater, source, batch_size, log_every):
        self.model = model
        self.updater = updater
        self.source = source
        self.batch_size = batch_size
        self.log_every = log_every

    def one_step(self):
        past, nxt = self.source.draw(self.batch_size)
        self.updater.reset()
        loss = F.mse_loss(self.model(past), nxt)
        self.updater.apply(loss)
        return loss.detach()

    def check(self):
        with torch.no_grad():
            past, nxt = self.source.held_out()
            return F.mse_loss(self.model(past), nxt).item()

    def run(self, steps):
        window = []
        for i in range(1, steps + 1):
            window.append(self.one_step())
            if i % self.log_every == 0:
                mean = torch.stack(window).mean().item()
                window.clear()
                print(f"{i:5d}  lr {self.updater.lr:g}  train {mean:.5f}  held-out {self.check():.5f}")
