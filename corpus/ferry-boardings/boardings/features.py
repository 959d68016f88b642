"""What the model sees of a sailing."""
import math

FEATURES = ["hour_sin", "hour_cos", "weekend", "holiday", "air_temp", "wind", "wave", "rain", "fare", "prev_sailing", "same_last_week"]
VERSION = 3


def encode(row):
    angle = 2 * math.pi * float(row["hour"]) / 24
    values = {
        "hour_sin": math.sin(angle),
        "hour_cos": math.cos(angle),
        "weekend": 1.0 if row["weekday"] in ("sat", "sun") else 0.0,
        "holiday": float(row["holiday"]),
        "air_temp": (float(row["air_temp_c"]) - 12) / 8,
        "wind": (float(row["wind_ms"]) - 7) / 3,
        "wave": (float(row["wave_m"]) - 0.8) / 0.5,
        "rain": min(float(row["rain_mm"]), 10) / 3,
        "fare": (float(row["fare_eur"]) - 9) / 2,
        "prev_sailing": (float(row["prev_sailing"]) - 150) / 80,
        "same_last_week": (float(row["same_last_week"]) - 150) / 80,
    }
    return [values[name] for name in FEATURES]


def target(row):
    return (float(row["boarded"]) - 150) / 80
