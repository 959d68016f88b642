"""A small network on rows of numbers, for classes or for numbers: standardised inputs, Adam or plain descent."""

from stetho.recipe import Recipe

table_model = Recipe(
    "table-model",
    "a small network on rows of numbers",
    fits=lambda look: look.axes == 2 and not look.tokens and not look.loaded and look.players == 1,
    usual={
        "the highest rate of an adaptive optimizer": (1e-4, 2e-2),
        "the highest rate of a plain optimizer": (0.003, 0.5),
        "weight decay": (1e-7, 0.05),
        "the batch size": (8, 4096),
        "the spread of the inputs": (0.2, 5.0),
    },
)
