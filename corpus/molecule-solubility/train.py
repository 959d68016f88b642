# Solubility from SMILES: tokens -> embedding -> conv -> pooled -> number.
# Files: one molecule per line, SMILES and log solubility.

import re
from functools import partial

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

TOKEN = re.compile(r"\[[^\]]+\]|Br|Cl|[A-Za-z]|[0-9]|[=#()+\-/\\@.]")
PAD, UNK = "<pad>", "<unk>"


def read_smiles(path):
    with open(path) as f:
        pairs = (line.split() for line in f)
        return [(TOKEN.findall(smiles), float(value)) for smiles, value in pairs]


def build_vocab(molecules):
    vocab = {PAD: 0, UNK: 1}
    for tokens, _ in molecules:
        for tok in tokens:
            vocab.setdefault(tok, len(vocab))
    return vocab


def collate(items, vocab):
    ids = [torch.tensor([vocab[tok] for tok in tokens]) for tokens, _ in items]
    values = torch.tensor([value for _, value in items])
    return pad_sequence(ids, batch_first=True, padding_value=vocab[PAD]), values


class SolNet(nn.Module):
    def __init__(self, n_tokens, dim=32):
        super().__init__()
        self.emb = nn.Embedding(n_tokens, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, 64, 5, padding=2)
        self.mlp = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, ids):
        keep = (ids != 0).unsqueeze(1)
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2))) * keep
        return self.mlp(h.sum(2) / 10).squeeze(1)


def main():
    torch.manual_seed(2718)
    train, valid = read_smiles("train.smi"), read_smiles("valid.smi")
    vocab = build_vocab(train)
    print(f"{len(train)} + {len(valid)} molecules, {len(vocab)} tokens")
    to_batch = partial(collate, vocab=vocab)
    train_loader = DataLoader(train, batch_size=32, shuffle=True, collate_fn=to_batch)
    valid_loader = DataLoader(valid, batch_size=50, collate_fn=to_batch)

    net = SolNet(len(vocab))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    mse = nn.MSELoss()
    step = 0
    for epoch in range(10):
        net.train()
        for ids, value in train_loader:
            loss = mse(net(ids), value)
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            if step % 25 == 0:
                print(f"  {step:4d} train mse {loss.item():.4f}")
        if epoch % 2 == 1:
            net.eval()
            with torch.no_grad():
                sq = sum(((net(ids) - value) ** 2).sum().item() for ids, value in valid_loader)
            print(f"epoch {epoch + 1}: valid rmse {(sq / len(valid)) ** 0.5:.3f}")


if __name__ == "__main__":
    main()
