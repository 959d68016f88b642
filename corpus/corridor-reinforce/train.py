import argparse

import torch
import torch.nn as nn
from torch.distributions import Categorical

MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class Grid:
    """Batch of independent 4x4 grids, goal in the far corner, small cost per move."""

    def __init__(self, n, size=4, horizon=14):
        self.n, self.size, self.horizon = n, size, horizon

    def reset(self):
        self.pos = torch.zeros(self.n, 2, dtype=torch.long)
        self.done = torch.zeros(self.n, dtype=torch.bool)
        return self.observe()

    def observe(self):
        index = self.pos[:, 0] * self.size + self.pos[:, 1]
        return nn.functional.one_hot(index, self.size**2).float()

    def step(self, action):
        alive = ~self.done
        self.pos = torch.where(alive[:, None], (self.pos + MOVES[action]).clamp(0, self.size - 1), self.pos)
        reached = (self.pos == self.size - 1).all(1)
        reward = torch.where(alive, torch.where(reached, 1.0, -0.05), 0.0)
        self.done = self.done | reached
        return self.observe(), reward, alive.float()


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act, h=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, h), nn.Tanh())
        self.pi = nn.Linear(h, n_act)
        self.v = nn.Linear(h, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def rollout(env, net):
    obs = env.reset()
    logp, value, reward, alive, entropy = [], [], [], [], []
    for _ in range(env.horizon):
        dist, v = net(obs)
        act = dist.sample()
        obs, r, a = env.step(act)
        logp.append(dist.log_prob(act)); value.append(v); reward.append(r); alive.append(a); entropy.append(dist.entropy())
    return (torch.stack(x) for x in (logp, value, reward, alive, entropy))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--updates", type=int, default=300)
    ap.add_argument("--envs", type=int, default=32)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--gamma", type=float, default=0.98)
    ap.add_argument("--entropy", type=float, default=0.01)
    args = ap.parse_args()
    torch.manual_seed(0)
    env, net = Grid(args.envs), ActorCritic(16, 4)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for update in range(args.updates):
        logp, value, reward, alive, entropy = rollout(env, net)
        ret, g = torch.zeros_like(reward), torch.zeros(args.envs)
        for t in reversed(range(env.horizon)):
            g = reward[t] + args.gamma * g
            ret[t] = g
        adv = (ret - value).detach()
        n = alive.sum()
        policy_loss = -(logp * adv * alive).sum() / n
        value_loss = ((ret - value) ** 2 * alive).sum() / n
        loss = policy_loss + 0.5 * value_loss - args.entropy * (entropy * alive).sum() / n
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        if update % 20 == 0 or update == args.updates - 1:
            print(f"update {update:3d}  return {reward.sum(0).mean():+.3f}  solved {env.done.float().mean():.2f}  "
                  f"loss {loss.item():+.4f}  value {value_loss.item():.4f}")


if __name__ == "__main__":
    main()
