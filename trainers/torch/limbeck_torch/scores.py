"""Log-probabilities of prompts, many at a time: what a teacher thinks of words that were said before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from .batches import plan_batches
from .draw import draw
from .errors import WorkFailed
from .hf_model import Model, head_of
from .packed import Array, pack
from .passes import free_memory, given_of, out_of_memory, score_prompts, top_of
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
    """In micro-batches; all answers of one go over to this side together."""
    model.eval()
    for rows in plan_batches([len(job.prompt) for job in jobs], budget):
        part = [jobs[row] for row in rows]
        hidden, logprobs = score_prompts(model, [job.prompt for job in part])
        ends = np.cumsum([len(job.prompt) for job in part])
        starts = ends - [len(job.prompt) for job in part]
        tops = _tops(model, part, starts, hidden)
        given = _given(model, part, starts, hidden)
        known = logprobs.cpu().numpy()
        for at, job in enumerate(part):
            own = known[starts[at] : ends[at] - 1]
            if not np.isfinite(own).all():
                job.fail(WorkFailed("The model's log-probabilities are not finite; its weights are broken. Load a checkpoint."))
                continue
            last = hidden[ends[at] - 1 : ends[at]]
            for turn in job.turns:
                _say(model, turn, last)
            more = {**tops[at], **given[at]}
            job.done(
                {
                    "prompt_logprobs": [None, *own.tolist()],
                    "topk_prompt_logprobs": _top_prompt(model, job, hidden[starts[at] : ends[at] - 1]),
                    **({"limbeck": more} if more else {}),
                }
            )


def _top_prompt(model: Model, job: ScoreJob, hidden: Tensor) -> list[Any] | None:
    if job.top_prompt == 0:
        return None
    ids, values = (part.tolist() for part in top_of(model, hidden, job.top_prompt))
    return [None, *([list(pair) for pair in zip(*place)] for place in zip(ids, values))]


def _tops(model: Model, jobs: Sequence[ScoreJob], starts: Array, hidden: Tensor) -> list[dict[str, Any]]:
    """The likeliest words at asked places of all jobs, found together where they ask for as many."""
    answers: list[dict[str, Any]] = [{} for _ in jobs]
    for count in sorted({job.top_count for job in jobs if job.top is not None}):
        asked = [(at, job.top) for at, job in enumerate(jobs) if job.top is not None and job.top_count == count]
        ids, values = (part.cpu().numpy() for part in top_of(model, hidden[_places(asked, starts, hidden)], count))
        for at, rows in _shares(asked):
            answers[at] = {"top": {"ids": pack(ids[rows].astype(np.int32)), "logprobs": pack(values[rows])}}
    return answers


def _given(model: Model, jobs: Sequence[ScoreJob], starts: Array, hidden: Tensor) -> list[dict[str, Any]]:
    """The same for given words."""
    answers: list[dict[str, Any]] = [{} for _ in jobs]
    for count in sorted({job.given.ids.shape[1] for job in jobs if job.given is not None}):
        asked = [(at, job.given) for at, job in enumerate(jobs) if job.given is not None and job.given.ids.shape[1] == count]
        ids = torch.from_numpy(np.concatenate([one.ids for _, one in asked]).astype(np.int64)).to(hidden.device)
        values = given_of(model, hidden[_places(asked, starts, hidden)], ids).cpu().numpy()
        for at, rows in _shares(asked):
            answers[at] = {"candidates": pack(values[rows])}
    return answers


def _places(asked: Sequence[tuple[int, Candidates]], starts: Array, hidden: Tensor) -> Tensor:
    """A token is predicted by the hidden state before it."""
    places = np.concatenate([one.places.astype(np.int64) - 1 + starts[at] for at, one in asked])
    return torch.from_numpy(places).to(hidden.device)


def _shares(asked: Sequence[tuple[int, Candidates]]) -> Iterator[tuple[int, slice]]:
    end = 0
    for at, one in asked:
        start, end = end, end + len(one.places)
        yield at, slice(start, end)


def _say(model: Model, turn: Turn, hidden: Tensor) -> None:
    with torch.inference_mode():
        logits = head_of(model)(hidden).float()
        column = lambda value: torch.tensor([value], dtype=torch.float64, device=hidden.device)  # noqa: E731
        drawn = draw(logits, column(turn.temperature).float(), column(turn.rng.uniform()), None)
        token, logprob, sampled = drawn.stacked()[:, 0].tolist()
    turn.take(int(token), logprob, sampled)
