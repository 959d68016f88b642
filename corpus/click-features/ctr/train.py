import torch
import torch.nn.functional as F

from .features import FieldEncoder
from .impressions import CARDINALITIES, Feed
from .metrics import Mean, auc
from .model import ClickModel
from .optimizers import build_optimizer

EPOCHS = 5


def run_epoch(model, feed, optimizer=None):
    mean, scores, labels = Mean(), [], []
    model.train(optimizer is not None)
    with torch.set_grad_enabled(optimizer is not None):
        for rows, clicked in feed:
            logit = model(rows)
            loss = F.binary_cross_entropy_with_logits(logit, clicked)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            mean.add(loss.detach(), len(clicked))
            scores.append(logit.detach())
            labels.append(clicked)
    return float(mean), auc(torch.cat(scores), torch.cat(labels))


def main():
    torch.manual_seed(17)
    train, valid = Feed(24000, 1, 128, train=True), Feed(4000, 2, 500, train=False)
    encoder = FieldEncoder(CARDINALITIES, dim=3)
    model = ClickModel(encoder)
    optimizer = build_optimizer(model, lr=1e-2)
    for epoch in range(EPOCHS):
        loss, score = run_epoch(model, train, optimizer)
        val_loss, val_score = run_epoch(model, valid)
        print(f"epoch {epoch}: logloss {loss:.4f} auc {score:.3f} | valid logloss {val_loss:.4f} auc {val_score:.3f}")


if __name__ == "__main__":
    main()
