"""python train.py experiment.json"""
import json
import sys
from types import SimpleNamespace

import torch
from torch.utils.data import DataLoader

from surface.clips import SurfaceClips
from surface.cnn import surface_cnn
from surface.engine import Engine


def main():
    with open(sys.argv[1]) as fh:
        exp = json.load(fh, object_hook=lambda d: SimpleNamespace(**d))
    torch.manual_seed(exp.seed)
    data = SurfaceClips(exp.clips, exp.labels, exp.classes)
    train_set, test_set = data.train_test(exp.test_fraction, exp.seed)
    train_loader = DataLoader(train_set, exp.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, 256)
    engine = Engine(surface_cnn(len(exp.classes)), exp.lr, exp.epochs * len(train_loader))
    print(f"{exp.name}: {len(train_set)} train clips, {len(test_set)} test clips")
    for epoch in range(1, exp.epochs + 1):
        tr = engine.train(train_loader)
        te = engine.test(test_loader)
        print(f"{epoch}/{exp.epochs} - loss: {tr['loss']:.4f} - acc: {tr['acc']:.4f} - "
              f"test_loss: {te['loss']:.4f} - test_acc: {te['acc']:.4f}")


if __name__ == "__main__":
    main()
