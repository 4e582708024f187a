"""Passes over rows: log-probabilities, losses, and gradients where they are asked for, in micro-batches that fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
import torch
from torch import Tensor

from .batches import plan_batches
from .errors import WorkFailed
from .hf_model import Model, head_of, hidden_of
from .logprobs import token_logprobs, top_logprobs
from .losses import token_losses
from .packed import Array
from .requests import Datum, Pass
from .transfer import Fetched, fetch, to_device


@dataclass
class RowOutput:
    """What a pass says of one row."""

    losses: Array
    logprobs: Array
    candidates: Array | None


@dataclass
class Budget:
    """How much goes through the model at once."""

    tokens: int
    checkpointing: bool


def run_pass(model: Model, given: Pass, budget: Budget, backward: bool) -> list[RowOutput]:
    """Rows in order. With `backward` gradients are added to the parameters that want them."""
    model.train(backward and budget.checkpointing)
    outputs: list[RowOutput | None] = [None] * len(given.data)
    waiting = plan_batches([len(datum.tokens) for datum in given.data], budget.tokens)
    results: list[tuple[list[int], Fetched]] = []
    while waiting:
        rows = waiting.pop(0)
        data = [given.data[row] for row in rows]
        try:
            logprobs, wide = _forward(model, data, backward)
        except torch.OutOfMemoryError as error:
            free_memory()
            if len(rows) == 1:
                raise WorkFailed(out_of_memory(len(data[0].tokens))) from error
            half = len(rows) // 2
            waiting[:0] = [rows[:half], rows[half:]]
            continue
        value, slope = token_losses(given.loss, logprobs.detach(), *_loss_inputs(data, logprobs), given.low, given.high)
        if backward:
            _pull(logprobs, slope, wide, data)
        results.append((rows, fetch([value, logprobs] if wide is None else [value, logprobs, wide])))
    for rows, fetched in results:
        _hand_out(outputs, rows, given.data, *fetched.arrays())
    return [output for output in outputs if output is not None]


def score_prompts(model: Model, prompts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Hidden states of all tokens, prompt after prompt, and the log-probability of the token after each; of the last of a
    prompt, after which nothing is known, that of token 0."""
    device = head_of(model).weight.device
    with torch.inference_mode():
        hidden = hidden_of(model, padded(prompts, device))
        flat = _laid_end_to_end(hidden, [len(row) for row in prompts])
        targets = to_device(np.concatenate([np.append(np.asarray(row[1:], dtype=np.int64), 0) for row in prompts]), device)
        return flat, token_logprobs(flat, head_of(model).weight, targets[:, None])[:, 0]


def top_of(model: Model, hidden: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The likeliest tokens after each hidden state."""
    with torch.inference_mode():
        return top_logprobs(hidden, head_of(model).weight, count)


def given_of(model: Model, hidden: Tensor, ids: Tensor) -> Tensor:
    """The log-probabilities of given tokens after each hidden state."""
    with torch.inference_mode():
        return token_logprobs(hidden, head_of(model).weight, ids)


def padded(rows: Sequence[Sequence[int] | Array], device: torch.device) -> Tensor:
    """Token ids, filled up with 0 on the right."""
    table = np.zeros((len(rows), max(len(row) for row in rows)), dtype=np.int64)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return to_device(table, device)


def _laid_end_to_end(hidden: Tensor, lengths: Sequence[int]) -> Tensor:
    """The states of all rows without their padding."""
    places = np.concatenate([np.arange(length) + at * hidden.shape[1] for at, length in enumerate(lengths)])
    return hidden.reshape(-1, hidden.shape[-1]).index_select(0, to_device(places, hidden.device))


def free_memory() -> None:
    """Gives back what a failed pass had reserved."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def out_of_memory(tokens: int) -> str:
    """What a client reads when even one row does not fit."""
    return (
        f"Out of memory on the device with a row of {tokens} tokens. Nothing was changed. Send shorter rows, "
        "or start the trainer with --checkpointing on, an adapter (--lora) or a larger device."
    )


def _forward(model: Model, data: Sequence[Datum], backward: bool) -> tuple[Tensor, Tensor | None]:
    """Log-probabilities of all targets, row after row, and of the candidates at their places."""
    weight = head_of(model).weight
    device = weight.device
    with torch.set_grad_enabled(backward):
        hidden = hidden_of(model, padded([datum.tokens for datum in data], device))
        flat = _laid_end_to_end(hidden, [len(datum.tokens) for datum in data])
        targets = to_device(np.concatenate([datum.targets for datum in data]), device, np.int64)
        logprobs = token_logprobs(flat, weight, targets[:, None])[:, 0]
        places = _candidate_places(data)
        if places is None:
            return logprobs, None
        index, ids = (to_device(array, device, np.int64) for array in places)
        return logprobs, token_logprobs(flat[index], weight, ids)


def _candidate_places(data: Sequence[Datum]) -> tuple[Array, Array] | None:
    """Places in the rows laid end to end, and the candidates there; all rows of a request have as many."""
    places, ids = [], []
    start = 0
    for datum in data:
        if datum.candidates is not None and datum.candidates.places.size > 0:
            places.append(datum.candidates.places + start)
            ids.append(datum.candidates.ids)
        start += len(datum.tokens)
    if not places:
        return None
    widths = {array.shape[1] for array in ids}
    if len(widths) > 1:
        raise WorkFailed(f"Rows of one request have {sorted(widths)} candidates; give every row as many.")
    return np.concatenate(places), np.concatenate(ids)


def _loss_inputs(data: Sequence[Datum], like: Tensor) -> list[Tensor]:
    """Weights, behaviour and advantages, row after row; what is not given is 1, 0 and 0."""
    columns = []
    for name, default in (("weights", 1.0), ("behaviour", 0.0), ("advantages", 0.0)):
        given = [(getattr(datum, name), len(datum.tokens)) for datum in data]
        values = [np.full(length, default, np.float32) if one is None else one for one, length in given]
        columns.append(to_device(np.concatenate(values), like.device, np.float32))
    return columns


def _pull(logprobs: Tensor, slope: Tensor, wide: Tensor | None, data: Sequence[Datum]) -> None:
    """Slopes of the loss back into the parameters."""
    tensors, slopes = [logprobs], [slope]
    if wide is not None:
        wanted = [
            np.zeros(datum.candidates.ids.shape, np.float32) if datum.candidates.slopes is None else datum.candidates.slopes
            for datum in data
            if datum.candidates is not None and datum.candidates.places.size > 0
        ]
        tensors.append(wide)
        slopes.append(to_device(np.concatenate(wanted), wide.device))
    torch.autograd.backward(tensors, slopes)


def _hand_out(
    outputs: list[RowOutput | None],
    rows: Sequence[int],
    data: Sequence[Datum],
    losses: Array,
    known: Array,
    others: Array | None = None,
) -> None:
    if not np.isfinite(known).all():
        raise WorkFailed("The model's log-probabilities are not finite: its weights are NaN or infinite. Load a checkpoint.")
    at = at_wide = 0
    for row in rows:
        datum = data[row]
        end = at + len(datum.tokens)
        count = 0 if datum.candidates is None else datum.candidates.places.size
        own = None if datum.candidates is None else (np.zeros(0, np.float32) if others is None else others[at_wide : at_wide + count])
        outputs[row] = RowOutput(losses[at:end], known[at:end], own)
        at, at_wide = end, at_wide + count
