"""A batch in the forms that published code takes: padded arrays, conversations, trees."""

from unittest.mock import MagicMock

import numpy as np
import torch


class Batch:
    """Padded arrays, one row a step."""

    def __init__(self, data: dict):
        rows = data["rows"]
        self.rows = rows
        self.trajectories = data["trajectories"]
        width = max(len(row["mask"]) for row in rows)
        self.mask = torch.tensor([row["mask"] + [0] * (width - len(row["mask"])) for row in rows], dtype=torch.float64)
        self.index = np.array([row["task"] for row in rows], dtype=object)
        self.traj = np.array([row["trajectory"] for row in rows], dtype=object)
        self.obs = np.array([row["state"] for row in rows], dtype=object)
        self.valid = torch.tensor([1.0 if row["valid"] else 0.0 for row in rows])
        self.outcome = torch.tensor([self.outcome_of(row["trajectory"]) for row in rows])
        self.greedy = torch.tensor([row["greedyScore"] for row in rows])
        self.values = self.tokens("values")
        self.width = width

    def outcome_of(self, trajectory: str) -> float:
        return float(self.trajectories[trajectory]["outcome"])

    def tokens(self, *path: str):
        found = []
        for row in self.rows:
            value = row
            for key in path:
                value = value.get(key) if value is not None else None
            found.append((value or []) + [0.0] * (self.mask.shape[1] - len(value or [])))
        return torch.tensor(found, dtype=torch.float64) * self.mask

    def rewards(self, penalty: float = 0.0):
        """The score on the last trained token, or the row's own token rewards."""
        if self.rows[0].get("tokenRewards") is not None:
            return self.tokens("tokenRewards")
        rewards = torch.zeros_like(self.mask)
        last = (self.mask * torch.arange(1, self.width + 1)).argmax(dim=1)
        rewards[torch.arange(len(self.rows)), last] = self.outcome - penalty * (1 - self.valid)
        return rewards

    def step_returns(self, module, penalty: float, gamma: float = 0.95):
        """By the published function, then the penalty as its trainer applies it."""
        data = MagicMock()
        data.non_tensor_batch = {
            "rewards": np.array([row["reward"] for row in self.rows]),
            "traj_uid": self.traj,
            "active_masks": np.ones(len(self.rows)),
        }
        data.batch = {"input_ids": self.mask}
        return module.compute_step_discounted_returns(data, gamma).double() - penalty * (1 - self.valid)

    def steps(self) -> dict[str, list[int]]:
        """Rows of each trajectory, in order."""
        found: dict[str, list[int]] = {}
        for at, row in enumerate(self.rows):
            found.setdefault(row["trajectory"], []).append(at)
        return {name: sorted(own, key=lambda at: self.rows[at]["step"]) for name, own in found.items()}

    def on_rows(self, values):
        """One value a row, on its trained tokens."""
        return torch.as_tensor([float(value) for value in values]).unsqueeze(-1) * self.mask


class Conversations:
    """One row a trajectory: each turn is two trained tokens, followed by one that is not."""

    def __init__(self, batch: Batch):
        self.batch = batch
        self.steps = list(batch.steps().values())
        turns = max(len(own) for own in self.steps)
        self.mask = torch.zeros(len(self.steps), 3 * turns)
        for at, own in enumerate(self.steps):
            for turn in range(len(own)):
                self.mask[at, 3 * turn : 3 * turn + 2] = 1
        self.index = np.array([batch.rows[own[0]]["task"] for own in self.steps], dtype=object)

    def rewards(self, by_row: list[float]):
        """A reward on the last token of each turn."""
        found = torch.zeros_like(self.mask)
        for at, own in enumerate(self.steps):
            for turn, row in enumerate(own):
                found[at, 3 * turn + 1] = by_row[row]
        return found

    def to_rows(self, advantages):
        values = [0.0] * len(self.batch.rows)
        for at, own in enumerate(self.steps):
            for turn, row in enumerate(own):
                values[row] = float(advantages[at, 3 * turn])
        return self.batch.on_rows(values)


def tree_parents(batch: Batch) -> list[int]:
    """The row each row continues; -1 for first rows of a task. A branch replaces a step of its parent."""
    steps = batch.steps()
    placed = {(row["trajectory"], row["step"]): at for at, row in enumerate(batch.rows)}

    def before(trajectory: str, step: int) -> int:
        while True:
            first = batch.rows[steps[trajectory][0]]
            if step > first["step"]:
                return placed[(trajectory, step - 1)]
            if first.get("parent") is None:
                return -1
            trajectory, step = first["parent"]["trajectory"], first["parent"]["step"]

    return [before(row["trajectory"], row["step"]) for row in batch.rows]
