import torch.nn.functional as F
from torch import nn
from transformers import TrainerCallback


class Backbone(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.mix = nn.Linear(dim, dim)

    def forward(self, ids):
        h = self.tokens(ids).transpose(1, 2)
        h = F.gelu(self.conv(h)) + h
        return F.gelu(self.mix(h.amax(2)))


class Router(nn.Module):
    def __init__(self, vocab, n_queues, dim=48):
        super().__init__()
        self.backbone = Backbone(vocab, dim)
        self.classifier = nn.Linear(dim, n_queues)

    def forward(self, input_ids, labels=None):
        logits = self.classifier(self.backbone(input_ids))
        loss = None if labels is None else F.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


class HeadFirst(TrainerCallback):
    """Settle the classifier for the first epoch(s), then train everything."""

    def __init__(self, epochs=1):
        self.epochs = epochs

    def on_train_begin(self, args, state, control, model=None, **kwargs):
        for p in model.backbone.parameters():
            p.requires_grad = False

    def on_epoch_begin(self, args, state, control, model=None, **kwargs):
        if round(state.epoch) == self.epochs:
            model.backbone.requires_grad = True
            print(f"epoch {round(state.epoch)}: training the whole network from here on")
