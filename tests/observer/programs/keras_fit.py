"""Keras 3 on torch: its own layers, optimizers and training loop."""

import keras
import numpy


class Told(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        print("loss", 0, self.model.last)


class Model(keras.Sequential):
    def compute_loss(self, *args, **kwargs):
        loss = super().compute_loss(*args, **kwargs)
        self.last = loss.item()
        return loss


keras.utils.set_random_seed(0)
x = numpy.random.randn(48, 4).astype("float32")
model = Model([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(1e-2), loss="mse")
model.fit(x, x.sum(1, keepdims=True), batch_size=8, epochs=1, verbose=0, callbacks=[Told()])
