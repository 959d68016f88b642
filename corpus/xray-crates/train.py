"""What is in the crate? Small CNN on side scans.  usage: train.py [scans/frames]"""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

from scans import FrameStore

KINDS = ["bottles", "boxes", "coils", "straw"]
stem = sys.argv[1] if len(sys.argv) > 1 else "scans/frames"


def run():
    torch.manual_seed(17)
    train_set = FrameStore(stem, 300)
    test_set = FrameStore(stem, 0, 300)
    train_dl = DataLoader(train_set, 16, shuffle=True, num_workers=2, persistent_workers=True)
    test_dl = DataLoader(test_set, 100)
    print(f"{len(train_set)} frames to train, {len(test_set)} to test, kinds: {', '.join(KINDS)}")

    net = nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(24 * 36, len(KINDS)),
    )
    sgd = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)
    ce = nn.CrossEntropyLoss()

    for ep in range(4):
        net.train()
        for i, (img, kind) in enumerate(train_dl):
            sgd.zero_grad()
            l = ce(net(img), kind)
            l.backward()
            sgd.step()
            if i % 15 == 0:
                print(f"ep {ep} it {i:3d} loss {l.item():.4f}")
        net.eval()
        with torch.no_grad():
            ok = sum((net(img).argmax(1) == kind).sum().item() for img, kind in test_dl)
        print(f"ep {ep} test acc {ok / len(test_set):.4f}")
    torch.save(net.state_dict(), "crates.pt")


if __name__ == "__main__":
    run()
