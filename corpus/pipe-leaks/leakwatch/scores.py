import torch


def confusion(prob, target, threshold=0.5):
    hit = prob >= threshold
    true = target > 0.5
    tp = (hit & true).sum().item()
    fp = (hit & ~true).sum().item()
    fn = (~hit & true).sum().item()
    return tp, fp, fn


def report(model, data):
    x, y = data.tensors
    model.eval()
    tp, fp, fn = confusion(model.probability(x), y)
    model.train()
    precision = tp / max(tp + fp, 1)
    recall = tp / max(tp + fn, 1)
    f1 = 2 * tp / max(2 * tp + fp + fn, 1)
    return precision, recall, f1
