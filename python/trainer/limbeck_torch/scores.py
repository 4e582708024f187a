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
from .transfer import Fetched, fetch, to_device
from .turn import Turn

Later = Callable[[], list[dict[str, Any]]]
"""What is said of each job of a micro-batch, once it is here."""

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
    packed: bool = False

    def fail(self, error: Exception) -> None:
        """Ends it, and the turns that it serves."""
        for turn in self.turns:
            turn.fail(error)
        self.done(error)


@dataclass
class Finish:
    """The answers of a micro-batch that was started."""

    jobs: Sequence[ScoreJob]
    starts: Array
    ends: Array
    known: Fetched
    asked: Sequence[Later]
    plain: Sequence[Any]

    def __call__(self) -> None:
        """Waits for them, and gives them out."""
        [logprobs] = self.known.arrays()
        tops, given, said = (later() for later in self.asked)
        for at, job in enumerate(self.jobs):
            own = logprobs[self.starts[at] : self.ends[at] - 1]
            if not np.isfinite(own).all():
                job.fail(WorkFailed("The model's log-probabilities are not finite; its weights are broken. Load a checkpoint."))
                continue
            for turn, (token, logprob, sampled) in zip(job.turns, said[at].get("turns", ())):
                turn.take(int(token), logprob, sampled)
            more = {**tops[at], **given[at], **({"prompt_logprobs": pack(own)} if job.packed else {})}
            job.done(
                {
                    "prompt_logprobs": None if job.packed else [None, *own.tolist()],
                    "topk_prompt_logprobs": self.plain[at],
                    **({"limbeck": more} if more else {}),
                }
            )

    def fail(self, error: Exception) -> None:
        """Nobody may wait for ever; those who have their answer are not told."""
        for job in self.jobs:
            job.fail(error)


def run_scores(stepper: "Stepper", jobs: list[ScoreJob], budget: int) -> list[Finish]:
    """Starts a wave; one that does not fit is halved, and a prompt that does not fit alone is refused. The answers are
    given out by whoever calls what comes back, best while the device is at work on the next wave."""
    try:
        if isinstance(jobs[0].source, Base):
            return _score(stepper.base, jobs, budget)
        with stepper.scoring() as model:
            return _score(model, jobs, budget)
    except torch.OutOfMemoryError:
        free_memory()
        if len(jobs) == 1:
            jobs[0].fail(WorkFailed(out_of_memory(len(jobs[0].prompt))))
            return []
        half = len(jobs) // 2
        return run_scores(stepper, jobs[:half], budget) + run_scores(stepper, jobs[half:], budget)
    except Exception as error:
        for job in jobs:
            job.fail(error)
        return []


def _score(model: Model, jobs: list[ScoreJob], budget: int) -> list[Finish]:
    """In micro-batches; all answers of one go over to this side together."""
    model.eval()
    finishes: list[Finish] = []
    for rows in plan_batches([len(job.prompt) for job in jobs], budget):
        part = [jobs[row] for row in rows]
        hidden, logprobs = score_prompts(model, [job.prompt for job in part])
        ends = np.cumsum([len(job.prompt) for job in part])
        starts = ends - [len(job.prompt) for job in part]
        asked = [_tops(model, part, starts, hidden), _given(model, part, starts, hidden), _said(model, part, ends, hidden)]
        known = fetch([logprobs])
        plain = [_top_prompt(model, job, hidden[start : end - 1]) for job, start, end in zip(part, starts, ends)]
        finishes.append(Finish(part, starts, ends, known, asked, plain))
    return finishes


def _top_prompt(model: Model, job: ScoreJob, hidden: Tensor) -> list[Any] | None:
    if job.top_prompt == 0:
        return None
    ids, values = (part.tolist() for part in top_of(model, hidden, job.top_prompt))
    return [None, *([list(pair) for pair in zip(*place)] for place in zip(ids, values))]


def _tops(model: Model, jobs: Sequence[ScoreJob], starts: Array, hidden: Tensor) -> Later:
    """The likeliest words at asked places of all jobs, found together where they ask for as many."""
    found = []
    for count in sorted({job.top_count for job in jobs if job.top is not None}):
        asked = [(at, job.top) for at, job in enumerate(jobs) if job.top is not None and job.top_count == count]
        ids, values = top_of(model, hidden[_places(asked, starts, hidden)], count)
        found.append((asked, fetch([ids.to(torch.int32), values])))

    def later() -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = [{} for _ in jobs]
        for asked, fetched in found:
            ids, values = fetched.arrays()
            for at, rows in _shares(asked):
                answers[at] = {"top": {"ids": pack(ids[rows]), "logprobs": pack(values[rows])}}
        return answers

    return later


def _given(model: Model, jobs: Sequence[ScoreJob], starts: Array, hidden: Tensor) -> Later:
    """The same for given words."""
    found = []
    for count in sorted({job.given.ids.shape[1] for job in jobs if job.given is not None}):
        asked = [(at, job.given) for at, job in enumerate(jobs) if job.given is not None and job.given.ids.shape[1] == count]
        ids = to_device(np.concatenate([one.ids for _, one in asked]), hidden.device, np.int64)
        found.append((asked, fetch([given_of(model, hidden[_places(asked, starts, hidden)], ids)])))

    def later() -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = [{} for _ in jobs]
        for asked, fetched in found:
            [values] = fetched.arrays()
            for at, rows in _shares(asked):
                answers[at] = {"candidates": pack(values[rows])}
        return answers

    return later


def _said(model: Model, jobs: Sequence[ScoreJob], ends: Array, hidden: Tensor) -> Later:
    """The one token that each turn wants, all drawn together."""
    wanted = [(at, turn) for at, job in enumerate(jobs) for turn in job.turns]
    if not wanted:
        return lambda: [{} for _ in jobs]
    device = hidden.device
    with torch.inference_mode():
        last = hidden[to_device([int(ends[at]) - 1 for at, _ in wanted], device, np.int64)]
        warm = to_device([turn.temperature for _, turn in wanted], device, np.float64).float()
        uniform = to_device([turn.rng.uniform() for _, turn in wanted], device, np.float64)
        fetched = fetch([draw(head_of(model)(last).float(), warm, uniform, None).stacked()])

    def later() -> list[dict[str, Any]]:
        [drawn] = fetched.arrays()
        answers: list[dict[str, Any]] = [{} for _ in jobs]
        for (at, _), one in zip(wanted, drawn.T.tolist()):
            answers[at].setdefault("turns", []).append(one)
        return answers

    return later


def _places(asked: Sequence[tuple[int, Candidates]], starts: Array, hidden: Tensor) -> Tensor:
    """A token is predicted by the hidden state before it."""
    return to_device(np.concatenate([one.places.astype(np.int64) - 1 + starts[at] for at, one in asked]), hidden.device)


def _shares(asked: Sequence[tuple[int, Candidates]]) -> Iterator[tuple[int, slice]]:
    end = 0
    for at, one in asked:
        start, end = end, end + len(one.places)
        yield at, slice(start, end)
