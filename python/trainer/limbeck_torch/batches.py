"""Rows into micro-batches: similar lengths together, padded on the right, at most so many tokens each."""

from __future__ import annotations

from typing import Sequence


def plan_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices of rows, micro-batch by micro-batch. A row that is longer than the budget is a batch of its own."""
    batches: list[list[int]] = []
    longest = 0
    for row in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if batches and longest * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(row)
        else:
            batches.append([row])
            longest = lengths[row]
    return batches
