import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from dates import BOS, EOS, SOURCE, TARGET, pairs
from seq2seq import DateTranslator


class DateTrainer:
    def __init__(self, seed=12, lr=6e-3, batch=50):
        torch.manual_seed(seed)
        self.batch = batch
        self.train_pairs = pairs(2500, seed)
        self.test_pairs = pairs(400, seed + 1)
        self.model = DateTranslator(len(SOURCE), len(TARGET))
        self.criterion = nn.CrossEntropyLoss(ignore_index=0)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=0.7)

    @staticmethod
    def encode(rows):
        source = pad_sequence([torch.tensor([SOURCE.index(c) for c in s]) for s, _ in rows], batch_first=True)
        target = pad_sequence([torch.tensor([TARGET.index(c) for c in BOS + t + EOS]) for _, t in rows], batch_first=True)
        return source, target

    def train_epoch(self):
        self.model.train()
        order = torch.randperm(len(self.train_pairs)).tolist()
        losses = []
        for begin in range(0, len(order), self.batch):
            rows = [self.train_pairs[i] for i in order[begin:begin + self.batch]]
            source, target = self.encode(rows)
            target_in, target_out = target[:, :-1], target[:, 1:]
            logits = self.model(source, target_in)
            loss = self.criterion(logits.reshape(-1, len(TARGET)), target_out.reshape(-1))
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            losses.append(loss.item())
        self.scheduler.step()
        return sum(losses) / len(losses)

    def exact_matches(self):
        self.model.eval()
        source, target = self.encode(self.test_pairs)
        guess = self.model.translate(source, TARGET.index(BOS), target.shape[1] - 1)
        wanted = target[:, 1:]
        right = ((guess == wanted) | (wanted == 0)).all(1)
        return right.float().mean().item(), guess

    def run(self, epochs):
        for epoch in range(1, epochs + 1):
            loss = self.train_epoch()
            score, guess = self.exact_matches()
            written, wanted = self.test_pairs[epoch]
            shown = "".join(TARGET[c] for c in guess[epoch].tolist()).split(EOS)[0]
            print(f"epoch {epoch}: loss {loss:.4f}, exact {score:.3f}   e.g. {written!r} -> {shown} (is {wanted})")
        print(f"exact match on test dates: {score:.3f}")


if __name__ == "__main__":
    DateTrainer().run(epochs=5)
