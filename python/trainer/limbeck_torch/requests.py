"""What clients send, read and checked. Unknown fields are left out, as other servers do it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .fields import Faults, Fields, check_ids, is_id_lists, is_ids, is_numbers, tokens_of
from .packed import Array, unpack

CLIP_KEYS = ("clip_low_threshold", "clip_high_threshold")
LOSS_KEYS: dict[str, tuple[str, ...]] = {
    "cross_entropy": (),
    "importance_sampling": (),
    "ppo": CLIP_KEYS,
    "cispo": CLIP_KEYS,
}
"""The losses that are served, and the settings that each one takes."""

MOST_CANDIDATES = 512
_INPUTS = ("target_tokens", "weights", "logprobs", "advantages")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,255}")


@dataclass(frozen=True)
class Candidates:
    """Words beside the target, at some places; `slopes` is what the client wants of their log-probabilities."""

    places: Array
    ids: Array
    slopes: Array | None


@dataclass(frozen=True)
class Datum:
    """One row: the input, a target for each of its tokens, and what a loss needs of each."""

    tokens: Array
    targets: Array
    weights: Array | None
    behaviour: Array | None
    advantages: Array | None
    candidates: Candidates | None


@dataclass(frozen=True)
class Pass:
    """A batch for `forward` or `forward_backward`."""

    data: list[Datum]
    loss: str
    low: float
    high: float
    packed: bool = False
    """Whether the answer's arrays are packed."""


@dataclass(frozen=True)
class AdamParams:
    """The settings of one step."""

    learning_rate: float
    beta1: float
    beta2: float
    eps: float
    weight_decay: float
    grad_clip_norm: float


@dataclass(frozen=True)
class SampleBody:
    """A request for samples, for prompt log-probabilities, or both."""

    prompt: list[int]
    samples: int
    max_tokens: int | None
    seed: int | None
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    stop: list[list[int]]
    stop_texts: bool
    allowed: list[list[int]] | None
    rng: Sequence[int] | None
    session: str | None
    base_model: str | None
    path: str | None
    prompt_logprobs: bool
    top_prompt: int
    extended: bool
    top: Candidates | None
    top_count: int
    given: Candidates | None
    packed: bool = False
    """Whether the prompt came packed; its log-probabilities then go back so."""


def read_pass(body: Any, key: str, vocabulary: int) -> Pass:
    """The batch under `key`; refused with every fault of the first rows that have one."""
    faults = Faults()
    fields = Fields(body, faults).inner(key)
    loss = fields.text("loss_fn")
    allowed = LOSS_KEYS.get(loss)
    if allowed is None:
        fields.fault("loss_fn", f"It must be one of {', '.join(LOSS_KEYS)}.")
    config = Fields(fields.raw("loss_fn_config") or {}, faults, (*fields.place, "loss_fn_config"))
    for name in fields.raw("loss_fn_config") or {}:
        if name not in (allowed or ()):
            config.fault(name, f"{loss} takes: {', '.join(allowed or ()) or 'none'}.")
    low, high = (config.number(name, default, lambda _: True, "a number") for name, default in zip(CLIP_KEYS, (0.8, 1.2)))
    data = []
    for at, given in enumerate(fields.items("data")):
        data.append(_read_datum(Fields(given, faults, (*fields.place, "data", at)), loss, vocabulary))
        if faults.found:
            break
    packed = Fields(fields.raw("limbeck") or {}, faults, (*fields.place, "limbeck")).flag("packed", False)
    faults.check()
    return Pass(data, loss, low, high, packed)


def _read_datum(fields: Fields, loss: str, vocabulary: int) -> Datum:
    extra = Fields(fields.raw("limbeck") or {}, fields.faults, (*fields.place, "limbeck"))
    tokens, values = (_packed_inputs if extra.has("tokens") else _plain_inputs)(extra if extra.has("tokens") else fields, loss, vocabulary)
    wide = _read_wide(extra, 0, len(tokens), vocabulary) if extra.has("count") or (fields.has("limbeck") and not extra.has("tokens")) else None
    targets = values["target_tokens"]
    return Datum(tokens, tokens[:0] if targets is None else targets, values["weights"], values["logprobs"], values["advantages"], wide)


def _needed(loss: str, name: str) -> bool:
    return name == "target_tokens" or (loss != "cross_entropy" and name != "weights")


def _packed_inputs(fields: Fields, loss: str, vocabulary: int) -> tuple[Array, dict[str, Array | None]]:
    tokens = _known_ids(fields, "tokens", vocabulary)
    if tokens.size == 0:
        fields.fault("tokens", "There are no tokens.")
    values: dict[str, Array | None] = {}
    for name in _INPUTS:
        if not _needed(loss, name) and not fields.has(name):
            values[name] = None
            continue
        data = _known_ids(fields, name, vocabulary) if name == "target_tokens" else unpack(fields, name, np.float32)
        if not np.isfinite(data).all():
            fields.fault(name, "Its data must be a list of finite numbers.")
        if len(data) != len(tokens):
            fields.fault(name, f"It has {len(data)} entries; the input has {len(tokens)} tokens.")
        values[name] = data
    return tokens, values


def _known_ids(fields: Fields, name: str, vocabulary: int) -> Array:
    """Token ids that the model does not have are named."""
    ids = unpack(fields, name, np.int32)
    if ids.size and (ids.min() < 0 or ids.max() >= vocabulary):
        check_ids(fields, name, ids.tolist(), vocabulary)
    return ids


def _plain_inputs(fields: Fields, loss: str, vocabulary: int) -> tuple[Array, dict[str, Array | None]]:
    tokens = tokens_of(fields.inner("model_input"), vocabulary)
    inputs = fields.inner("loss_fn_inputs")
    values: dict[str, Array | None] = {}
    for name in _INPUTS:
        if not _needed(loss, name) and not inputs.has(name):
            values[name] = None
            continue
        data = inputs.inner(name).raw("data")
        if not (is_ids(data) if name == "target_tokens" else is_numbers(data)):
            inputs.fault(name, "Its data must be a list of " + ("token ids." if name == "target_tokens" else "finite numbers."))
        elif len(data) != len(tokens):
            inputs.fault(name, f"It has {len(data)} entries; the input has {len(tokens)} tokens.")
        if name == "target_tokens" and is_ids(data):
            check_ids(inputs, name, data, vocabulary)
        if fields.faults.found:
            # The request is refused; of what is wrong no array can be made.
            values[name] = None
            continue
        values[name] = np.asarray(data, dtype=np.int32 if name == "target_tokens" else np.float32)
    return np.asarray([] if fields.faults.found else tokens, dtype=np.int32), values


def _read_wide(fields: Fields, first: int, end: int, vocabulary: int, ids_needed: bool = True) -> Candidates:
    count = fields.whole("count", least=1, most=min(MOST_CANDIDATES, vocabulary))
    places = unpack(fields, "positions", np.int32)
    if places.size and (places.min() < first or places.max() >= end):
        fields.fault("positions", f"A position is outside {first} to {end - 1}.")
    if not ids_needed:
        return Candidates(places, np.zeros((0, 0), np.int32), None)
    shape = (places.size, count)
    ids = unpack(fields, "ids", np.int32)
    slopes = unpack(fields, "slopes", np.float32) if fields.has("slopes") else None
    if ids.size != places.size * count or (slopes is not None and slopes.size != ids.size):
        fields.fault("ids", f"{places.size} positions with {count} candidates each need {places.size * count} entries.")
        return Candidates(places[:0], np.zeros((0, 1), np.int32), None)
    if ids.size and (ids.min() < 0 or ids.max() >= vocabulary):
        fields.fault("ids", f"A candidate is not in the vocabulary of {vocabulary}.")
    if slopes is not None and not np.isfinite(slopes).all():
        fields.fault("slopes", "Every slope must be finite.")
    return Candidates(places, ids.reshape(shape), None if slopes is None else slopes.reshape(shape))


def read_adam(body: Any) -> AdamParams:
    """The settings of a step, with the protocol's defaults."""
    faults = Faults()
    fields = Fields(body, faults).inner("adam_params")

    def least(name: str, default: float) -> float:
        return fields.number(name, default, lambda value: value >= 0, "a number of at least 0")

    def share(name: str, default: float) -> float:
        return fields.number(name, default, lambda value: 0 <= value < 1, "a number from 0 to below 1")

    adam = AdamParams(
        learning_rate=least("learning_rate", 1e-4),
        beta1=share("beta1", 0.9),
        beta2=share("beta2", 0.95),
        eps=fields.number("eps", 1e-12, lambda value: value > 0, "a number above 0"),
        weight_decay=least("weight_decay", 0.0),
        grad_clip_norm=least("grad_clip_norm", 0.0),
    )
    faults.check()
    return adam


def read_sample(body: Any, vocabulary: int) -> SampleBody:
    """A request for samples."""
    faults = Faults()
    fields = Fields(body, faults)
    extra = Fields(fields.raw("limbeck") or {}, faults, ("body", "limbeck"))
    packed = extra.has("prompt")
    prompt = _known_ids(extra, "prompt", vocabulary).tolist() if packed else tokens_of(fields.inner("prompt"), vocabulary)
    if packed and not prompt:
        extra.fault("prompt", "There are no tokens.")
    params = fields.inner("sampling_params")
    stop = params.raw("stop") or []
    texts = isinstance(stop, list) and len(stop) > 0 and all(isinstance(item, str) for item in stop)
    if not texts and not is_ids(stop):
        params.fault("stop", "It must be a list of token ids, or of texts.")
        stop = []
    session, base, path = (fields.text(name, None) for name in ("sampling_session_id", "base_model", "model_path"))
    sequence = fields.whole("seq_id", None)
    if session is not None and sequence is None:
        fields.fault("seq_id", "A sampling session needs a seq_id.")
    named = sum(source is not None for source in (base, path))
    if named != (0 if session is not None else 1):
        fields.fault("sampling_session_id", "Give exactly one of sampling_session_id, base_model and model_path.")
    sequences = {}
    for name in ("stop", "allowed"):
        sequences[name] = extra.raw(name)
        if extra.has(name) and not is_id_lists(sequences[name]):
            extra.fault(name, "It must be a list of token sequences, none of them empty.")
            sequences[name] = []
    given = SampleBody(
        prompt=prompt,
        samples=fields.whole("num_samples", 1, least=1, most=256),
        max_tokens=params.whole("max_tokens", None),
        seed=params.whole("seed", None),
        temperature=params.number("temperature", 1.0, lambda value: value >= 0, "a number of at least 0"),
        top_k=params.whole("top_k", -1),
        top_p=params.number("top_p", 1.0, lambda value: 0 < value <= 1, "a number above 0, at most 1"),
        min_p=extra.number("min_p", 0.0, lambda value: 0 <= value <= 1, "a number from 0 to 1"),
        stop=([] if texts else [[token] for token in stop]) + (sequences["stop"] or []),
        stop_texts=texts,
        allowed=sequences["allowed"],
        rng=_read_rng(extra),
        session=session,
        base_model=base,
        path=path,
        prompt_logprobs=fields.flag("prompt_logprobs", False),
        top_prompt=fields.whole("topk_prompt_logprobs", 0, least=0, most=min(MOST_CANDIDATES, vocabulary)),
        extended=fields.has("limbeck"),
        top=_read_wide(extra.inner("top"), 1, len(prompt), vocabulary, False) if extra.has("top") else None,
        top_count=extra.inner("top").whole("count", least=1) if extra.has("top") else 0,
        given=_read_wide(extra.inner("candidates"), 1, len(prompt), vocabulary) if extra.has("candidates") else None,
        packed=packed,
    )
    faults.check()
    return given


def _read_rng(extra: Fields) -> Sequence[int] | None:
    if not extra.has("rng"):
        return None
    state = extra.inner("rng").raw("state")
    if is_ids(state) and len(state) == 4:
        return state
    extra.fault("rng", "Its state must be four whole numbers.")
    return None


def is_name(value: str) -> bool:
    """Whether it may become part of a path."""
    return _NAME.fullmatch(value) is not None
