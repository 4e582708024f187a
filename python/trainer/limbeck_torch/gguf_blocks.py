"""Numbers out of GGUF's blocks. Every type is a block of bytes that stands for 32 or 256 values.

The layouts are facts of ggml's `ggml-common.h`; results are equal to the last bit to those of the Python package `gguf`
(a test, where it is installed), because the same float32 operations are made in the same order.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Callable

import torch
from torch import Tensor


@dataclass(frozen=True)
class Block:
    """What a type is called, its size, and how blocks (a row of bytes each) become values."""

    name: str
    values: int
    bytes: int
    read: Callable[[Tensor], Tensor]


def dequantise(raw: Tensor, kind: int) -> Tensor:
    """The values of whole blocks in a row, in float32, on the device where the bytes are."""
    block = BLOCKS[kind]
    return block.read(raw.reshape(-1, block.bytes)).reshape(-1)


def _half(raw: Tensor) -> Tensor:
    return raw.contiguous().view(torch.float16).float()


def _nibbles(raw: Tensor) -> Tensor:
    """The low halves of all bytes, then the high ones."""
    return torch.cat([raw & 15, raw >> 4], dim=-1)


def _bits(raw: Tensor, shifts: range, mask: int) -> Tensor:
    """[n, groups, bytes] to [n, groups, shift, bytes]: the same bytes, looked at from each shift."""
    by = torch.tensor(list(shifts), dtype=torch.uint8, device=raw.device)
    return (raw[..., None, :] >> by[:, None]) & mask


def _float32(raw: Tensor) -> Tensor:
    return raw.contiguous().view(torch.float32)


def _bfloat16(raw: Tensor) -> Tensor:
    return raw.contiguous().view(torch.bfloat16).float()


def _q4_0(raw: Tensor) -> Tensor:
    return _half(raw[:, :2]) * (_nibbles(raw[:, 2:]).float() - 8)


def _q4_1(raw: Tensor) -> Tensor:
    return _half(raw[:, :2]) * _nibbles(raw[:, 4:]).float() + _half(raw[:, 2:4])


def _fifth_bits(raw: Tensor) -> Tensor:
    """32 bits, the first value's lowest."""
    return _bits(raw[:, :, None], range(8), 1).reshape(-1, 32)


def _q5_0(raw: Tensor) -> Tensor:
    whole = _nibbles(raw[:, 6:]) | (_fifth_bits(raw[:, 2:6]) << 4)
    return _half(raw[:, :2]) * (whole.float() - 16)


def _q5_1(raw: Tensor) -> Tensor:
    whole = _nibbles(raw[:, 8:]) | (_fifth_bits(raw[:, 4:8]) << 4)
    return _half(raw[:, :2]) * whole.float() + _half(raw[:, 2:4])


def _q8_0(raw: Tensor) -> Tensor:
    return _half(raw[:, :2]) * raw[:, 2:].contiguous().view(torch.int8).float()


def _q2_k(raw: Tensor) -> Tensor:
    """Sixteen parts of sixteen values, each with a scale and a minimum of four bits."""
    scales = raw[:, :16]
    quarters = _bits(raw[:, 16:80].reshape(-1, 2, 32), range(0, 8, 2), 3).reshape(-1, 16, 16)
    scale = _half(raw[:, 80:82]) * (scales & 15).float()
    least = _half(raw[:, 82:84]) * (scales >> 4).float()
    return scale[..., None] * quarters.float() - least[..., None]


def _q3_k(raw: Tensor) -> Tensor:
    """As Q2_K, with a third bit elsewhere and scales of six bits in twelve bytes."""
    high = _bits(raw[:, None, :32], range(8), 1).reshape(-1, 16, 16)
    low = _bits(raw[:, 32:96].reshape(-1, 2, 32), range(0, 8, 2), 3).reshape(-1, 16, 16)
    first, second = _nibbles(raw[:, 96:104]), _bits(raw[:, None, 104:108], range(0, 8, 2), 3).reshape(-1, 16)
    scale = _half(raw[:, 108:110]) * ((first | (second << 4)).float() - 32)
    return scale[..., None] * (low.float() - 4 * (1 - high.float()))


def _six_bits(raw: Tensor) -> tuple[Tensor, Tensor]:
    """Eight scales and eight minima of six bits in twelve bytes."""
    first, second, third = raw[:, :4], raw[:, 4:8], raw[:, 8:12]
    scales = torch.cat([first & 63, (third & 15) | ((first >> 6) << 4)], dim=-1)
    least = torch.cat([second & 63, (third >> 4) | ((second >> 6) << 4)], dim=-1)
    return scales.float(), least.float()


def _eight_parts(raw: Tensor, values: Tensor) -> Tensor:
    scales, least = _six_bits(raw[:, 4:16])
    scale = _half(raw[:, :2]) * scales
    return scale[..., None] * values.float() - (_half(raw[:, 2:4]) * least)[..., None]


def _q4_k(raw: Tensor) -> Tensor:
    return _eight_parts(raw, _bits(raw[:, 16:].reshape(-1, 4, 32), range(0, 8, 4), 15).reshape(-1, 8, 32))


def _q5_k(raw: Tensor) -> Tensor:
    fifth = _bits(raw[:, None, 16:48], range(8), 1).reshape(-1, 8, 32)
    low = _bits(raw[:, 48:].reshape(-1, 4, 32), range(0, 8, 4), 15).reshape(-1, 8, 32)
    return _eight_parts(raw, low | (fifth << 4))


def _q6_k(raw: Tensor) -> Tensor:
    low = _bits(raw[:, :128].reshape(-1, 2, 64), range(0, 8, 4), 15).reshape(-1, 16, 16)
    high = _bits(raw[:, 128:192].reshape(-1, 2, 32), range(0, 8, 2), 3).reshape(-1, 16, 16)
    scale = _half(raw[:, 208:210]) * raw[:, 192:208].contiguous().view(torch.int8).float()
    return scale[..., None] * ((low | (high << 4)).float() - 32)


# Points of eight coordinates, each 8, 25 or 43: two bits a coordinate, sixteen a point, 256 points.
_POINTS = base64.b64decode(
    "AAACAAUACAAKABEAFAAgACIAKAAqAEEARABQAFgAYQBkAIAAggCKAKIAAQEEARABFQFAAYQBmAEAAgICIgKCAgEEBAQQBCEEJARABEIESARgBIEE"
    "hASQBKQEAAUCBQgFIAVGBWkFgAWRBQkGEAZABoQGpAYACAUICAgUCCgIQQhECFAIUgiICAQJQAkCChQKARAEEBAQIRBAEGAQhBCQEJUQABEIESAR"
    "UBFaEYARJBJFEgAUCBQgFCUUSRSAFBgVYhUAFhYWARgEGBAYQBiBGAAZBRmgGVEaACACIAogRCBhIIAggiApIUghACICIgEkBCQQJEAkViQAJUEl"
    "ZCWQJggoICiUKEQqAUAEQBBAGEAhQCRAQEBIQFZAYECBQIRAkEAAQSBBYUGAQYVBAUIQQkhCVkJoQgBECEQgRIBEmUQSRSRFAEYBSARIEEhASEVI"
    "AElYSWFJgklFSpBKAFAIUBFQGVAgUIBQiFAEUUJRpFGRUpBUklQKVQFWVFYAWBFYGVhkWEBZCFoEYBBgQGBoYABhVWEYYmBiAGQFZBBlEmWEZUJo"
    "AIACgAqAQYCCgASBGIFAgRGCAYQEhBCEFYRAhGCEAIVGhZSFCYZAhmCGAogEiRGKBJAQkCSQQJChkBaRgJFFkgCUIpRElFGVgZggmQKgUKCFoAmh"
    "AKIYpFCoBKk="
)


def _iq2_xxs(raw: Tensor) -> Tensor:
    """Eight parts of 32 values: four points by number, and in 32 bits four sets of signs and a scale.

    Seven bits tell the signs of a point; the eighth makes the number of minuses even."""
    device = raw.device
    codes = torch.frombuffer(bytearray(_POINTS), dtype=torch.uint8).to(device).reshape(256, 2, 1)
    points = torch.tensor([8.0, 25.0, 43.0], device=device)[_bits(codes, range(0, 8, 2), 3).reshape(256, 8).long()]
    sevens = torch.arange(128, device=device)
    bits = (sevens[:, None] >> torch.arange(7, device=device)) & 1
    signs = 1.0 - 2.0 * torch.cat([bits, bits.sum(1, keepdim=True) & 1], dim=1).float()
    parts = raw[:, 2:].reshape(-1, 8, 8)
    word = (parts[..., 4:].long() << (8 * torch.arange(4, device=device))).sum(-1)
    which = (word[..., None] >> (7 * torch.arange(4, device=device))) & 127
    scale = _half(raw[:, :2]) * (0.5 + (word >> 28).float()) * 0.25
    return scale[..., None, None] * points[parts[..., :4].long()] * signs[which]


BLOCKS = {
    0: Block("F32", 1, 4, _float32),
    1: Block("F16", 1, 2, _half),
    2: Block("Q4_0", 32, 18, _q4_0),
    3: Block("Q4_1", 32, 20, _q4_1),
    6: Block("Q5_0", 32, 22, _q5_0),
    7: Block("Q5_1", 32, 24, _q5_1),
    8: Block("Q8_0", 32, 34, _q8_0),
    10: Block("Q2_K", 256, 84, _q2_k),
    11: Block("Q3_K", 256, 110, _q3_k),
    12: Block("Q4_K", 256, 144, _q4_k),
    13: Block("Q5_K", 256, 176, _q5_k),
    14: Block("Q6_K", 256, 210, _q6_k),
    16: Block("IQ2_XXS", 256, 66, _iq2_xxs),
    30: Block("BF16", 1, 2, _bfloat16),
}
"""By the number that files have."""
