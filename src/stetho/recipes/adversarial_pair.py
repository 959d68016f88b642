"""Two players, as in a generative adversarial network: small rates with Adam, batches that are not tiny."""

from stetho.recipe import Recipe

adversarial_pair = Recipe(
    "adversarial-pair",
    "two networks that play against each other",
    fits=lambda look: look.players == 2,
    usual={
        "the highest rate of an adaptive optimizer": (5e-5, 2e-3),
        "the batch size": (16, 2048),
        "the spread of the inputs": (0.1, 3.0),
    },
)
