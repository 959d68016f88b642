"""Periodic activation."""
import torch


class _Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, omega):
        out = torch.sin(omega * x)
        ctx.omega = omega
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.omega * torch.cos(ctx.omega * x), None


def sine(x, omega=1.0):
    return _Sine.apply(x, omega)
