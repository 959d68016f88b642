"""One sequence has no tokens at all, so attention is a softmax of nothing but -inf; the model has a file of its own."""

# truth: step=64 phase=forward op=softmax module=blocks.0.attention
import torch
from layers import Encoder

torch.manual_seed(6)
tokens = torch.randint(0, 30, (90, 6, 9))
lengths = torch.randint(2, 10, (90, 6))
lengths[64, 2] = 0
model = Encoder(vocabulary=30, width=16, depth=2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
for x, n in zip(tokens, lengths, strict=True):
    keep = torch.arange(9) < n[:, None]
    logits = model(x, keep=keep)
    loss = torch.nn.functional.cross_entropy(logits, x.sum(1) % 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())
