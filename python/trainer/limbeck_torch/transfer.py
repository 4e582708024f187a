"""Arrays to the device and back without making it wait.

A plain copy from ordinary memory waits for everything that the device has yet to do, and the device then waits for the next
thing that is asked of it. From pinned memory a copy is one more thing in the queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
import torch
from torch import Tensor

from .packed import Array


def to_device(values: Array | Sequence[Any], device: torch.device, kind: type[np.generic] | None = None) -> Tensor:
    """The array there, once the device comes to it."""
    tensor = torch.from_numpy(np.ascontiguousarray(values, dtype=kind))
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


@dataclass
class Fetched:
    """Tensors on their way home."""

    _host: list[Tensor]
    _event: torch.cuda.Event | None

    def arrays(self) -> list[Array]:
        """Waits until they are here."""
        if self._event is not None:
            self._event.synchronize()
        return [tensor.numpy() for tensor in self._host]


def fetch(tensors: Sequence[Tensor]) -> Fetched:
    """Starts to bring them; what is asked of the device afterwards does not hold them up."""
    if not any(tensor.is_cuda for tensor in tensors):
        return Fetched([tensor.detach().cpu() for tensor in tensors], None)
    host = []
    for tensor in tensors:
        place = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        host.append(place.copy_(tensor.detach(), non_blocking=True))
    event = torch.cuda.Event()
    event.record()
    return Fetched(host, event)
