"""Day-ahead net exchange of the island grid with the mainland (positive: we export), in units of 10 MW."""
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(21)
rng = np.random.default_rng(21)


def simulate(n):
    hour = rng.uniform(0, 24, n)
    wind = rng.weibull(2.0, n) * 9.0
    gust = wind * rng.uniform(1.0, 1.5, n)
    temperature = rng.normal(9, 6, n)
    cloud = rng.beta(0.8, 0.8, n)

    turbines = 6.5 / (1 + np.exp(-(wind - 8.5) / 1.4)) * (gust < 27)
    sun = 1.8 * np.clip(np.sin((hour - 6) / 12 * np.pi), 0, None) * (1 - 0.8 * cloud)
    demand = 3.2 + 1.1 * np.exp(-((hour - 19) / 2.5) ** 2) + 0.07 * np.clip(14 - temperature, 0, None)
    exchange = turbines + sun - demand + rng.normal(0, 0.15, n)

    x = np.stack([
        np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi), (wind - 8) / 4, (gust - 10) / 5,
        (temperature - 9) / 6, (cloud - 0.5) * 3,
    ], axis=1)
    return x.astype("float32"), exchange.astype("float32")[:, None]


x_train, y_train = simulate(4000)
x_hold, y_hold = simulate(1000)
print(f"exchange: mean {y_train.mean():+.2f}, std {y_train.std():.2f} (x 10 MW)")

model = keras.Sequential([
    keras.Input((x_train.shape[1],)),
    layers.Dense(48, activation="gelu"),
    layers.Dense(48, activation="gelu"),
    layers.Dense(1, activation="tanh"),
])
model.compile(optimizer=keras.optimizers.Adam(4e-3), loss="mse", metrics=["mae"])
history = model.fit(
    x_train, y_train, batch_size=100, epochs=10, validation_split=0.1, verbose=2,
    callbacks=[keras.callbacks.ReduceLROnPlateau(patience=3, factor=0.5)],
)

rmse = float(np.sqrt(np.mean((model.predict(x_hold, batch_size=500, verbose=0) - y_hold) ** 2)))
print(f"always the mean: RMSE {y_hold.std():.3f}")
print(f"hold-out RMSE {rmse:.3f}")
