"""A language model as libraries write them: keyword arguments, the loss inside, and rows of an embedding at a time."""

import torch
from slow import Steps, tell
from torch import nn

torch.manual_seed(7)


class Speaker(nn.Module):
    def __init__(self, words=20, width=6):
        super().__init__()
        self.embedding = nn.Embedding(words, width, sparse=True)
        self.body = nn.Linear(width, width, bias=False)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, input_ids=None, labels=None, note=None):
        scores = self.head(torch.tanh(self.body(self.embedding(input_ids))))
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())  # @loss
        return {"loss": loss, "logits": scores}


model = Speaker()
rows = torch.optim.SparseAdam(model.embedding.parameters(), lr=0.05)
rest = torch.optim.SGD([*model.body.parameters(), *model.head.parameters()], lr=0.5)
sparse, dense, batches = Steps(rows), Steps(rest), []
for i in range(8):
    words = torch.randint(0, 10, (4, 5)) if i % 3 else torch.arange(20).reshape(4, 5)
    labels = (words + 1) % 20
    labels[:, -2:] = -100
    out = model(input_ids=words, labels=labels, note="plain text")  # @call
    rows.zero_grad()
    rest.zero_grad()
    out["loss"].backward()  # @backward
    for one, optimizer in ((sparse, rows), (dense, rest)):
        one.backward()
        one.begin()
        optimizer.step()
        one.end(loss=out["loss"].item())
    batches.append([words.tolist(), labels.tolist(), out["logits"].tolist()])
tell(optimizers=[sparse.rows, dense.rows], batches=batches)
