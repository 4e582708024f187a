"""Versions of weights to sample from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

from .errors import WorkFailed
from .hf_model import Model
from .lora import Adapter, merged, read_adapter


@dataclass(frozen=True)
class Weights:
    """What differs from the base model: an adapter, every parameter, or nothing."""

    adapter: Adapter | None = None
    full: dict[str, Tensor] | None = None

    def copy(self) -> "Weights":
        """A copy that later steps do not change."""
        if self.adapter is not None:
            return Weights(adapter=self.adapter.copy())
        return Weights(full={name: value.detach().clone() for name, value in (self.full or {}).items()})


class Source:
    """Weights that can be put into the model that samples."""

    def weights(self) -> Weights:
        """The weights; a version that is gone is refused."""
        raise NotImplementedError


class Base(Source):
    """The base model itself."""

    def weights(self) -> Weights:
        return Weights()


class Snapshot(Source):
    """A model's weights at one moment. They are the live ones until `keep` copies them."""

    def __init__(self, live: Weights) -> None:
        self._weights: Weights | None = live
        self._kept = False
        self._gone = ""

    def keep(self) -> None:
        """Called before the live weights change."""
        if not self._kept and self._weights is not None:
            self._weights = self._weights.copy()
            self._kept = True

    def forget(self, reason: str) -> None:
        """Frees the copy."""
        self._weights = None
        self._gone = reason

    def weights(self) -> Weights:
        if self._weights is None:
            raise WorkFailed(self._gone)
        return self._weights


class Saved(Source):
    """Weights in files."""

    def __init__(self, folder: Path, rank: int, device: torch.device) -> None:
        self.folder = folder
        self._rank = rank
        self._device = device

    def weights(self) -> Weights:
        if self._rank > 0:
            return Weights(adapter=read_adapter(self.folder, self._device))
        with safe_open(self.folder / "model.safetensors", framework="pt") as file:
            return Weights(full={name: file.get_tensor(name) for name in file.keys()})


def put_into(model: Model, base: Model, weights: Weights) -> None:
    """Overwrites the parameters of the sampling model in place: graphs that were captured stay valid."""
    own = dict(model.named_parameters())
    with torch.no_grad():
        if weights.full is not None:
            for name, value in weights.full.items():
                own[name].copy_(value)
            return
        source = dict(base.named_parameters())
        for name, value in source.items():
            layer = name.removesuffix(".weight")
            if weights.adapter is not None and layer in weights.adapter.parts and layer != name:
                own[name].copy_(merged(value, weights.adapter, layer))
            else:
                own[name].copy_(value)
