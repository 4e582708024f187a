"""Drawing tokens: for each row one number in [0, 1) decides, so that what a conversation says follows from its own seed."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Drawn:
    """Tokens, their log-probability under the model itself, and under what was drawn from."""

    tokens: Tensor
    logprobs: Tensor
    sampled: Tensor

    def stacked(self) -> Tensor:
        """All three in float64, which holds a token's id exactly, so that one copy brings them home."""
        return torch.stack([self.tokens.double(), self.logprobs.double(), self.sampled.double()])


@dataclass
class Restriction:
    """How rows may draw. Every tensor has one entry a row."""

    top_k: Tensor
    """The vocabulary's size where there is no limit."""
    top_p: Tensor
    min_p: Tensor
    allowed: Tensor | None
    """[rows, vocabulary]; None: everything."""


def draw(logits: Tensor, temperature: Tensor, uniform: Tensor, restriction: Restriction | None) -> Drawn:
    """One token a row. Temperature 0 takes the likeliest; its probability under what was drawn from is then 1."""
    logprobs = torch.log_softmax(logits, dim=-1)
    greedy = temperature == 0
    warm = torch.where(greedy, torch.ones_like(temperature), temperature)[:, None]
    if restriction is None:
        weights = torch.softmax(logprobs / warm, dim=-1)
        order = None
    else:
        weights, order = _restricted(logprobs, warm, restriction)
    tokens, chances = _pick(weights, uniform, order)
    allowed = None if restriction is None else restriction.allowed
    able = logprobs if allowed is None else torch.where(allowed, logprobs, -torch.inf)
    likeliest = able.argmax(dim=-1)
    tokens = torch.where(greedy, likeliest, tokens)
    sampled = torch.where(greedy, torch.zeros_like(chances), torch.log(chances))
    return Drawn(tokens, logprobs.gather(1, tokens[:, None])[:, 0], sampled)


def _restricted(logprobs: Tensor, warm: Tensor, given: Restriction) -> tuple[Tensor, Tensor]:
    """Weights after the allowed set, top-k, top-p and min-p, in this order, and the ids they belong to."""
    size = logprobs.shape[-1]
    able = logprobs if given.allowed is None else torch.where(given.allowed, logprobs, -torch.inf)
    weights = torch.exp((able - able.amax(dim=-1, keepdim=True)) / warm).double()
    # Rows that are cut by rank draw in the order of rank, the others in the order of ids.
    ranked = ((given.top_k < size) | (given.top_p < 1))[:, None]
    plain = torch.arange(size, device=logprobs.device).expand_as(weights)
    order = torch.where(ranked, torch.argsort(weights, dim=-1, descending=True, stable=True), plain)
    weights = weights.gather(1, order)
    rank = torch.arange(size, device=logprobs.device)[None, :]
    weights = torch.where(rank < given.top_k[:, None], weights, 0.0)
    reached = weights.cumsum(dim=-1)
    enough = (reached - weights) < given.top_p[:, None] * reached[:, -1:]
    weights = torch.where(enough | ~ranked | (given.top_p >= 1)[:, None], weights, 0.0)
    return torch.where(weights >= given.min_p[:, None], weights, 0.0), order


def _pick(weights: Tensor, uniform: Tensor, order: Tensor | None) -> tuple[Tensor, Tensor]:
    """The first place at which the sum so far is above the number; and its share of the whole."""
    sums = weights.double().cumsum(dim=-1)
    whole = sums[:, -1]
    wanted = uniform.double() * (whole if order is not None else 1.0)
    at = (sums <= wanted[:, None]).sum(dim=-1)
    # Rounding may leave a little beyond the last probability; it belongs to the last token that has any.
    last = weights.shape[-1] - 1 - (weights > 0).flip(-1).to(torch.int8).argmax(dim=-1)
    at = torch.minimum(at, last)
    share = weights.gather(1, at[:, None])[:, 0].double()
    share = (share / whole if order is not None else share).float()
    return (at if order is None else order.gather(1, at[:, None])[:, 0]), share
