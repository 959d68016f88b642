"""Keras 3 on torch."""

import keras
import numpy
import torch
from proof import report

keras.utils.set_random_seed(0)
x = numpy.random.randn(96, 4).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.2), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(1e-2), loss="mse")
history = model.fit(x, x.sum(1, keepdims=True), batch_size=8, epochs=2, verbose=0)
assert isinstance(model, torch.nn.Module)
report(model, history.history["loss"], whole=False)
