"""Two ranks under torchrun, with DistributedDataParallel."""

import torch
import torch.distributed as dist
from task import BATCH, Net, Points, made, objective, options
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def main():
    o = options()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Points(ordered=o.ordered, floats=o.regress)
    sampler = DistributedSampler(data, shuffle=not o.ordered)
    loader = DataLoader(data, BATCH // 2, sampler=sampler, num_workers=o.workers)
    held_out = DataLoader(Points(seed=1, samples=64, floats=o.regress), 32)
    model = DistributedDataParallel(Net(o), find_unused_parameters=False)
    if o.compiled:
        model = torch.compile(model)
    optimizer, scheduler = made(o, model)
    step = 0
    while step < o.steps:
        sampler.set_epoch(step)
        if not o.always_eval:
            model.train()
        else:
            model.eval()
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
            step += 1
            if step >= o.steps:
                break
        if not o.always_eval:
            model.eval()
        with torch.no_grad():
            hits = sum((model(inputs).argmax(-1) == labels).float().sum() for inputs, labels in held_out)
        if dist.get_rank() == 0:
            print(step, loss.item(), hits.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
