"""Sorts coffee beans into sound and defective from near-infrared spectra. About one bean in eleven is defective."""
import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
from keras import layers

BANDS = 40
SHARE = 0.09


def spectra(n, rng):
    band = np.linspace(0, 1, BANDS)
    defective = rng.random(n) < SHARE
    moisture = rng.normal(0, 1, (n, 1))
    roast = rng.normal(0, 1, (n, 1))
    curve = 0.5 + 0.12 * moisture * np.exp(-((band - 0.3) / 0.1) ** 2) + 0.1 * roast * band
    dent = np.exp(-((band - 0.62) / 0.05) ** 2) - 0.6 * np.exp(-((band - 0.8) / 0.06) ** 2)
    strength = rng.uniform(0.05, 0.16, (n, 1)) * defective[:, None]
    counts = 4000 * (curve + strength * dent) + rng.normal(0, 240, (n, BANDS))
    return counts.astype("float32"), defective.astype("float32")


def build(n_bands):
    inputs = keras.Input((n_bands,))
    x = layers.BatchNormalization(momentum=0.9)(inputs)
    x = layers.Dense(48, activation="relu")(x)
    x = layers.Dropout(0.4)(x)
    x = layers.Dense(24, activation="relu")(x)
    outputs = layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs)


class Report(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        rate = float(self.model.optimizer.learning_rate)
        print(f"epoch {epoch + 1:2d}  " + "  ".join(f"{k} {v:.4f}" for k, v in logs.items() if k != "learning_rate") + f"  lr {rate:.2g}")


def main():
    keras.utils.set_random_seed(19)
    rng = np.random.default_rng(19)
    x_train, y_train = spectra(3200, rng)
    x_val, y_val = spectra(1600, rng)
    share = float(y_train.mean())
    class_weight = {0: 0.5 / (1 - share), 1: 0.5 / share}
    print(f"{len(x_train)} beans, {share:.1%} defective, weights {class_weight[0]:.2f} and {class_weight[1]:.2f}")

    model = build(BANDS)
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate=4e-3),
        loss=keras.losses.BinaryCrossentropy(),
        metrics=[keras.metrics.AUC(name="auc")],
    )
    model.fit(
        x_train, y_train, validation_data=(x_val, y_val), batch_size=64, epochs=8, class_weight=class_weight, verbose=0,
        callbacks=[
            keras.callbacks.ReduceLROnPlateau(monitor="val_auc", mode="max", factor=0.3, patience=1),
            keras.callbacks.EarlyStopping(monitor="val_auc", mode="max", patience=3, restore_best_weights=True),
            Report(),
        ],
    )
    scores = model.evaluate(x_val, y_val, batch_size=400, verbose=0, return_dict=True)
    print(f"validation AUC {scores['auc']:.4f}")


if __name__ == "__main__":
    main()
