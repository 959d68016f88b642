import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

N_PHONES, N_MEL, CONTEXT = 10, 16, 3


def synthesize(n_frames, seed):
    """A Markov chain over phones, each with a spectral shape; frames get noise and neighbours as context."""
    g = torch.Generator().manual_seed(seed)
    shapes = torch.randn(N_PHONES, N_MEL, generator=torch.Generator().manual_seed(0))
    phones = torch.empty(n_frames, dtype=torch.long)
    cur = 0
    for t in range(n_frames):
        if torch.rand((), generator=g) < 0.25:
            cur = int(torch.randint(N_PHONES, (), generator=g))
        phones[t] = cur
    frames = shapes[phones] + 0.9 * torch.randn(n_frames, N_MEL, generator=g)
    padded = F.pad(frames.T, (1, 1), mode="replicate").T
    stacked = torch.cat([padded[i:i + n_frames] for i in range(CONTEXT)], dim=1)
    return stacked, phones


class FrameModel(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.inp = nn.Linear(N_MEL * CONTEXT, width)
        self.bn = nn.BatchNorm1d(width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, N_PHONES)

    def forward(self, frames):
        h = F.relu(self.bn(self.inp(frames)))
        h = F.relu(self.mid(h))
        return F.log_softmax(self.out(h), dim=-1)


class FrameTrainer:
    def __init__(self, model, loaders, lr):
        self.model = model
        self.loaders = loaders
        self.criterion = nn.CrossEntropyLoss()
        self.optim = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.StepLR(self.optim, step_size=4, gamma=0.5)

    def epoch(self, split):
        training = split == "train"
        self.model.train(training)
        loss_sum = err = n = 0
        with torch.set_grad_enabled(training):
            for frames, phones in self.loaders[split]:
                logp = self.model(frames)
                loss = self.criterion(logp, phones)
                if training:
                    self.optim.zero_grad()
                    loss.backward()
                    self.optim.step()
                loss_sum += loss.item() * len(phones)
                err += (logp.argmax(-1) != phones).sum().item()
                n += len(phones)
        return loss_sum / n, err / n

    def fit(self, epochs):
        for e in range(epochs):
            tl, te = self.epoch("train")
            vl, ve = self.epoch("valid")
            self.sched.step()
            print(f"{e:02d}: train {tl:.3f} ({te:.1%} frame error)  valid {vl:.3f} ({ve:.1%})")


if __name__ == "__main__":
    torch.manual_seed(30)
    loaders = {
        "train": DataLoader(TensorDataset(*synthesize(5000, 1)), batch_size=100, shuffle=True),
        "valid": DataLoader(TensorDataset(*synthesize(1000, 2)), batch_size=250),
    }
    FrameTrainer(FrameModel(), loaders, lr=0.02).fit(10)
