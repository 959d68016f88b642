import argparse
import copy
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from floor import MOVES, WarehouseFloor


class Replay:
    def __init__(self, capacity, width):
        self.obs = torch.zeros(capacity, width)
        self.next_obs = torch.zeros(capacity, width)
        self.action = torch.zeros(capacity, dtype=torch.long)
        self.reward = torch.zeros(capacity)
        self.terminated = torch.zeros(capacity)
        self.capacity = capacity
        self.count = 0

    def add(self, obs, action, reward, next_obs, terminated):
        i = self.count % self.capacity
        self.obs[i] = torch.from_numpy(obs)
        self.next_obs[i] = torch.from_numpy(next_obs)
        self.action[i] = action
        self.reward[i] = reward
        self.terminated[i] = float(terminated)
        self.count += 1

    def sample(self, n):
        rows = torch.randint(min(self.count, self.capacity), (n,))
        return self.obs[rows], self.action[rows], self.reward[rows], self.next_obs[rows], self.terminated[rows]


def q_network(width, hidden=96):
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, len(MOVES)))


def greedy(net, obs):
    with torch.no_grad():
        return int(net(torch.from_numpy(obs)).argmax())


def evaluate(net, rng, episodes):
    env = WarehouseFloor(rng)
    fetched, total = 0, 0.0
    for _ in range(episodes):
        obs, done = env.reset(), False
        while not done:
            obs, reward, terminated, truncated = env.step(greedy(net, obs))
            total += reward
            done = terminated or truncated
        fetched += terminated
    return fetched / episodes, total / episodes


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--frames", type=int, default=9000)
    ap.add_argument("--gamma", type=float, default=0.95)
    ap.add_argument("--lr", type=float, default=1.5e-3)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    env = WarehouseFloor(rng)
    obs = env.reset()
    q_net = q_network(len(obs))
    target_net = copy.deepcopy(q_net).eval()
    optimizer = torch.optim.Adam(q_net.parameters(), lr=args.lr)
    replay = Replay(8000, len(obs))
    returns, current, losses = deque(maxlen=100), 0.0, deque(maxlen=200)

    updates = 0
    for frame in range(1, args.frames + 1):
        epsilon = max(0.1, 1.0 - frame / 5000)
        action = int(rng.integers(len(MOVES))) if rng.random() < epsilon else greedy(q_net, obs)
        next_obs, reward, terminated, truncated = env.step(action)
        replay.add(obs, action, reward, next_obs, terminated)
        current += reward
        obs = next_obs
        if terminated or truncated:
            returns.append(current)
            current = 0.0
            obs = env.reset()

        if frame > 500 and frame % 6 == 0:
            batch_obs, batch_action, batch_reward, batch_next, batch_terminated = replay.sample(128)
            with torch.no_grad():
                best_next = q_net(batch_next).argmax(1, keepdim=True)
                next_value = target_net(batch_next).gather(1, best_next).squeeze(1)
                target = batch_reward + args.gamma * (1 - batch_terminated) * next_value
            value = q_net(batch_obs).gather(1, batch_action[:, None]).squeeze(1)
            loss = F.smooth_l1_loss(value, target)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q_net.parameters(), 10.0)
            optimizer.step()
            losses.append(loss.item())
            updates += 1
            if updates % 50 == 0:
                target_net.load_state_dict(q_net.state_dict())
        if frame % 1000 == 0:
            print(f"frame {frame}  eps {epsilon:.2f}  td loss {np.mean(losses):.5f}  mean q {value.mean().item():.3f}  "
                  f"return of last {len(returns)} episodes {np.mean(returns):.3f}")

    fetched, mean_return = evaluate(q_net, rng, 100)
    print(f"greedy policy: return {mean_return:.3f}, boxes fetched {fetched:.2f}")


if __name__ == "__main__":
    main()
