import torch


class Plan:
    """Optimizer and schedule described by the settings file."""

    def __init__(self, module, section):
        if section["optimizer"] == "SGD":
            self._opt = torch.optim.SGD(module.parameters(), lr=section["base_lr"], momentum=section["momentum"])
        else:
            self._opt = getattr(torch.optim, section["optimizer"])(module.parameters(), lr=section["base_lr"])
        self._sched = torch.optim.lr_scheduler.MultiStepLR(self._opt, section["milestones"], section["gamma"])

    def minimise(self, loss):
        self._opt.zero_grad()
        loss.backward()
        self._opt.step()
        self._sched.step()

    def rate(self):
        return self._sched.get_last_lr()[0]
