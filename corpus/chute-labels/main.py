import torch
from torch import nn
from torch.utils.data import DataLoader

from optim import Group, Stepper
from sorter import Labels, Sorter


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        hits = sum((model(crop).argmax(1) == chute).sum().item() for crop, chute in loader)
    model.train()
    return hits / len(loader.dataset)


def main():
    torch.manual_seed(77)
    train = DataLoader(Labels(3200, seed=1), batch_size=64, shuffle=True)
    test = DataLoader(Labels(800, seed=2), batch_size=400)

    model = Sorter()
    step = Stepper(
        model,
        Group(model.head, "AdamW", lr=5e-3),
        Group(model.encoder, "Adam", lr=2e-3),
    )
    criterion = nn.CrossEntropyLoss(label_smoothing=0.02)

    for epoch in range(6):
        losses = [step(criterion(model(crop), chute)) for crop, chute in train]
        print(f"epoch={epoch} loss={sum(losses) / len(losses):.4f} test_acc={accuracy(model, test):.4f}")


if __name__ == "__main__":
    main()
