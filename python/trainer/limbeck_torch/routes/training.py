"""Models: making them, passes, steps. Work is handed in here and done in the order in which it came."""

from __future__ import annotations

import hashlib
from typing import Any, Callable, Coroutine

from aiohttp import web

from ..errors import Refusal
from ..fields import Faults, Fields
from ..http import body_of
from ..lora import ALPHA
from ..packed import Array, pack
from ..passes import RowOutput
from ..requests import read_adam, read_pass
from ..workshop import HeldRun, Workshop, fresh_id

_REMEMBERED = 4_096
"""How many numbers of requests a model remembers."""

Work = Callable[[], Coroutine[Any, Any, dict[str, Any]]]


def training_routes(workshop: Workshop) -> list[web.RouteDef]:
    """Everything about models that learn, but their checkpoints."""
    name, vocabulary = workshop.base_name, workshop.shape.vocabulary

    async def create(request: web.Request) -> web.Response:
        fields = Fields(await body_of(request), Faults())
        session, base = fields.text("session_id"), fields.text("base_model")
        lora = fields.inner("lora_config")
        rank, given_seed = lora.whole("rank", least=0), lora.whole("seed", None)
        fields.faults.check()
        workshop.touch(session, False)
        identity = fresh_id("model")
        seed = given_seed or 0

        async def work() -> dict[str, Any]:
            if base != name:
                raise Refusal(400, f'Base model "{base[:120]}" is not served here; it is "{name}".')
            await workshop.create_run(identity, session, rank, seed, fields.raw("user_metadata"))
            trains = {"train_attn": True, "train_mlp": True, "train_unembed": rank == 0}
            config = {"rank": rank, "alpha": ALPHA if rank > 0 else 0, "seed": seed, **trains}
            return {"model_id": identity, "base_model": base, "lora_config": config}

        number = workshop.futures.begin(work())
        config = {"rank": rank, "seed": given_seed}
        made = {"model_id": identity, "base_model": base, "lora_config": config, "status": "created", "request_id": number}
        return web.json_response(made)

    async def held_run(request: web.Request) -> HeldRun:
        fields = Fields(await body_of(request), Faults())
        identity = fields.text("model_id")
        fields.faults.check()
        return workshop.run(identity)

    async def unload(request: web.Request) -> web.Response:
        identity = (await held_run(request)).run.id

        async def work() -> dict[str, Any]:
            await workshop.unload(identity)
            return {"model_id": identity, "status": "unloaded", "type": "unload_model"}

        return web.json_response({"request_id": workshop.futures.begin(work()), "model_id": identity})

    async def info(request: web.Request) -> web.Response:
        run = (await held_run(request)).run
        config = {"rank": run.rank, "seed": run.seed}
        data = {"base_model": name, "lora_config": config, "model_name": name}
        return web.json_response({"model_id": run.id, "status": "created", "model_data": data})

    async def runs(request: web.Request) -> web.Response:
        offset, limit = _count(request, "offset", 0), _count(request, "limit", 20)
        listed = [_described(held, name) for held in workshop.runs.values()]
        cursor = {"offset": offset, "limit": limit, "total_count": len(listed)}
        return web.json_response({"training_runs": listed[offset : offset + limit], "cursor": cursor})

    async def one_run(request: web.Request) -> web.Response:
        return web.json_response(_described(workshop.run(request.match_info["model"]), name))

    def passing(kind: str, backward: bool) -> Callable[[web.Request], Coroutine[Any, Any, web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            body = await body_of(request)
            fields = Fields(body, Faults())
            identity, sequence = fields.text("model_id"), fields.whole("seq_id", None)
            fields.faults.check()
            held = workshop.run(identity)
            given = read_pass(body, f"{kind}_input", vocabulary)
            longest = max(len(datum.tokens) for datum in given.data)
            if longest > workshop.shape.context:
                raise Refusal(400, f"A row has {longest} tokens; the context is {workshop.shape.context}.")

            async def work() -> dict[str, Any]:
                outputs = await workshop.thread.do(lambda: held.run.pass_over(given, backward))
                return _pass_answer(outputs, given.packed)

            return hand_in(workshop, held, sequence, await request.read(), work)

        return handle

    async def step(request: web.Request) -> web.Response:
        body = await body_of(request)
        fields = Fields(body, Faults())
        identity, sequence = fields.text("model_id"), fields.whole("seq_id", None)
        fields.faults.check()
        adam = read_adam(body)
        held = workshop.run(identity)

        async def work() -> dict[str, Any]:
            return {"metrics": await workshop.thread.do(lambda: held.run.step(adam))}

        return hand_in(workshop, held, sequence, await request.read(), work)

    return [
        web.post("/api/v1/create_model", create),
        web.post("/api/v1/unload_model", unload),
        web.post("/api/v1/get_info", info),
        web.get("/api/v1/training_runs", runs),
        web.get("/api/v1/training_runs/{model}", one_run),
        web.post("/api/v1/forward", passing("forward", False)),
        web.post("/api/v1/forward_backward", passing("forward_backward", True)),
        web.post("/api/v1/optim_step", step),
    ]


def hand_in(workshop: Workshop, held: HeldRun, sequence: int | None, payload: bytes, work: Work) -> web.Response:
    """The same number and payload again is the same work; another payload under a used number is a conflict."""
    text = hashlib.sha256(payload).hexdigest() if sequence is not None else ""
    known = held.seen.get(sequence) if sequence is not None else None
    if known is not None and known[0] != text:
        raise Refusal(409, f"seq_id {sequence} of {held.run.id} was used for another request.")
    if known is not None:
        number = known[1]
    else:
        held.requests += 1
        number = workshop.futures.begin(work())
    if sequence is not None:
        held.seen[sequence] = (text, number)
        if len(held.seen) > _REMEMBERED:
            del held.seen[next(iter(held.seen))]
    return web.json_response({"future_id": number, "status": "pending", "request_id": number})


def _pass_answer(outputs: list[RowOutput], packed: bool) -> dict[str, Any]:
    plain = [] if packed else [{"elementwise_loss": _tensor(one.losses), "logprobs": _tensor(one.logprobs)} for one in outputs]
    answer: dict[str, Any] = {
        "loss_fn_output_type": "scalar",
        "loss_fn_outputs": plain,
        "metrics": {
            "loss:sum": float(sum(float(output.losses.sum(dtype="float64")) for output in outputs)),
            "num_tokens:sum": sum(len(output.logprobs) for output in outputs),
        },
    }
    more: dict[str, Any] = {}
    if any(output.candidates is not None for output in outputs):
        more["candidates"] = [None if output.candidates is None else pack(output.candidates) for output in outputs]
    if packed:
        more["logprobs"] = [pack(output.logprobs) for output in outputs]
        more["losses"] = [pack(output.losses + 0.0) for output in outputs]
    return {**answer, "limbeck": more} if more else answer


def _tensor(values: Array) -> dict[str, Any]:
    # -0.0, where nothing weighs, becomes 0.
    return {"data": (values + 0.0).tolist(), "dtype": "float32", "shape": [len(values)]}


def _described(held: HeldRun, base: str) -> dict[str, Any]:
    rank = held.run.rank
    return {
        "training_run_id": held.run.id,
        "base_model": base,
        "model_owner": "default",
        "is_lora": rank > 0,
        "corrupted": False,
        "lora_rank": rank if rank > 0 else None,
        "last_request_time": held.created,
        "last_checkpoint": None,
        "last_sampler_checkpoint": None,
        "user_metadata": held.metadata,
    }


def _count(request: web.Request, name: str, otherwise: int) -> int:
    text = request.query.get(name, str(otherwise))
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise Refusal(422, f'"{text[:20]}" is not a whole number.')
