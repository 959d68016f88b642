"""Waveform -> clipped, standardized log spectrogram. The numbers come from a json file written by the feature study."""
import json
from dataclasses import dataclass

import torch


@dataclass
class Frontend:
    n_fft: int
    hop: int
    clip_db: tuple[float, float]
    mean_db: float
    std_db: float

    @classmethod
    def from_file(cls, path):
        with open(path) as fh:
            spec = json.load(fh)
        spec["clip_db"] = tuple(spec["clip_db"])
        return cls(**spec)

    def __call__(self, wave):
        """(batch, samples) in [-1, 1] -> (batch, 1, bins, frames)"""
        window = torch.hann_window(self.n_fft)
        z = torch.stft(wave, self.n_fft, self.hop, window=window, center=False, return_complex=True)
        amplitude = z.abs() / (0.5 * window.sum())  # a full-scale sine has 0 dB
        db = 20.0 * torch.log10(amplitude.clamp(min=1e-8))
        db = db.clamp(*self.clip_db)
        return ((db - self.mean_db) / self.std_db).unsqueeze(1)
