"""Models in Hugging Face folders: opening them, what they look like, and one forward pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MethodType
from typing import Any, Iterator

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM

Model = Any
"""A transformers causal language model; its classes are made at run time."""


class NotServed(Exception):
    """The folder cannot be served; the message says why and what to do."""


@dataclass(frozen=True)
class Shape:
    """The sizes that sampling needs."""

    vocabulary: int
    context: int
    layers: int
    heads: int
    key_value_heads: int
    head_size: int
    hidden: int
    intermediate: int


def open_model(folder: Path, device: torch.device, dtype: torch.dtype) -> Model:
    """The model of a folder, frozen. Nothing in the folder is run: weights are safetensors, code is the library's."""
    if not (folder / "config.json").is_file():
        raise NotServed(f'"{folder}" has no config.json; give a Hugging Face folder. A GGUF file becomes one with: python -m limbeck_torch.gguf FILE FOLDER')
    config = AutoConfig.from_pretrained(folder)
    for name in ("attention_dropout", "resid_pdrop", "embd_pdrop", "hidden_dropout"):
        if getattr(config, name, 0):
            setattr(config, name, 0.0)
    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, config=config, dtype=dtype, attn_implementation="sdpa", use_safetensors=True, local_files_only=True
        )
    except (OSError, ValueError) as error:
        raise NotServed(f'"{folder}" cannot be opened: {error}') from error
    model = model.to(device).eval().requires_grad_(False)
    _fuse_norms(model)
    return model


def shape_of(model: Model, context: int | None = None) -> Shape:
    """The sizes of a model; one whose attention or head is computed in a way that is not known here is refused."""
    config = model.config
    odd = [
        name
        for name in ("final_logit_softcapping", "attn_logit_softcapping", "logit_scale", "logits_scaling")
        if getattr(config, name, None) not in (None, 1, 1.0)
    ]
    longest = int(config.max_position_embeddings)
    window = getattr(config, "sliding_window", None) if getattr(config, "use_sliding_window", True) else None
    if window is not None and window < longest:
        if context is None or context > window:
            odd.append(f"sliding_window {window}, unless --context is at most that")
    if odd:
        raise NotServed(f"The model ({config.model_type}) has {', '.join(odd)}, which is not computed here.")
    heads = int(config.num_attention_heads)
    return Shape(
        vocabulary=int(config.vocab_size),
        context=min(longest, context or longest),
        layers=int(config.num_hidden_layers),
        heads=heads,
        key_value_heads=int(getattr(config, "num_key_value_heads", None) or heads),
        head_size=int(getattr(config, "head_dim", None) or config.hidden_size // heads),
        hidden=int(config.hidden_size),
        intermediate=int(getattr(config, "intermediate_size", 4 * config.hidden_size)),
    )


def _fuse_norms(model: Model) -> None:
    """PyTorch's own RMS norm is one kernel where the library's is six. One that computes anything else stays as it is."""
    for module in model.modules():
        epsilon = getattr(module, "variance_epsilon", None)
        weight = getattr(module, "weight", None)
        if not isinstance(epsilon, float) or weight is None or len(list(module.parameters())) != 1:
            continue
        with torch.no_grad():
            sample = torch.linspace(-2, 3, weight.numel(), device=weight.device, dtype=weight.dtype)[None]
            if torch.allclose(module(sample).float(), _rms_norm(module, sample).float(), rtol=2e-2, atol=2e-2):
                module.forward = MethodType(_rms_norm, module)


def _rms_norm(module: Any, hidden_states: Tensor) -> Tensor:
    return nn.functional.rms_norm(hidden_states, module.weight.shape, module.weight, module.variance_epsilon)


def hidden_of(model: Model, ids: Tensor, **more: Any) -> Tensor:
    """The last hidden states of a batch that is padded on the right: causal attention never looks at the padding."""
    return model.get_decoder()(input_ids=ids, use_cache=False, return_dict=False, **more)[0]


def head_of(model: Model) -> nn.Linear:
    """The matrix from hidden states to logits."""
    return model.get_output_embeddings()


def linear_layers(model: Model) -> Iterator[tuple[str, nn.Linear]]:
    """Every matrix of attention and feed-forward, which is what adapters change."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear) and ".layers." in name:
            yield name, module
