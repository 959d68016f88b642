import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
VOCAB, DIM, TOPICS, DOC_LEN = 500, 32, 8, 25

# word vectors as they would come out of a co-occurrence model: words of a topic lie together
word_topic = torch.randint(TOPICS, (VOCAB,))
topic_axis = torch.randn(TOPICS, DIM)
vectors = topic_axis[word_topic] + 0.8 * torch.randn(VOCAB, DIM)


def documents(n):
    y = torch.randint(TOPICS, (n,))
    on_topic = torch.rand(n, DOC_LEN) < 0.3
    weights = (word_topic[None, :] == y[:, None]).float()
    tokens = torch.where(on_topic, torch.multinomial(weights, DOC_LEN, replacement=True), torch.randint(VOCAB, (n, DOC_LEN)))
    return tokens, y


class DocModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, DIM)
        with torch.no_grad():
            self.embed.weight.copy_(vectors)
        self.embed.weight.requires_grad_(False)
        self.fc1 = nn.Linear(DIM, 48)
        self.fc2 = nn.Linear(48, TOPICS)

    def forward(self, tokens):
        pooled = self.embed(tokens).mean(dim=1)
        return self.fc2(F.relu(self.fc1(pooled)))


train_tokens, train_y = documents(4000)
test_tokens, test_y = documents(800)
model = DocModel()
trainable = [p for p in model.parameters() if p.requires_grad]
print(f"training {sum(p.numel() for p in trainable)} of {sum(p.numel() for p in model.parameters())} weights")
opt = torch.optim.AdamW(trainable, lr=3e-3)

for it in range(501):
    ix = torch.randint(len(train_tokens), (64,))
    loss = F.cross_entropy(model(train_tokens[ix]), train_y[ix])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        with torch.no_grad():
            acc = (model(test_tokens).argmax(1) == test_y).float().mean()
        print(f"iter {it}: loss {loss.item():.4f}, test acc {acc:.3f}")
