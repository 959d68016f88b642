# -*- coding: utf-8 -*-
# Character model of syslog lines, plain RNN as in the old tutorials.
import random
import time

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)

# ---------------------------------------------------------------- text
HOSTS = ["db1", "web3", "mail"]
UNITS = ["sshd", "cron", "kernel", "nginx"]
EVENTS = ["session opened", "session closed", "timeout after 30s", "link is up", "GET 200", "GET 404"]


def log_text(n_lines):
    lines, sec = [], 0
    for _ in range(n_lines):
        sec = (sec + random.randint(1, 9)) % 60
        lines.append("%02d %s %s: %s" % (sec, random.choice(HOSTS), random.choice(UNITS), random.choice(EVENTS)))
    return "\n".join(lines) + "\n"


text = log_text(1600)
chars = sorted(set(text))
index = {c: i for i, c in enumerate(chars)}
data = torch.tensor([index[c] for c in text])

n_streams = 32       # the text is cut into so many parallel streams
n_chars = 8          # characters per update
n_hidden = 80
lr = 0.25

usable = len(data) // n_streams * n_streams
streams = data[:usable].view(n_streams, -1).t().contiguous()      # time x stream
print("%d characters, %d symbols, streams of %d" % (len(data), len(chars), len(streams)))


# ---------------------------------------------------------------- model
class RNN(nn.Module):
    def __init__(self, n_symbols, hidden_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.emb = nn.Embedding(n_symbols, 24)
        self.i2h = nn.Linear(24 + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, n_symbols)

    def forward(self, symbol, hidden):
        hidden = torch.tanh(self.i2h(torch.cat((self.emb(symbol), hidden), 1)))
        return self.h2o(hidden), hidden

    def init_hidden(self):
        return torch.zeros(n_streams, self.hidden_size)


rnn = RNN(len(chars), n_hidden)
criterion = nn.CrossEntropyLoss()


def train(hidden, piece):
    rnn.zero_grad()
    loss = 0
    for t in range(len(piece) - 1):
        output, hidden = rnn(piece[t], hidden)
        loss = loss + criterion(output, piece[t + 1])
    loss = loss / (len(piece) - 1)
    loss.backward(retain_graph=True)
    nn.utils.clip_grad_norm_(rnn.parameters(), 1.0)
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-lr)
    return hidden, loss.item()


# ---------------------------------------------------------------- training
start = time.time()
hidden = rnn.init_hidden()
total, n = 0.0, 0
n_updates = (len(streams) - 1) // n_chars
for k in range(n_updates):
    piece = streams[k * n_chars:(k + 1) * n_chars + 1]
    hidden, loss = train(hidden, piece)
    total += loss
    n += 1
    if (k + 1) % 15 == 0 or k + 1 == n_updates:
        print("update %d/%d  %.1fs  loss %.4f" % (k + 1, n_updates, time.time() - start, total / n))
        total, n = 0.0, 0
