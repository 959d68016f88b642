"""Weights are written by a thread of their own, so that the loop does not wait for the disk."""
import queue
import threading
from pathlib import Path

import torch


class SnapshotWriter:
    def __init__(self, folder, keep):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.keep = keep
        self._sizes = {}  # file -> bytes, None while it is not written yet
        self._lock = threading.Lock()
        self._jobs = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self._thread.start()

    def submit(self, epoch, state):
        # a copy: the loop goes on changing the tensors
        state = {name: value.detach().clone() for name, value in state.items()}
        path = self.folder / f"epoch_{epoch:03d}.pt"
        with self._lock:
            self._sizes[path] = None
            self._jobs.put((path, state))
            if len(self._sizes) > 2 * self.keep:
                self._prune()

    def close(self):
        self._jobs.put(None)
        self._thread.join()
        return sum(self._sizes.values())

    def _prune(self):
        """Delete all but the newest `keep` files, once all are written."""
        self._jobs.join()
        for path in list(self._sizes)[:-self.keep]:
            path.unlink()
            del self._sizes[path]

    def _work(self):
        while (job := self._jobs.get()) is not None:
            path, state = job
            torch.save(state, path)
            with self._lock:
                self._sizes[path] = path.stat().st_size
            self._jobs.task_done()
