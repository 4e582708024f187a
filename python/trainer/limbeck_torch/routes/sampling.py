"""Sampling sessions and samples."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from aiohttp import web

from ..errors import Refusal, WorkFailed
from ..fields import Faults, Fields
from ..http import body_of
from ..requests import SampleBody, read_sample
from ..rng import Rng, seeded
from ..scores import ScoreJob
from ..snapshot import Saved, Source
from ..turn import Said, Turn, trie_of
from ..workshop import Workshop, fresh_id


def sampling_routes(workshop: Workshop) -> list[web.RouteDef]:
    """Everything that speaks."""
    name, vocabulary = workshop.base_name, workshop.shape.vocabulary

    def not_served(base: str) -> Refusal:
        return Refusal(400, f'Base model "{base[:120]}" is not served here; it is "{name}".')

    def known(identity: str) -> Source:
        source = workshop.samplers.get(identity)
        if source is None:
            raise Refusal(404, f"Sampling session {identity[:60]} not found: session not found.")
        return source

    def source_of(given: SampleBody) -> Source:
        if given.session is not None:
            if ":" in given.session:
                raise Refusal(400, 'A sampling session\'s id has no ":".')
            return known(given.session)
        return workshop.base_source if given.path is None else workshop.saved(given.path)

    async def create(request: web.Request) -> web.Response:
        fields = Fields(await body_of(request), Faults())
        session, base, path = fields.text("session_id"), fields.text("base_model", None), fields.text("model_path", None)
        fields.whole("sampling_session_seq_id")
        if (base is None) == (path is None):
            fields.fault("base_model", "Give exactly one of base_model and model_path.")
        fields.faults.check()
        workshop.touch(session, False)
        if base is not None and base != name:
            raise not_served(base)
        identity = fresh_id("sampling")
        workshop.samplers[identity] = workshop.base_source if path is None else workshop.saved(path)
        return web.json_response({"type": "create_sampling_session", "sampling_session_id": identity})

    async def describe(request: web.Request) -> web.Response:
        identity = request.match_info["id"]
        source = known(identity)
        path = workshop.path_of(source) if isinstance(source, Saved) else None
        return web.json_response({"sampler_id": identity, "base_model": name, "model_path": path})

    async def sample(request: web.Request) -> web.Response:
        given = read_sample(await body_of(request), vocabulary)
        _check(given, workshop.shape.context)
        source = source_of(given)

        async def work() -> dict[str, Any]:
            if given.base_model is not None and given.base_model != name:
                raise not_served(given.base_model)
            return await _speak(workshop, source, given)

        number = workshop.futures.begin(work())
        return web.json_response({"future_id": number, "status": "pending", "request_id": number})

    return [
        web.post("/api/v1/create_sampling_session", create),
        web.get("/api/v1/samplers/{id}", describe),
        web.post("/api/v1/asample", sample),
    ]


def _check(given: SampleBody, context: int) -> None:
    """What cannot be asked for is refused at once, before there is a number to wait for."""
    if given.max_tokens is None:
        raise Refusal(400, "max_tokens is required.")
    if given.max_tokens <= 0:
        raise Refusal(400, "max_tokens must be a positive number.")
    if given.stop_texts:
        raise Refusal(400, "Stop strings are not served here; give the ids of stop tokens.")
    if given.allowed is not None and len(given.allowed) == 0:
        raise Refusal(400, "The allowed set is empty.")
    if len(given.prompt) >= context:
        raise Refusal(400, f"The prompt has {len(given.prompt)} tokens; the context of {context} has no room for an answer.")


async def _speak(workshop: Workshop, source: Source, given: SampleBody) -> dict[str, Any]:
    """Responses and scores of one request, side by side."""
    thread = workshop.thread
    loop = asyncio.get_running_loop()
    allowed = None if given.allowed is None else trie_of(given.allowed)
    limit = min(given.max_tokens or 1, workshop.shape.context - len(given.prompt))
    waits: list[asyncio.Future[Said]] = []
    turns: list[Turn] = []
    for at in range(given.samples):
        future: asyncio.Future[Said] = loop.create_future()
        waits.append(future)
        turns.append(
            Turn(
                source=source,
                prompt=given.prompt,
                limit=limit,
                temperature=given.temperature,
                top_k=given.top_k,
                top_p=given.top_p,
                min_p=given.min_p,
                stop=given.stop,
                allowed=allowed,
                confined=allowed is not None,
                rng=_draws(given, at),
                done=thread.answer(future),
            )
        )
    scored: dict[str, Any] = {"prompt_logprobs": None, "topk_prompt_logprobs": None}
    if given.prompt_logprobs or given.top_prompt > 0 or given.top is not None or given.given is not None:
        # One token more is what the protocol asks for beside a score; the same pass gives it.
        alone = limit == 1 and not turns[0].restricted
        answer: asyncio.Future[dict[str, Any]] = loop.create_future()
        mine = turns if alone else []
        thread.sample(
            ScoreJob(source, given.prompt, given.top_prompt, given.top, given.top_count, given.given, mine, thread.answer(answer), given.packed)
        )
        for turn in [] if alone else turns:
            thread.sample(turn)
        scored, *said = await asyncio.gather(answer, *waits)
    else:
        for turn in turns:
            thread.sample(turn)
        said = await asyncio.gather(*waits)
    return {"sequences": [_sequence(one, given.extended) for one in said], **scored}


def _draws(given: SampleBody, at: int) -> Rng:
    """Sample i has the seed + i; a conversation that brings its own generator goes on with it."""
    if given.rng is not None and at == 0:
        return Rng(given.rng)
    return seeded(secrets.token_hex(16) if given.seed is None else given.seed + at)


def _sequence(said: Said, extended: bool) -> dict[str, Any]:
    if any(value == float("-inf") for value in said.logprobs):
        raise WorkFailed("The model gives none of the allowed tokens any probability; allow what it can say.")
    sequence: dict[str, Any] = {
        "stop_reason": "stop" if said.stopped else "length",
        "tokens": said.tokens,
        "logprobs": said.logprobs,
    }
    if extended:
        sequence["limbeck"] = {"sampled_logprobs": said.sampled}
        if said.offsets is not None:
            sequence["limbeck"]["allowed"] = {"offsets": said.offsets, "ids": said.ids}
    return sequence
