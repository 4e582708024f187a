"""`python -m limbeck_torch.gguf FILE FOLDER`: a GGUF file as a Hugging Face folder, with its tokenizer and chat template."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Iterator

import torch
from safetensors.torch import save_file
from torch import Tensor

from .gguf_file import GgufFile
from .gguf_words import tokenizer_files
from .hf_model import NotServed

_SHARD_BYTES = 2 * 1024**3
_WHOLE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_LAYER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def convert(source: Path, folder: Path, device: torch.device | None = None, shard_bytes: int = _SHARD_BYTES) -> None:
    """Writes bfloat16 safetensors and everything beside them. Models of the Llama form only."""
    file = GgufFile(source)
    form = file.need("general.architecture")
    if form != "llama":
        raise NotServed(f'"{source}" is a model of the form {form}; only "llama" is converted here. Take its Hugging Face folder.')
    config = config_of(file)
    words = tokenizer_files(file)
    folder.mkdir(parents=True, exist_ok=True)
    _save(folder, weights_of(file, config, device), shard_bytes)
    for name, content in {"config.json": config, **words}.items():
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=None) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def as_folder(model: Path, checkpoints: Path) -> Path:
    """The folder of a model; a GGUF file becomes one beside the checkpoints, once, and appears there whole."""
    if model.suffix.lower() != ".gguf":
        return model
    try:
        about = model.stat()
    except OSError as error:
        raise NotServed(f'"{model}" cannot be read: {error}') from error
    folder = checkpoints / "base" / f"{model.stem}-{about.st_size}-{int(about.st_mtime)}"
    if not folder.is_dir():
        writing = folder.with_name(f".writing-{os.getpid()}-{folder.name}")
        convert(model, writing)
        writing.rename(folder)
    return folder


def config_of(file: GgufFile) -> dict[str, Any]:
    """What `config.json` says of the model."""

    def size(key: str) -> int:
        return int(file.need(f"llama.{key}"))

    heads = size("attention.head_count")
    embedded = file.entries.get("token_embd.weight")
    if embedded is None:
        raise NotServed(f'"{file.path}" has no tensor token_embd.weight.')
    scaled = [name for name in file.entries if name.startswith("rope_")]
    if scaled or file.metadata.get("llama.rope.scaling.type", "none") != "none":
        raise NotServed(f'"{file.path}" scales its rotary positions, which is not converted here. Take its Hugging Face folder.')
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": embedded.shape[0],
        "hidden_size": size("embedding_length"),
        "intermediate_size": size("feed_forward_length"),
        "num_hidden_layers": size("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": int(file.metadata.get("llama.attention.head_count_kv", heads)),
        "head_dim": int(file.metadata.get("llama.attention.key_length", size("embedding_length") // heads)),
        "max_position_embeddings": size("context_length"),
        "rms_norm_eps": round(float(file.need("llama.attention.layer_norm_rms_epsilon")), 12),
        "rope_theta": float(file.metadata.get("llama.rope.freq_base", 10_000.0)),
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": "output.weight" not in file.entries,
        "bos_token_id": file.metadata.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": file.metadata.get("tokenizer.ggml.eos_token_id"),
        "torch_dtype": "bfloat16",
    }


def weights_of(file: GgufFile, config: dict[str, Any], device: torch.device | None) -> Iterator[tuple[str, Tensor]]:
    """Every tensor under its name in Hugging Face's files."""
    for name in file.entries:
        first, _, last = name.rpartition(".")
        layer = first.split(".")
        if last == "weight" and first in _WHOLE:
            target = _WHOLE[first]
        elif last == "weight" and len(layer) == 3 and layer[0] == "blk" and layer[2] in _LAYER:
            target = f"model.layers.{int(layer[1])}.{_LAYER[layer[2]]}"
        else:
            raise NotServed(f'"{file.path}" has a tensor {name[:60]}, which no model of the Llama form has here.')
        value = file.tensor(name, device)
        if target.endswith(("q_proj", "k_proj")):
            value = unpermuted(value, config["num_attention_heads" if target.endswith("q_proj") else "num_key_value_heads"])
        yield f"{target}.weight", value.to(torch.bfloat16).cpu().contiguous()


def unpermuted(weight: Tensor, heads: int) -> Tensor:
    """GGUF keeps the two halves that rotary positions turn together side by side; Hugging Face one after the other."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns)


def _save(folder: Path, weights: Iterator[tuple[str, Tensor]], shard_bytes: int) -> None:
    shards: list[dict[str, Tensor]] = [{}]
    filled = 0
    for name, value in weights:
        if shards[-1] and filled + value.nbytes > shard_bytes:
            shards.append({})
            filled = 0
        shards[-1][name] = value
        filled += value.nbytes
    if len(shards) == 1:
        save_file(shards[0], folder / "model.safetensors", metadata={"format": "pt"})
        return
    names = [f"model-{at + 1:05}-of-{len(shards):05}.safetensors" for at in range(len(shards))]
    for name, shard in zip(names, shards):
        save_file(shard, folder / name, metadata={"format": "pt"})
    index = {
        "metadata": {"total_size": sum(value.nbytes for shard in shards for value in shard.values())},
        "weight_map": {tensor: name for name, shard in zip(names, shards) for tensor in shard},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index) + "\n")


def main() -> None:
    """Exit code 1, with one line on the standard error, where the file cannot be converted."""
    parser = argparse.ArgumentParser(prog="limbeck_torch.gguf", description="Writes a GGUF file as a Hugging Face folder.")
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", help="where values are computed. Default: cpu")
    given = parser.parse_args()
    try:
        convert(given.file, given.folder, torch.device(given.device or "cpu"))
    except NotServed as error:
        print(f"limbeck_torch.gguf: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
