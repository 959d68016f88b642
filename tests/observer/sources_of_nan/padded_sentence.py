"""A sentence that is nothing but padding goes through the attention layer of the library."""

# truth: step=70 phase=forward op=softmax,multi_head_attention_forward,multiheadattention module=attention
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(40, 16, padding_idx=0)
        self.attention = nn.MultiheadAttention(16, 2, dropout=0.1, batch_first=True)  # <- or here
        self.out = nn.Linear(16, 4)

    def forward(self, tokens):
        x = self.embed(tokens)
        mixed, _ = self.attention(x, x, x, key_padding_mask=tokens == 0)  # <- here
        return self.out(x + mixed)


torch.manual_seed(22)
sentences = torch.randint(1, 40, (90, 6, 7))
sentences[:, :, 5:] = 0
sentences[70, 4] = 0
model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss(ignore_index=0)
losses = []
for tokens in sentences:
    optimizer.zero_grad()
    loss = criterion(model(tokens).transpose(1, 2), tokens % 4)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())
