"""Low-rank adapters on a base model that several models share: W x becomes W x + (alpha / rank) B A x.

Paper: LoRA, arXiv 2106.09685, section 4.1. A starts uniform within 1 / sqrt(in), as PEFT does it, and B at zero. Files are
in PEFT's layout, so that PEFT and the servers that follow it load them.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from .hf_model import Model, linear_layers

ALPHA = 32
"""SkyRL's, and so what clients expect."""

_PREFIX = "base_model.model."


class Adapter:
    """The matrices of one adapter, in float32, by the name of the layer that they change."""

    def __init__(self, rank: int, parts: dict[str, tuple[Tensor, Tensor]]) -> None:
        self.rank = rank
        self.scale = ALPHA / rank
        self.parts = parts

    def parameters(self) -> dict[str, Tensor]:
        """Every matrix by its name in PEFT's files, without their prefix."""
        named = {}
        for name, (down, up) in self.parts.items():
            named[f"{name}.lora_A.weight"] = down
            named[f"{name}.lora_B.weight"] = up
        return named

    def copy(self) -> "Adapter":
        """A frozen copy."""
        parts = {name: (down.detach().clone(), up.detach().clone()) for name, (down, up) in self.parts.items()}
        return Adapter(self.rank, parts)

    def save(self, folder: Path, base_name: str) -> None:
        """Writes `adapter_config.json` and `adapter_model.safetensors`."""
        config = {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": base_name,
            "r": self.rank,
            "lora_alpha": ALPHA,
            "target_modules": sorted({name.rsplit(".", 1)[-1] for name in self.parts}),
            "lora_dropout": 0,
            "bias": "none",
            "fan_in_fan_out": False,
            "use_rslora": False,
            "use_dora": False,
            "modules_to_save": None,
            "inference_mode": True,
        }
        (folder / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n")
        tensors = {_PREFIX + name: value.detach().cpu().contiguous() for name, value in self.parameters().items()}
        save_file(tensors, folder / "adapter_model.safetensors")


def fresh_adapter(model: Model, rank: int, seed: int) -> Adapter:
    """An adapter that changes nothing yet."""
    generator = torch.Generator().manual_seed(seed & 0x7FFFFFFFFFFFFFFF)
    parts = {}
    for name, layer in linear_layers(model):
        bound = layer.in_features**-0.5
        down = (torch.rand((rank, layer.in_features), generator=generator) * 2 - 1) * bound
        device = layer.weight.device
        parts[name] = (
            down.to(device).requires_grad_(True),
            torch.zeros((layer.out_features, rank), device=device, requires_grad=True),
        )
    return Adapter(rank, parts)


def read_adapter(folder: Path, device: torch.device) -> Adapter:
    """An adapter that `save` wrote."""
    rank = int(json.loads((folder / "adapter_config.json").read_text())["r"])
    tensors = load_file(folder / "adapter_model.safetensors", device=str(device))
    parts = {}
    for name in tensors:
        if name.endswith(".lora_A.weight"):
            stem = name[len(_PREFIX) : -len(".lora_A.weight")]
            parts[stem] = (tensors[name], tensors[name.replace("lora_A", "lora_B")])
    return Adapter(rank, parts)


class AdapterSwitch:
    """Hooks on the base model's layers that add whichever adapter is on. With none the base model is itself."""

    def __init__(self, model: Model) -> None:
        self._active: Adapter | None = None
        for name, layer in linear_layers(model):
            layer.register_forward_hook(self._hook(name))

    @contextmanager
    def using(self, adapter: Adapter | None) -> Iterator[None]:
        """The adapter is on inside, and for what is computed again on the way back."""
        before, self._active = self._active, adapter
        try:
            yield
        finally:
            self._active = before

    def _hook(self, name: str) -> Any:
        def add(_: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
            if self._active is None:
                return output
            down, up = self._active.parts[name]
            (x,) = inputs
            low = nn.functional.linear(x, down.to(x.dtype))
            return output + nn.functional.linear(low, up.to(x.dtype)) * self._active.scale

        return add


def merged(weight: Tensor, adapter: Adapter, name: str) -> Tensor:
    """The layer's matrix with the adapter's part added, in float32."""
    down, up = adapter.parts[name]
    return weight.float() + adapter.scale * (up.float() @ down.float())
