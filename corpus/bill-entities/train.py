import torch
from torch import nn

from crf import LinearChainCRF
from invoices import FIELDS, VOCAB, corpus

SEED = 9
STEPS = 260
BATCH = 32


class Tagger(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.context = nn.Conv1d(dim, dim, 3, padding=1)
        self.emit = nn.Linear(dim, len(FIELDS))
        self.crf = LinearChainCRF(len(FIELDS))

    def emissions(self, tokens):
        e = self.embed(tokens)
        return self.emit(torch.relu(self.context(e.transpose(1, 2)).transpose(1, 2)) + e)

    def forward(self, tokens, tags, mask):
        return self.crf.nll(self.emissions(tokens), tags, mask)


def accuracy(model, x, y, mask):
    with torch.no_grad():
        path = model.crf.decode(model.emissions(x), mask)
    return (((path == y) * mask).sum() / mask.sum()).item()


def main():
    torch.manual_seed(SEED)
    train, test = corpus(2500, SEED), corpus(300, SEED + 100)
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    smooth = 0.0
    for step in range(1, STEPS + 1):
        rows = torch.randint(len(train[0]), (BATCH,))
        nll = model(*(part[rows] for part in train))
        optimizer.zero_grad()
        nll.backward()
        optimizer.step()
        smooth += nll.item() / 20
        if step % 20 == 0:
            print(f"{step:4d}/{STEPS}  nll per document {smooth:.4f}  test token accuracy {accuracy(model, *test):.4f}")
            smooth = 0.0


if __name__ == "__main__":
    main()
