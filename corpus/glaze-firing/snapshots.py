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
        self._written = []
        self._lock = threading.Lock()
        self._jobs = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="snapshots", daemon=True)
        self._thread.start()

    def submit(self, epoch, state):
        # a copy: the loop goes on changing the tensors
        self._jobs.put((epoch, {name: value.detach().clone() for name, value in state.items()}))

    def prune(self):
        """Delete all but the newest `keep` files."""
        with self._lock:
            self._jobs.join()
            old, self._written = self._written[:-self.keep], self._written[-self.keep:]
            for path in old:
                path.unlink(missing_ok=True)

    def close(self):
        self._jobs.put(None)
        self._thread.join()

    def _work(self):
        while (job := self._jobs.get()) is not None:
            epoch, state = job
            path = self.folder / f"epoch_{epoch:03d}.pt"
            torch.save(state, path)
            with self._lock:
                self._written.append(path)
            self._jobs.task_done()
