import ctypes
import mmap
import struct

import numpy as np
import torch
from torch.utils.data import Dataset

SIDE = 24
ENTRY = struct.Struct("<QIi")  # offset, length, label


class FrameStore(Dataset):
    """Frames out of one mapped file. Copies with memmove: slicing a mmap makes a bytes object per frame."""

    def __init__(self, stem, start=0, stop=None):
        with open(f"{stem}.idx", "rb") as f:
            entries = list(ENTRY.iter_unpack(f.read()))
        self.entries = entries[start:stop]
        self.path = f"{stem}.bin"
        self._map = None

    def _open(self):
        # not in __init__: every worker maps the file itself
        with open(self.path, "r+b") as f:
            self._map = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._frame = np.empty(SIDE * SIDE, dtype=np.uint8)

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, i):
        if self._map is None:
            self._open()
        offset, length, label = self.entries[i]
        ctypes.memmove(self._frame.ctypes.data, self._base + offset, length)
        img = torch.from_numpy(self._frame.astype(np.float32)).view(1, SIDE, SIDE)
        return (img - 80.0) / 50.0, label
