"""A model that goes on from trained weights: small rates, little decay.

The ranges cover full fine-tuning and low-rank adapters, whose rates are larger.
"""

from stetho.recipe import Recipe

fine_tune = Recipe(
    "fine-tune",
    "a model that goes on from trained weights",
    fits=lambda look: look.loaded,
    usual={
        "the highest rate of an adaptive optimizer": (5e-6, 1e-3),
        "the highest rate of a plain optimizer": (1e-4, 0.1),
        "weight decay": (1e-5, 0.1),
        "the batch size": (4, 1024),
        "the limit of clipping": (0.25, 5.0),
    },
)
