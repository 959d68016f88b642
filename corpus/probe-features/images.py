import torch


def bars(n, seed):
    """A bar with an orientation, a thickness and a polarity; returns images and the three attributes."""
    g = torch.Generator().manual_seed(seed)
    orient = torch.randint(2, (n,), generator=g)
    thick = torch.randint(1, 4, (n,), generator=g)
    sign = torch.randint(2, (n,), generator=g)
    at = torch.randint(1, 8, (n,), generator=g)
    img = torch.zeros(n, 12, 12)
    for i in range(n):
        img[i, at[i]:at[i] + thick[i]] = 1.0 if sign[i] else -1.0
        if orient[i]:
            img[i] = img[i].T.clone()
    img = img + 0.3 * torch.randn(n, 12, 12, generator=g)
    return img.unsqueeze(1), {"orient": orient, "thick": thick - 1, "sign": sign}
