"""Arrays of the `limbeck` extension: base64 of little-endian 32-bit numbers, a third of the size of JSON lists."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

from .fields import Fields

Array = np.ndarray[Any, Any]


def unpack(fields: Fields, name: str, kind: type[np.int32] | type[np.float32]) -> Array:
    """The array in a field; empty, with a fault noted, where it is none."""
    value = fields.raw(name)
    if isinstance(value, str):
        try:
            return np.frombuffer(base64.b64decode(value, validate=True), dtype=np.dtype(kind).newbyteorder("<")).astype(kind)
        except (binascii.Error, ValueError):
            pass
    fields.fault(name, "It must be base64 of little-endian 32-bit numbers.")
    return np.zeros(0, dtype=kind)


def pack(values: Array) -> str:
    """The array as text."""
    return base64.b64encode(np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)).decode()
