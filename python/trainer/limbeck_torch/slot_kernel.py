"""The Triton kernel of slot attention. One program: one token, one key-value head, all query heads that share it."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _kernel(
    query, keys, values, slots, positions, out, scale,
    query_head, query_token, slot_stride, place_stride, out_token,
    GROUP: tl.constexpr, ROWS: tl.constexpr, SIZE: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0)
    head = tl.program_id(1)
    slot = tl.load(slots + token)
    last = tl.load(positions + token)
    row = tl.arange(0, ROWS)
    column = tl.arange(0, WIDTH)
    inside = (row < GROUP)[:, None] & (column < SIZE)[None, :]
    asked = tl.load(
        query + token * query_token + (head * GROUP + row)[:, None] * query_head + column[None, :], mask=inside, other=0.0
    )
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    found = tl.zeros((ROWS, WIDTH), tl.float32)
    base = slot * slot_stride + head * SIZE
    for start in range(0, last + 1, BLOCK):
        place = start + tl.arange(0, BLOCK)
        seen = place <= last
        at = base + place[:, None] * place_stride + column[None, :]
        there = seen[:, None] & (column < SIZE)[None, :]
        key = tl.load(keys + at, mask=there, other=0.0)
        score = tl.dot(asked, tl.trans(key), input_precision=PRECISION) * scale
        score = tl.where(seen[None, :], score, float("-inf"))
        new = tl.maximum(largest, tl.max(score, 1))
        share = tl.exp(score - new[:, None])
        keep = tl.exp(largest - new)
        value = tl.load(values + at, mask=there, other=0.0)
        total = total * keep + tl.sum(share, 1)
        found = found * keep[:, None] + tl.dot(share.to(value.dtype), value, input_precision=PRECISION)
        largest = new
    found = found / total[:, None]
    where = out + token * out_token + (head * GROUP + row)[:, None] * SIZE + column[None, :]
    tl.store(where, found.to(out.dtype.element_ty), mask=inside)


def slot_attention(query: Tensor, keys: Tensor, values: Tensor, slots: Tensor, positions: Tensor, scale: float) -> Tensor:
    """`query` is [heads, tokens, size], `keys` and `values` [slots, length, key-value heads, size]; [tokens, heads, size]."""
    heads, tokens, size = query.shape
    shared = keys.shape[2]
    group = heads // shared
    out = torch.empty((tokens, heads, size), dtype=query.dtype, device=query.device)
    if query.stride(2) != 1:
        query = query.contiguous()
    _kernel[(tokens, shared)](
        query, keys, values, slots, positions, out, scale,
        query.stride(0), query.stride(1), keys.stride(0), keys.stride(1), out.stride(0),
        GROUP=group, ROWS=max(16, triton.next_power_of_2(group)), SIZE=size, WIDTH=max(16, triton.next_power_of_2(size)),
        BLOCK=64, PRECISION="ieee" if query.dtype == torch.float32 else "tf32", num_warps=4,
    )  # fmt: skip
    return out
