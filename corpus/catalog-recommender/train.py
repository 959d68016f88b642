import torch

from recommender import Factorization, RatingTrainer

N_USERS, LAUNCH_ITEMS, ALL_ITEMS, RANK = 300, 120, 200, 4


def synthetic_ratings(n: int, gen: torch.Generator):
    taste = torch.randn(N_USERS, RANK, generator=gen)
    style = torch.randn(ALL_ITEMS, RANK, generator=gen)
    table = torch.stack(
        [torch.randint(N_USERS, (n,), generator=gen), torch.randint(ALL_ITEMS, (n,), generator=gen)], dim=1
    )
    rating = (taste[table[:, 0]] * style[table[:, 1]]).sum(1) / RANK**0.5
    return table, rating + 0.2 * torch.randn(n, generator=gen)


if __name__ == "__main__":
    torch.manual_seed(4)
    table, ratings = synthetic_ratings(24000, torch.Generator().manual_seed(8))
    cut = 20000
    model = Factorization(N_USERS, LAUNCH_ITEMS, RANK)
    trainer = RatingTrainer(model)
    trainer.extend_catalog(ALL_ITEMS)
    trainer.fit(table[:cut], ratings[:cut], epochs=12, valid=(table[cut:], ratings[cut:]))
