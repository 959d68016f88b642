import torch
import torch.nn as nn
import torch.nn.functional as F

NOTES = 14
LENGTH = 24
BATCH = 48
LR = 0.5
MAX_NORM = 1e-4
STEPS = 400

torch.manual_seed(50)


def melodies(n):
    """Random walks on a scale whose step pattern repeats with period three."""
    out = torch.empty(n, LENGTH, dtype=torch.long)
    note = torch.randint(NOTES, (n,))
    pattern = torch.randint(-2, 3, (n, 3))
    for t in range(LENGTH):
        out[:, t] = note
        step = pattern[:, t % 3]
        slip = torch.rand(n) < 0.05
        note = (note + torch.where(slip, torch.ones_like(step), step)) % NOTES
    return out


class Melody(nn.Module):
    def __init__(self, dim=24, hidden=64):
        super().__init__()
        self.emb = nn.Embedding(NOTES, dim)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, NOTES)

    def forward(self, notes):
        h, _ = self.lstm(self.emb(notes))
        return self.out(h)


data = melodies(3000)
held = melodies(300)
model = Melody()
opt = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)


def nll(batch):
    logits = model(batch[:, :-1])
    return F.cross_entropy(logits.reshape(-1, NOTES), batch[:, 1:].reshape(-1))


for step in range(STEPS + 1):
    batch = data[torch.randint(len(data), (BATCH,))]
    loss = nll(batch)
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
    opt.step()
    if step % 40 == 0:
        with torch.no_grad():
            print(f"step {step:4d} | loss {loss.item():.4f} | held-out {nll(held).item():.4f}")
