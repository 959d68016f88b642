"""Reflectance spectra of drill cores, 1.3 to 2.5 um, and their usual preparation."""
import numpy as np

BANDS = 160
WAVELENGTH = np.linspace(1.3, 2.5, BANDS)

# mineral -> absorption features (centre in um, width, depth)
MINERALS = {
    "kaolinite": [(1.41, 0.02, 0.30), (2.16, 0.015, 0.20), (2.21, 0.02, 0.35)],
    "illite": [(1.41, 0.02, 0.22), (1.91, 0.04, 0.20), (2.21, 0.025, 0.30), (2.35, 0.02, 0.10)],
    "chlorite": [(2.25, 0.025, 0.22), (2.34, 0.03, 0.32)],
    "calcite": [(2.16, 0.03, 0.05), (2.34, 0.04, 0.33)],
    "alunite": [(1.43, 0.02, 0.20), (1.76, 0.03, 0.22), (2.17, 0.035, 0.35)],
}
NAMES = list(MINERALS)


def measure(rng, mineral):
    """A raw spectrum: two thirds or more of the named mineral, the rest of another one."""
    other = NAMES[rng.integers(len(NAMES))]
    share = rng.uniform(0.66, 1.0)
    tilt = rng.normal(0, 0.25)
    raw = rng.uniform(0.4, 0.8) * (1 + tilt * (WAVELENGTH - 1.9) + rng.normal(0, 0.3) * (WAVELENGTH - 1.9) ** 2)
    for name, part in ((mineral, share), (other, 1 - share)):
        for centre, width, depth in MINERALS[name]:
            raw = raw * (1 - part * depth * np.exp(-0.5 * ((WAVELENGTH - centre) / width) ** 2))
    raw = raw + 0.02 * rng.standard_normal(BANDS)
    spikes = rng.random(BANDS) < 0.01
    raw[spikes] += rng.normal(0, 0.3, spikes.sum())
    return raw


def despike(raw, half=4):
    """Hampel filter: what is far from the median around it is replaced by that median."""
    out = raw.copy()
    for i in range(len(raw)):
        window = raw[max(0, i - half):i + half + 1]
        middle = np.median(window)
        spread = 1.4826 * np.median(np.abs(window - middle))
        if abs(raw[i] - middle) > 3 * spread:
            out[i] = middle
    return out


def continuum(values):
    """The upper hull of a spectrum, at every band."""
    hull = []
    for x, y in zip(WAVELENGTH, values):
        while len(hull) >= 2:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (x1 - x0) * (y - y0) >= (y1 - y0) * (x - x0):
                hull.pop()
            else:
                break
        hull.append((x, y))
    hx, hy = zip(*hull)
    return np.interp(WAVELENGTH, hx, hy)


def prepare(raw):
    clean = despike(raw)
    return ((clean / continuum(clean) - 0.93) / 0.07).astype(np.float32)
