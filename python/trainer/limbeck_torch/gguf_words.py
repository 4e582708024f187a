"""The tokenizer of a GGUF file as `tokenizer.json`: SentencePiece's byte-pair form, where bytes stand for what has no token."""

from __future__ import annotations

from typing import Any

from .gguf_file import GgufFile
from .hf_model import NotServed

_UNKNOWN, _CONTROL, _USER = 2, 3, 4
_SPACE = "\u2581"


def tokenizer_files(file: GgufFile) -> dict[str, Any]:
    """`tokenizer.json` and `tokenizer_config.json`, by name, and the chat template where the file has one.

    A space is put in front of a text where the file says so, which is its default; whoever reads a conversation part by
    part has to leave it out inside."""
    kind = file.need("tokenizer.ggml.model")
    if kind != "llama":
        raise NotServed(f'"{file.path}" has a tokenizer of kind {kind}; only "llama" (SentencePiece) is read here. Take tokenizer.json from the model\'s own folder.')
    tokens: list[str] = file.need("tokenizer.ggml.tokens")
    kinds: list[int] = file.need("tokenizer.ggml.token_type")
    scores: list[float] = file.need("tokenizer.ggml.scores")
    if not len(tokens) == len(kinds) == len(scores):
        raise NotServed(f'"{file.path}" has {len(tokens)} tokens, {len(scores)} scores and {len(kinds)} kinds of tokens.')
    named = {
        role: tokens[file.metadata[f"tokenizer.ggml.{key}_token_id"]]
        for role, key in (("bos_token", "bos"), ("eos_token", "eos"), ("unk_token", "unknown"))
        if f"tokenizer.ggml.{key}_token_id" in file.metadata
    }
    special = [place for place, kind in enumerate(kinds) if kind in (_UNKNOWN, _CONTROL, _USER)]
    before = [{"type": "Prepend", "prepend": _SPACE}] if file.metadata.get("tokenizer.ggml.add_space_prefix", True) else []
    words = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(place, tokens[place], kinds[place] != _USER) for place in special],
        "normalizer": {"type": "Sequence", "normalizers": [*before, {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}]},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                *([{"type": "Strip", "content": " ", "start": 1, "stop": 0}] if before else []),
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": named.get("unk_token"),
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {token: place for place, token in enumerate(tokens)},
            "merges": merges_of(tokens, scores),
        },
    }
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **named}
    files: dict[str, Any] = {"tokenizer.json": words, "tokenizer_config.json": config}
    template = file.metadata.get("tokenizer.chat_template")
    if template is not None:
        files["chat_template.jinja"] = template
    return files


def merges_of(tokens: list[str], scores: list[float]) -> list[list[str]]:
    """Every way to put a token together from two others, the best token first: what SentencePiece decides while it reads."""
    places = {token: place for place, token in enumerate(tokens)}
    found = []
    for place, token in enumerate(tokens):
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in places and right in places:
                found.append((-scores[place], place, places[left], places[right], [left, right]))
    return [pair for *_, pair in sorted(found)]


def _added(place: int, content: str, special: bool) -> dict[str, Any]:
    return {
        "id": place,
        "content": content,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": special,
    }
