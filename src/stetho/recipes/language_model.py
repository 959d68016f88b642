"""A small language model trained from scratch: a transformer of some million parameters, with AdamW and a warm-up.

The ranges cover public trainings of small GPTs, from character models on a laptop to 124 million parameters.
"""

from stetho.recipe import Recipe

language_model = Recipe(
    "language-model",
    "a small language model from scratch",
    fits=lambda look: look.tokens and not look.loaded and bool(look.losses & {"cross_entropy", "nll_loss"}),
    usual={
        "the highest rate of an adaptive optimizer": (1e-4, 1e-2),
        "the highest rate of a plain optimizer": (0.05, 20.0),
        "weight decay": (0.001, 0.2),
        "the batch size": (8, 2048),
        "the limit of clipping": (0.25, 5.0),
    },
)
