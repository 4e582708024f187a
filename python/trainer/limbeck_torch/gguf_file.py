"""GGUF files: header, metadata and where the tensors lie. What a file says is checked before it is believed.

The layout is ggml's `docs/gguf.md`: magic, version, counts, metadata as typed pairs, then name, sizes, type and offset of
every tensor, then the tensors' bytes from the next multiple of the alignment on. All of it little-endian.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .gguf_blocks import BLOCKS, dequantise
from .hf_model import NotServed

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
_MOST_SIZES = 4


@dataclass(frozen=True)
class Entry:
    """Where one tensor lies; its sizes are in PyTorch's order."""

    shape: tuple[int, ...]
    kind: int
    start: int
    length: int


class GgufFile:
    """A file that is mapped into memory; tensors are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise NotServed(f'"{path}" cannot be read: {error}') from error
        self._at = 0
        try:
            self._read()
        except (struct.error, UnicodeDecodeError) as error:
            raise self._wrong(f"the header breaks off or is not text where it should be ({error})") from error

    def tensor(self, name: str, device: torch.device | None = None) -> Tensor:
        """The values in float32."""
        entry = self.entries[name]
        raw = torch.frombuffer(bytearray(self._bytes[entry.start : entry.start + entry.length]), dtype=torch.uint8)
        return dequantise(raw.to(device or "cpu"), entry.kind).reshape(entry.shape)

    def need(self, key: str) -> Any:
        """A value of the metadata; a file without it is refused."""
        if key not in self.metadata:
            raise self._wrong(f"{key} is missing from the metadata")
        return self.metadata[key]

    def _read(self) -> None:
        magic, version = self._bytes[:4], self._numbers("I", 1, 4)[0]
        if magic != b"GGUF":
            raise self._wrong("it does not begin with GGUF")
        if version not in (2, 3):
            raise self._wrong(f"version {version} is not read here; versions 2 and 3 are")
        tensors, pairs = self._numbers("Q", 2)
        self.metadata: dict[str, Any] = {}
        for _ in range(self._count(pairs, 12)):
            key = self._text()
            self.metadata[key] = self._value(self._numbers("I", 1)[0])
        told = [self._told() for _ in range(self._count(tensors, 24))]
        alignment = int(self.metadata.get("general.alignment", 32))
        if alignment < 1:
            raise self._wrong(f"the alignment is {alignment}")
        data = -(-self._at // alignment) * alignment
        self.entries = {name: self._entry(name, sizes, kind, data + offset) for name, sizes, kind, offset in told}

    def _told(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self._text()
        (dimensions,) = self._numbers("I", 1)
        if dimensions > _MOST_SIZES:
            raise self._wrong(f"tensor {name[:60]} has {dimensions} dimensions")
        sizes = self._numbers("Q", dimensions)
        kind, offset = self._numbers("I", 1)[0], self._numbers("Q", 1)[0]
        # The fastest comes first there, and last here.
        return name, tuple(reversed(sizes)), kind, offset

    def _entry(self, name: str, shape: tuple[int, ...], kind: int, start: int) -> Entry:
        if kind not in BLOCKS:
            known = ", ".join(block.name for block in BLOCKS.values())
            raise self._wrong(f"tensor {name[:60]} has type {kind}, which is not read here; {known} are")
        block = BLOCKS[kind]
        values = prod(shape)
        if shape and shape[-1] % block.values:
            raise self._wrong(f"a row of {name[:60]} has {shape[-1]} values; {block.name} needs a multiple of {block.values}")
        length = values // block.values * block.bytes
        if start + length > len(self._bytes):
            raise self._wrong(f"tensor {name[:60]} ends at byte {start + length}, and the file at {len(self._bytes)}; load it again")
        return Entry(shape, kind, start, length)

    def _value(self, kind: int) -> Any:
        if kind in _NUMBERS:
            return self._numbers(_NUMBERS[kind], 1)[0]
        if kind == _TEXT:
            return self._text()
        if kind != _ARRAY:
            raise self._wrong(f"a value has type {kind}, which is unknown")
        inner, length = self._numbers("I", 1)[0], self._numbers("Q", 1)[0]
        if inner in _NUMBERS:
            return list(self._numbers(_NUMBERS[inner], self._count(length, struct.calcsize(_NUMBERS[inner]))))
        if inner != _TEXT:
            raise self._wrong(f"an array holds type {inner}, which is not read here")
        return [self._text() for _ in range(self._count(length, 8))]

    def _text(self) -> str:
        (length,) = self._numbers("Q", 1)
        length = self._count(length, 1)
        self._at += length
        return self._bytes[self._at - length : self._at].decode()

    def _numbers(self, letter: str, count: int, at: int | None = None) -> tuple[Any, ...]:
        place = self._at if at is None else at
        values = struct.unpack_from(f"<{count}{letter}", self._bytes, place)
        self._at = place + struct.calcsize(f"<{count}{letter}")
        return values

    def _count(self, count: int, least: int) -> int:
        """So many things of at least so many bytes must still fit into the file."""
        if count * least > len(self._bytes) - self._at:
            raise self._wrong(f"it promises {count} things at byte {self._at}, which do not fit into {len(self._bytes)} bytes")
        return int(count)

    def _wrong(self, why: str) -> NotServed:
        return NotServed(f'"{self.path}" is not a GGUF file that can be read: {why}.')
