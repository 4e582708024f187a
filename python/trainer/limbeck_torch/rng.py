"""Limbeck's generator (sfc32, 128 bits of state), so that a conversation draws the same numbers here as there."""

from __future__ import annotations

import hashlib
import struct
from typing import Sequence

_MASK = 0xFFFFFFFF
_WARM_UP_ROUNDS = 12


class Rng:
    """Uniform numbers from a saved state. The words are kept unsigned."""

    __slots__ = ("_a", "_b", "_c", "_counter")

    def __init__(self, state: Sequence[int]) -> None:
        self._a, self._b, self._c, self._counter = (word & _MASK for word in state)

    def uniform(self) -> float:
        """The next number in [0, 1), with 32 random bits."""
        a, b, c = self._a, self._b, self._c
        total = (a + b + self._counter) & _MASK
        self._counter = (self._counter + 1) & _MASK
        self._a = b ^ (b >> 9)
        self._b = (c + (c << 3)) & _MASK
        self._c = (((c << 21) | (c >> 11)) + total) & _MASK
        return total / 4_294_967_296


def seeded(seed: int | str) -> Rng:
    """What `createRng(seed)` of Limbeck is: the key is a hash, and the first rounds are thrown away."""
    kind = "string" if isinstance(seed, str) else "number"
    digest = hashlib.sha256(struct.pack("<4i", 0, 0, 0, 0) + f"{kind}:{seed}".encode()).digest()
    rng = Rng(struct.unpack("<4I", digest[:16]))
    for _ in range(_WARM_UP_ROUNDS):
        rng.uniform()
    return rng
