"""The protocol's losses and their slopes by the log-probability of each target, which is all that a step needs.

    r = exp(lp - q)
    cross_entropy         -w lp
    importance_sampling   -w r A
    ppo                   -w min(r A, clip(r, lo, hi) A)
    cispo                 -w stop(clip(r, lo, hi)) lp A

Token losses are summed, over the sequence and over the batch, as the hosted service does it.
"""

from __future__ import annotations

import torch
from torch import Tensor


def token_losses(
    loss: str, logprobs: Tensor, weights: Tensor, behaviour: Tensor, advantages: Tensor, low: float, high: float
) -> tuple[Tensor, Tensor]:
    """Loss and slope of every token, in float32. The tensors have one shape."""
    if loss == "cross_entropy":
        return -weights * logprobs, -weights
    ratio = torch.exp(logprobs - behaviour)
    if loss == "importance_sampling":
        value = -weights * ratio * advantages
        return value, value
    clipped = ratio.clamp(low, high)
    if loss == "ppo":
        free = ratio * advantages
        inside = free <= clipped * advantages
        value = -weights * torch.where(inside, free, clipped * advantages)
        return value, torch.where(inside, value, torch.zeros_like(value))
    slope = -weights * clipped * advantages
    return slope * logprobs, slope
