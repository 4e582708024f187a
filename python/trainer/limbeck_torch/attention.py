"""Attention over slots: every token of a step belongs to a conversation and sees that conversation's keys and values.

A step is one flat row of tokens, of many conversations, some reading and some speaking. Each token's key and value go to
its place in the cache; then it attends to its own slot up to itself. On CUDA that is one Triton kernel whose shape does not
depend on anyone's length, so that a captured graph serves every step of its size. Elsewhere it is plain PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface

from .hf_model import Shape

NAME = "limbeck_slots"


@dataclass
class SlotStep:
    """Where the tokens of the running step belong."""

    cache: Tensor
    """[layers, 2, slots, length, key-value heads, head size]"""
    slots: Tensor
    positions: Tensor
    segments: list[tuple[int, int, int, int]] | None
    """(slot, first token of the step, end, position of the first); None where the kernel does it."""


_running: SlotStep | None = None


def set_running(step: SlotStep | None) -> None:
    """The step that the next forward pass is about."""
    global _running
    _running = step


def new_cache(shape: Shape, slots: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Zeros for so many conversations, and one slot more for what fills up a step."""
    size = (shape.layers, 2, slots + 1, shape.context, shape.key_value_heads, shape.head_size)
    return torch.zeros(size, device=device, dtype=dtype)


def slot_bytes(shape: Shape, dtype: torch.dtype) -> int:
    """Memory of one conversation's slot."""
    return 2 * shape.layers * shape.context * shape.key_value_heads * shape.head_size * dtype.itemsize


def kernel_there(device: torch.device) -> bool:
    """Whether Triton is at hand for this device."""
    if device.type != "cuda":
        return False
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


def _attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any, scaling: float | None = None, **_: Any
) -> tuple[Tensor, None]:
    """What transformers calls: [1, heads, tokens, head size] in, [1, tokens, heads, head size] out."""
    step = _running
    if step is None:
        raise RuntimeError("slot attention was called outside a step")
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    keys, values = step.cache[module.layer_idx]
    keys[step.slots, step.positions] = key[0].transpose(0, 1)
    values[step.slots, step.positions] = value[0].transpose(0, 1)
    if step.segments is None:
        from .slot_kernel import slot_attention

        return slot_attention(query[0], keys, values, step.slots, step.positions, scale)[None], None
    return _plain(query[0], keys, values, step.segments, scale)[None], None


def _plain(query: Tensor, keys: Tensor, values: Tensor, segments: list[tuple[int, int, int, int]], scale: float) -> Tensor:
    """Conversation by conversation, with PyTorch's own attention."""
    heads, tokens, size = query.shape
    group = heads // keys.shape[2]
    out = query.new_zeros((tokens, heads, size))
    for slot, start, end, position in segments:
        length = position + end - start
        own = [
            part[slot, :length].transpose(0, 1).repeat_interleave(group, dim=0)[None].to(query.dtype)
            for part in (keys, values)
        ]
        places = torch.arange(position, length, device=query.device)
        mask = torch.arange(length, device=query.device)[None, :] <= places[:, None]
        said = nn.functional.scaled_dot_product_attention(query[None, :, start:end], *own, attn_mask=mask, scale=scale)
        out[start:end] = said[0].transpose(0, 1)
    return out


AttentionInterface.register(NAME, _attend)
