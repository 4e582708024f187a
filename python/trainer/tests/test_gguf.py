"""GGUF files: values equal to the package `gguf`, where it is installed, and to numbers worked out by hand."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from limbeck_torch.gguf import as_folder, convert
from limbeck_torch.gguf_blocks import BLOCKS, dequantise
from limbeck_torch.gguf_file import GgufFile
from limbeck_torch.gguf_words import merges_of
from limbeck_torch.hf_model import NotServed

_TEXT, _ARRAY = 8, 9


def _half(value: float) -> bytes:
    return struct.pack("<e", value)


def test_blocks_by_hand() -> None:
    ones = bytes([0x10] * 16)
    # Low halves 0, high halves 1; 2 x (0 - 8) and 2 x (1 - 8).
    q4 = dequantise(torch.frombuffer(bytearray(_half(2) + ones), dtype=torch.uint8), 2)
    assert q4.tolist() == [-16.0] * 16 + [-14.0] * 16
    q8 = dequantise(torch.frombuffer(bytearray(_half(0.5) + bytes([255]) * 32), dtype=torch.uint8), 8)
    assert q8.tolist() == [-0.5] * 32
    # Point 1 is (43, 8, 8, 8, 8, 8, 8, 8); signs 1 turn the first and, to be even, the last. 4 x (0.5 + 1) x 0.25 = 1.5.
    part = bytes([1, 0, 0, 0]) + struct.pack("<I", 1 | (1 << 28))
    block = _half(4) + part + bytes(56)
    assert len(block) == 66
    values = dequantise(torch.frombuffer(bytearray(block), dtype=torch.uint8), 16)
    assert values[:8].tolist() == [-64.5, 12, 12, 12, 12, 12, 12, -12]
    assert values[8:32].tolist() == [12.0] * 24


@pytest.mark.parametrize("kind", sorted(BLOCKS))
def test_values_are_those_of_the_package_gguf(kind: int) -> None:
    gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
    block = BLOCKS[kind]
    raw = torch.randint(0, 256, (64, block.bytes), dtype=torch.uint8, generator=torch.Generator().manual_seed(kind))
    theirs = gguf.dequantize(raw.numpy(), gguf.GGMLQuantizationType(kind))
    ours = dequantise(raw.reshape(-1), kind)
    assert gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[block.name]] == (block.values, block.bytes)
    assert torch.equal(ours.view(torch.int32), torch.from_numpy(theirs.copy()).reshape(-1).view(torch.int32)) or _same(ours, theirs)


def _same(ours: torch.Tensor, theirs: Any) -> bool:
    """Random bytes make numbers that are none; those need not have the same bits."""
    other = torch.from_numpy(theirs.copy()).reshape(-1)
    return bool(torch.equal(ours.isnan(), other.isnan()) and torch.equal(ours[~ours.isnan()], other[~other.isnan()]))


def test_a_real_file_tensor_by_tensor() -> None:
    path = os.environ.get("LIMBECK_GGUF")
    if path is None:
        pytest.skip("LIMBECK_GGUF names no file")
    gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
    file = GgufFile(Path(path))
    tensors = gguf.GGUFReader(path).tensors
    assert [tensor.name for tensor in tensors] == list(file.entries)
    for tensor in tensors:
        theirs = torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type).copy()).reshape(-1)
        assert torch.equal(file.tensor(tensor.name).reshape(-1).view(torch.int32), theirs.view(torch.int32)), tensor.name


def test_merges_come_best_first() -> None:
    tokens = ["a", "b", "c", "ab", "bc", "abc"]
    scores = [0.0, 0.0, 0.0, -2.0, -1.0, -3.0]
    assert merges_of(tokens, scores) == [["b", "c"], ["a", "b"], ["a", "bc"], ["ab", "c"]]


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _pair(key: str, value: Any) -> bytes:
    if isinstance(value, str):
        return _text(key) + struct.pack("<I", _TEXT) + _text(value)
    if isinstance(value, list):
        inner = {str: _TEXT, float: 6, int: 5}[type(value[0])]
        parts = [_text(part) if inner == _TEXT else struct.pack("<f" if inner == 6 else "<i", part) for part in value]
        return _text(key) + struct.pack("<IIQ", _ARRAY, inner, len(value)) + b"".join(parts)
    return _text(key) + (struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value))


def _write(path: Path, metadata: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_pair(key, value) for key, value in metadata.items())
    data = b""
    for name, value in tensors.items():
        sizes = list(reversed(value.shape))
        head += _text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, 0, len(data))
        data += value.float().numpy().tobytes()
        data += bytes(-len(data) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + data)


TOKENS = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "a", "b", "\u2581a", "ab", "\u2581ab"]
KINDS = [2, 3, 3, *[6] * 256, *[1] * 6]
SCORES = [0.0] * 259 + [-9.0, -8.0, -7.0, -1.0, -2.0, -3.0]


def _tiny(path: Path) -> LlamaForCausalLM:
    """A tiny Llama as a GGUF file, with the rows of q and k in the order that such files have."""
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(TOKENS),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    model = LlamaForCausalLM(config)
    for value in model.parameters():
        value.data = value.data.bfloat16().float()
    own = {name: value.detach() for name, value in model.named_parameters()}

    def paired(weight: torch.Tensor, heads: int) -> torch.Tensor:
        rows, columns = weight.shape
        return weight.reshape(heads, 2, rows // heads // 2, columns).transpose(1, 2).reshape(rows, columns).contiguous()

    tensors = {
        "token_embd.weight": own["model.embed_tokens.weight"],
        "output.weight": own["lm_head.weight"],
        "output_norm.weight": own["model.norm.weight"],
    }
    for layer in range(2):
        stem = f"model.layers.{layer}."
        tensors |= {
            f"blk.{layer}.attn_norm.weight": own[f"{stem}input_layernorm.weight"],
            f"blk.{layer}.ffn_norm.weight": own[f"{stem}post_attention_layernorm.weight"],
            f"blk.{layer}.attn_q.weight": paired(own[f"{stem}self_attn.q_proj.weight"], 4),
            f"blk.{layer}.attn_k.weight": paired(own[f"{stem}self_attn.k_proj.weight"], 2),
            f"blk.{layer}.attn_v.weight": own[f"{stem}self_attn.v_proj.weight"],
            f"blk.{layer}.attn_output.weight": own[f"{stem}self_attn.o_proj.weight"],
            f"blk.{layer}.ffn_gate.weight": own[f"{stem}mlp.gate_proj.weight"],
            f"blk.{layer}.ffn_up.weight": own[f"{stem}mlp.up_proj.weight"],
            f"blk.{layer}.ffn_down.weight": own[f"{stem}mlp.down_proj.weight"],
        }
    _write(path, _metadata(), tensors)
    return model


def _metadata() -> dict[str, Any]:
    return {
        "general.architecture": "llama",
        "llama.context_length": 64,
        "llama.embedding_length": 32,
        "llama.block_count": 2,
        "llama.feed_forward_length": 48,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-6,
        "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.scores": SCORES,
        "tokenizer.ggml.token_type": KINDS,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.chat_template": "{{ messages[0].content }}",
    }


@pytest.mark.parametrize("shard_bytes", [2**31, 4_096])
def test_a_file_becomes_a_folder_that_computes_the_same(tmp_path: Path, shard_bytes: int) -> None:
    model = _tiny(tmp_path / "tiny.gguf")
    convert(tmp_path / "tiny.gguf", tmp_path / "tiny", shard_bytes=shard_bytes)
    opened = LlamaForCausalLM.from_pretrained(tmp_path / "tiny", dtype=torch.float32)
    for name, value in model.named_parameters():
        assert torch.equal(dict(opened.named_parameters())[name], value), name
    ids = torch.arange(20)[None]
    assert torch.equal(model(ids).logits, opened(ids).logits)
    assert len(list((tmp_path / "tiny").glob("*.safetensors"))) > (1 if shard_bytes == 4_096 else 0)


def test_its_tokenizer_reads_as_sentencepiece_does(tmp_path: Path) -> None:
    _tiny(tmp_path / "tiny.gguf")
    convert(tmp_path / "tiny.gguf", tmp_path / "tiny")
    words = Tokenizer.from_file(str(tmp_path / "tiny" / "tokenizer.json"))
    # " a" is the best token, "ab" the next; both ways " ab" is one token in the end.
    assert words.encode("ab ab").tokens == ["\u2581ab", "\u2581ab"]
    assert words.encode("b\n</s>\u00e9").tokens == ["\u2581", "b", "<0x0A>", "</s>", "\u2581", "<0xC3>", "<0xA9>"]
    assert words.decode(words.encode("ab \u00e9\na").ids) == "ab \u00e9\na"
    config = json.loads((tmp_path / "tiny" / "tokenizer_config.json").read_text())
    assert (config["bos_token"], config["eos_token"], config["unk_token"]) == ("<s>", "</s>", "<unk>")
    assert (tmp_path / "tiny" / "chat_template.jinja").read_text() == "{{ messages[0].content }}"


def test_a_file_is_served_as_a_folder_that_is_made_once(tmp_path: Path) -> None:
    _tiny(tmp_path / "tiny.gguf")
    folder = as_folder(tmp_path / "tiny.gguf", tmp_path / "checkpoints")
    assert (folder / "config.json").is_file() and folder.parent == tmp_path / "checkpoints" / "base"
    (folder / "kept").touch()
    assert as_folder(tmp_path / "tiny.gguf", tmp_path / "checkpoints") == folder
    assert sorted(path.name for path in folder.parent.iterdir()) == [folder.name]
    assert (folder / "kept").exists()
    assert as_folder(folder, tmp_path) == folder
    with pytest.raises(NotServed, match="cannot be read"):
        as_folder(tmp_path / "none.gguf", tmp_path)


def test_broken_files_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    _tiny(path)
    whole = path.read_bytes()

    def refused(data: bytes, why: str) -> None:
        path.write_bytes(data)
        with pytest.raises(NotServed, match=why):
            convert(path, tmp_path / "out")

    refused(b"GGML" + whole[4:], "does not begin with GGUF")
    refused(whole[:4] + struct.pack("<I", 9) + whole[8:], "version 9")
    refused(whole[:-64], "load it again")
    refused(whole[:40], "breaks off|do not fit")
    refused(whole[:8] + struct.pack("<Q", 2**60) + whole[16:], "do not fit")
    _write(path, {**_metadata(), "general.architecture": "gpt2"}, {})
    refused(path.read_bytes(), "form gpt2")
    _write(path, {**_metadata(), "tokenizer.ggml.model": "gpt2"}, {"token_embd.weight": torch.zeros(2, 2)})
    refused(path.read_bytes(), "tokenizer of kind gpt2")
    _write(path, {}, {})
    refused(path.read_bytes(), "general.architecture is missing")
    # Any cut is an answer, never a crash.
    for end in range(0, len(whole), max(1, len(whole) // 200)):
        path.write_bytes(whole[:end])
        with pytest.raises(NotServed):
            convert(path, tmp_path / "out")
