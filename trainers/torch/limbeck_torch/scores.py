"""Log-probabilities of prompts, many at a time: what a teacher thinks of words that were said before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from .draw import draw
from .errors import WorkFailed
from .hf_model import Model, check_finite, head_of
from .packed import pack
from .passes import free_memory, given_of, out_of_memory, score_prompt, top_of
from .requests import Candidates
from .snapshot import Base, Source
from .turn import Turn

if TYPE_CHECKING:
    from .stepper import Stepper


@dataclass
class ScoreJob:
    """A prompt to score. `turns` that want one token only are served from the same pass."""

    source: Source
    prompt: list[int]
    top_prompt: int
    top: Candidates | None
    top_count: int
    given: Candidates | None
    turns: Sequence[Turn]
    done: Callable[[dict[str, Any] | Exception], None]

    def fail(self, error: Exception) -> None:
        """Ends it, and the turns that it serves."""
        for turn in self.turns:
            turn.fail(error)
        self.done(error)


def run_scores(stepper: "Stepper", jobs: list[ScoreJob], budget: int) -> None:
    """Scores a wave; one that does not fit is halved, and a prompt that does not fit alone is refused."""
    try:
        if isinstance(jobs[0].source, Base):
            _score(stepper.base, jobs, budget)
        else:
            with stepper.scoring() as model:
                _score(model, jobs, budget)
    except torch.OutOfMemoryError:
        free_memory()
        if len(jobs) == 1:
            jobs[0].fail(WorkFailed(out_of_memory(len(jobs[0].prompt))))
            return
        half = len(jobs) // 2
        run_scores(stepper, jobs[:half], budget)
        run_scores(stepper, jobs[half:], budget)
    except Exception as error:
        for job in jobs:
            job.fail(error)


def _score(model: Model, jobs: list[ScoreJob], budget: int) -> None:
    model.eval()
    scored = score_prompt(model, [job.prompt for job in jobs], budget)
    answers = [_answer(model, job, hidden, logprobs) for job, (hidden, logprobs) in zip(jobs, scored)]
    for job, (hidden, _), answer in zip(jobs, scored, answers):
        for turn in job.turns:
            _say(model, turn, hidden[-1:])
        job.done(answer)


def _answer(model: Model, job: ScoreJob, hidden: Tensor, logprobs: Tensor) -> dict[str, Any]:
    check_finite(logprobs, "log-probabilities")
    top_prompt = None
    if job.top_prompt > 0:
        ids, values = (part.tolist() for part in top_of(model, hidden[:-1], job.top_prompt))
        top_prompt = [None, *([list(pair) for pair in zip(*place)] for place in zip(ids, values))]
    more: dict[str, Any] = {}
    if job.top is not None:
        ids, values = top_of(model, hidden[_before(job.top, hidden)], job.top_count)
        more["top"] = {"ids": _packed(ids, np.int32), "logprobs": _packed(values, np.float32)}
    if job.given is not None:
        ids = torch.from_numpy(job.given.ids.astype(np.int64)).to(hidden.device)
        more["candidates"] = _packed(given_of(model, hidden[_before(job.given, hidden)], ids), np.float32)
    return {
        "prompt_logprobs": [None, *logprobs.tolist()],
        "topk_prompt_logprobs": top_prompt,
        **({"limbeck": more} if more else {}),
    }


def _before(asked: Candidates, hidden: Tensor) -> Tensor:
    """A token is predicted by the hidden state before it."""
    return torch.from_numpy(asked.places.astype(np.int64) - 1).to(hidden.device)


def _packed(values: Tensor, kind: type) -> str:
    return pack(values.cpu().numpy().astype(kind))


def _say(model: Model, turn: Turn, hidden: Tensor) -> None:
    with torch.inference_mode():
        logits = head_of(model)(hidden).float()
        column = lambda value: torch.tensor([value], dtype=torch.float64, device=hidden.device)  # noqa: E731
        drawn = draw(logits, column(turn.temperature).float(), column(turn.rng.uniform()), None)
    turn.take(int(drawn.tokens), float(drawn.logprobs), float(drawn.sampled))
