"""`python -m limbeck_torch.merge BASE ADAPTER FOLDER`: a model folder with an adapter added to its matrices."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from .hf_model import NotServed
from .lora import Adapter, merged, read_adapter


def merge(base: Path, adapter: Path, folder: Path, device: torch.device) -> None:
    """Files of the base as they are, with new weights in the same type and under the same names."""
    for place, name in ((base, "config.json"), (adapter, "adapter_config.json")):
        if not (place / name).is_file():
            raise NotServed(f'"{place}" has no {name}.')
    added = read_adapter(adapter, device)
    left = set(added.parts)
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(base.iterdir()):
        if not file.is_file():
            continue
        if file.suffix != ".safetensors":
            shutil.copyfile(file, folder / file.name)
            continue
        tensors = {}
        with safe_open(file, framework="pt", device=str(device)) as opened:
            for name in opened.keys():
                value = opened.get_tensor(name)
                layer = name.removesuffix(".weight")
                if layer in added.parts:
                    _check(value, added, layer, adapter)
                    left.discard(layer)
                    value = merged(value, added, layer).to(value.dtype)
                tensors[name] = value.cpu().contiguous()
        save_file(tensors, folder / file.name, metadata={"format": "pt"})
    if left:
        raise NotServed(f'"{base}" has no matrix {sorted(left)[0]}, which the adapter changes; it belongs to another model.')


def _check(weight: Tensor, added: Adapter, layer: str, adapter: Path) -> None:
    down, up = added.parts[layer]
    if tuple(weight.shape) != (up.shape[0], down.shape[1]):
        raise NotServed(
            f'"{adapter}" changes a matrix {layer} of {up.shape[0]} by {down.shape[1]}; here it has '
            f"{weight.shape[0]} by {weight.shape[1]}. It belongs to another model."
        )


def main() -> None:
    """Exit code 1, with one line on the standard error, where they do not fit together."""
    parser = argparse.ArgumentParser(prog="limbeck_torch.merge", description="Adds an adapter to a model folder.")
    parser.add_argument("base", type=Path)
    parser.add_argument("adapter", type=Path, help="in PEFT's layout, as a training downloads it")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="cpu", help="where matrices are multiplied. Default: cpu")
    given = parser.parse_args()
    try:
        merge(given.base, given.adapter, given.folder, torch.device(given.device))
    except (NotServed, OSError, json.JSONDecodeError) as error:
        print(f"limbeck_torch.merge: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
