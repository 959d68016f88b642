"""Generated helpdesk tickets: a queue is decided by who asks for what in which order."""
import numpy as np
import torch

QUEUES = ["accounts", "billing", "hardware", "network", "software", "other"]
VOCAB = 90
LENGTH = 12


def generate(n, seed):
    rng = np.random.default_rng(seed)
    subjects, verbs = np.arange(1, 25), np.arange(25, 43)
    fillers = np.arange(43, VOCAB)
    ids = rng.choice(fillers, (n, LENGTH))
    s, v = rng.integers(0, len(subjects), n), rng.integers(0, len(verbs), n)
    at = np.stack([rng.permutation(LENGTH)[:2] for _ in range(n)])
    ids[np.arange(n), at[:, 0]] = subjects[s]
    ids[np.arange(n), at[:, 1]] = verbs[v]
    queue = (s % 3) * 2 + (v % 2)
    return ids, queue


class TicketSet(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        ids, queue = generate(n, seed)
        self.ids, self.queue = torch.from_numpy(ids), torch.from_numpy(queue)

    def __len__(self):
        return len(self.queue)

    def __getitem__(self, i):
        return dict(input_ids=self.ids[i], labels=self.queue[i])
