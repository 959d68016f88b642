"""torch's own anomaly mode, switched on for the whole program."""


def install(torch):
    torch.autograd.set_detect_anomaly(True)
