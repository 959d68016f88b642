"""A function over a DataLoader."""

import torch
from task import BATCH, Net, Points, made, objective, options
from torch.utils.data import DataLoader


def epoch(o, model, loader, optimizer, scheduler, left):
    model.train(not o.always_eval)
    for inputs, labels in loader:
        if not o.never_clear:
            optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=o.half):
            loss = objective(o, model(inputs), labels)
        loss.backward()
        if o.wipe:
            optimizer.zero_grad()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        left -= 1
        if left == 0:
            break
    return left


def evaluate(o, model, loader):
    model.eval()
    with torch.no_grad():
        return sum((model(inputs).argmax(-1) == labels).float().sum().item() for inputs, labels in loader)


def main():
    o = options()
    torch.manual_seed(0)
    train = DataLoader(Points(ordered=o.ordered, floats=o.regress), BATCH, shuffle=not o.ordered, num_workers=o.workers)
    held_out = DataLoader(Points(seed=1, samples=64, floats=o.regress), 32)
    model = torch.compile(Net(o)) if o.compiled else Net(o)
    optimizer, scheduler = made(o, model)
    left = o.steps
    while left:
        left = epoch(o, model, train, optimizer, scheduler, left)
        print(left, evaluate(o, model, held_out))


if __name__ == "__main__":
    main()
