"""Meridional ray trace through a singlet. Lengths in mm, angles in rad."""
import math

import torch

LOW = torch.tensor([60.0, -400.0, 3.0, 1.48, 4.0, 0.0])
HIGH = torch.tensor([140.0, -90.0, 9.0, 1.72, 12.0, 0.03])
#       R1     R2     d    n    beam half-height  field angle


def refract(h, u, c, n1, n2):
    """Exact refraction of rays (height h, angle u) at a sphere of curvature c with vertex at the origin."""
    s = h * c
    incidence = torch.asin((s + u).clamp(-0.999, 0.999))
    after = torch.asin((n1 / n2 * torch.sin(incidence)).clamp(-0.999, 0.999))
    return u + after - incidence


def blur(p, n_rays=15):
    """rms height of a ray fan in the paraxial focal plane, in micrometres."""
    r1, r2, d, n, half, field = (c[:, None] for c in p.unbind(1))
    h = torch.linspace(-1, 1, n_rays)[None] * half
    u = -field.expand_as(h)
    u = refract(h, u, 1 / r1, torch.ones_like(n), n)
    h = h + d * torch.tan(u)
    u = refract(h, u, 1 / r2, n, torch.ones_like(n))
    power = (n - 1) * (1 / r1 - 1 / r2 + (n - 1) * d / (n * r1 * r2))
    back = 1 / power * (1 - (n - 1) * d / (n * r1))
    y = h + back * torch.tan(u)
    return (y - y.mean(1, keepdim=True)).square().mean(1).sqrt() * 1e3


def sample(n, gen):
    unit = torch.rand(n, len(LOW), generator=gen)
    return LOW + unit * (HIGH - LOW)


def features(p):
    """Uniform parameters -> zero mean, unit variance."""
    return ((p - LOW) / (HIGH - LOW) - 0.5) * math.sqrt(12)
