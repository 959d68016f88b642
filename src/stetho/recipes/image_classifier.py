"""A classifier of images: a convolutional network with momentum or Adam, inputs of about unit spread."""

from stetho.recipe import Recipe

image_classifier = Recipe(
    "image-classifier",
    "a classifier of images from scratch",
    fits=lambda look: look.axes == 4 and not look.loaded and bool(look.losses & {"cross_entropy", "nll_loss"}),
    usual={
        "the highest rate of an adaptive optimizer": (1e-4, 5e-3),
        "the highest rate of a plain optimizer": (0.005, 0.8),
        "weight decay": (1e-6, 0.05),
        "the batch size": (16, 2048),
        "the spread of the inputs": (0.1, 3.0),
    },
)
