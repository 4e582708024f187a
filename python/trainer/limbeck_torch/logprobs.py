"""Float32 log-probabilities of given tokens, a few thousand places at a time: the table of all logits is never whole."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_CELLS = 2**28
"""Numbers in the largest table of logits: 1 GiB in float32."""


def token_logprobs(hidden: Tensor, weight: Tensor, ids: Tensor) -> Tensor:
    """Log-probability of `ids` ([places, k]) by hidden states ([places, width]) and the head's matrix."""
    return _TokenLogprobs.apply(hidden, weight, ids)


def top_logprobs(hidden: Tensor, weight: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Ids and log-probabilities of the likeliest tokens, the most likely first; of equal ones the lower id."""
    ids, values = [], []
    for part in _parts(hidden, weight):
        table = torch.log_softmax(_logits(part, weight), dim=-1)
        least = torch.topk(table, count, dim=-1).values[:, -1:]
        # topk leaves open which of equal values it takes, and in which order; the lower ids come first here.
        above, equal = table > least, table == least
        room = count - above.sum(dim=-1, keepdim=True)
        kept = above | (equal & (equal.cumsum(dim=-1) <= room))
        # The lower the id, the higher its place; finding how many there are would make the device wait.
        place = torch.arange(table.shape[1], 0, -1, dtype=torch.int32, device=table.device)
        index = torch.topk(torch.where(kept, place, 0), count, dim=-1).indices
        value = table.gather(1, index)
        by_value = torch.argsort(value, dim=-1, descending=True, stable=True)
        ids.append(index.gather(1, by_value))
        values.append(value.gather(1, by_value))
    return torch.cat(ids), torch.cat(values)


def _logits(hidden: Tensor, weight: Tensor) -> Tensor:
    return torch.nn.functional.linear(hidden, weight).float()


def _parts(rows: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
    return rows.split(max(1, _CELLS // weight.shape[0]))


class _TokenLogprobs(torch.autograd.Function):
    """The table of a part is made again on the way back, so that nothing of its size is kept in between."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, ids: Tensor) -> Tensor:
        results, sums = [], []
        for part, wanted in zip(_parts(hidden, weight), _parts(ids, weight)):
            logits = _logits(part, weight)
            total = torch.logsumexp(logits, dim=-1, keepdim=True)
            results.append(logits.gather(1, wanted) - total)
            sums.append(total)
        total = torch.cat(sums)
        ctx.save_for_backward(hidden, weight, ids, total)
        return torch.cat(results)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        hidden, weight, ids, totals = ctx.saved_tensors
        (slope,) = slopes
        to_hidden = torch.empty_like(hidden) if ctx.needs_input_grad[0] else None
        to_weight = torch.zeros(weight.shape, dtype=torch.float32, device=weight.device) if ctx.needs_input_grad[1] else None
        at = 0
        for part in _parts(hidden, weight):
            rows = slice(at, at + part.shape[0])
            at = rows.stop
            # d lp_j / d logit_v = [v = j] - p_v
            table = torch.exp(_logits(part, weight) - totals[rows])
            table *= -slope[rows].sum(dim=1, keepdim=True)
            table.scatter_add_(1, ids[rows], slope[rows].to(table.dtype))
            back = table.to(weight.dtype)
            if to_hidden is not None:
                to_hidden[rows] = back @ weight
            if to_weight is not None:
                to_weight += (back.t() @ part).float()
        return to_hidden, None if to_weight is None else to_weight.to(weight.dtype), None
