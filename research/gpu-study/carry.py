"""Checkpoints of the study in fewer bytes, for machines that little can be brought back from.

    python carry.py pack FOLDER FILE      the newest checkpoint below FOLDER; moments of Adam in bfloat16, parameters as they are
    python carry.py unpack FILE FOLDER    the same checkpoint again, at the same place below FOLDER
    python carry.py adapter FOLDER FOLDER an adapter in bfloat16
"""

import json
import shutil
import sys
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file


def pack(source: Path, target: Path) -> None:
    newest = max(source.rglob("training.safetensors"), key=lambda file: file.stat().st_mtime)
    with safe_open(newest, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        steps = (file.metadata() or {})["steps"]
    half = {name: value if name.startswith("parameters.") else value.bfloat16() for name, value in tensors.items()}
    told = {"steps": steps, "place": str(newest.parent.relative_to(source)), "info": (newest.parent / "limbeck.json").read_text()}
    save_file(half, target, metadata=told)


def unpack(source: Path, target: Path) -> None:
    with safe_open(source, framework="pt") as file:
        told = file.metadata() or {}
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    folder = target / told["place"]
    folder.mkdir(parents=True)
    (folder / "limbeck.json").write_text(told["info"])
    save_file(tensors, folder / "training.safetensors", metadata={"steps": told["steps"]})


def adapter(source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    json.loads((source / "adapter_config.json").read_text())
    shutil.copy(source / "adapter_config.json", target)
    tensors = load_file(source / "adapter_model.safetensors")
    save_file({name: value.to(torch.bfloat16) for name, value in tensors.items()}, target / "adapter_model.safetensors")


{"pack": pack, "unpack": unpack, "adapter": adapter}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
