import torch


def sample_positions(n, generator):
    """Random endgames and what the exact solver would say: centre, neighbours and tempo decide."""
    cell = torch.rand(n, 6, 6, generator=generator)
    mine, theirs = (cell < 0.22).float(), (cell > 0.78).float()
    turn = torch.randint(0, 2, (n, 1, 1), generator=generator).float().expand(n, 6, 6)
    ring = torch.tensor([0, 1, 2, 2, 1, 0.0])
    worth = ring[:, None] + ring[None, :] - 1.5
    score = ((mine - theirs) * worth).sum((1, 2)) * 0.12
    for side, sign in ((mine, 1.0), (theirs, -1.0)):
        pairs = (side[:, 1:] * side[:, :-1]).sum((1, 2)) + (side[:, :, 1:] * side[:, :, :-1]).sum((1, 2))
        score = score + sign * 0.15 * pairs
    score = score + 0.25 * (2 * turn[:, 0, 0] - 1)
    return torch.stack([mine, theirs, turn], 1), torch.tanh(score)
