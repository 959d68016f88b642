import numpy as np

MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]


class WarehouseFloor:
    """A robot fetches a box on a 6x6 floor with shelves. Reaching the box pays 1, bumping costs 0.1, every step 0.02.

    An episode that takes too long is cut off; it is not over for that.
    """

    size = 6
    shelves = {(1, 1), (1, 2), (2, 4), (3, 4), (4, 1), (4, 2)}

    def __init__(self, rng, limit=30):
        self.rng = rng
        self.limit = limit

    def _free_cell(self):
        while True:
            cell = tuple(int(v) for v in self.rng.integers(0, self.size, 2))
            if cell not in self.shelves:
                return cell

    def reset(self):
        self.box = self._free_cell()
        self.robot = self._free_cell()
        while self.robot == self.box:
            self.robot = self._free_cell()
        self.steps = 0
        return self.observe()

    def observe(self):
        seen = np.zeros(4 * self.size, dtype=np.float32)
        for i, v in enumerate((*self.robot, *self.box)):
            seen[i * self.size + v] = 1.0
        return seen

    def step(self, action):
        if self.rng.random() < 0.05:
            action = int(self.rng.integers(4))
        row, col = self.robot[0] + MOVES[action][0], self.robot[1] + MOVES[action][1]
        reward = -0.02
        if not (0 <= row < self.size and 0 <= col < self.size) or (row, col) in self.shelves:
            reward -= 0.1
        else:
            self.robot = (row, col)
        self.steps += 1
        terminated = self.robot == self.box
        if terminated:
            reward += 1.0
        truncated = self.steps >= self.limit
        return self.observe(), reward, terminated, truncated
