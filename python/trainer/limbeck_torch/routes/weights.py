"""Checkpoints: saving, loading, looking, deleting, downloading."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from time import time
from typing import Any

from aiohttp import web

from ..checkpoints import SAMPLER, STATE, WEIGHTS
from ..errors import Refusal, WorkFailed
from ..fields import Faults, Fields
from ..http import body_of
from ..requests import is_name
from ..workshop import Workshop, fresh_id
from .training import hand_in

_ARCHIVE_SECONDS = 2 * 60 * 60


def weights_routes(workshop: Workshop) -> list[web.RouteDef]:
    """Everything about checkpoints."""
    checkpoints, base = workshop.checkpoints, workshop.base_name

    async def save(request: web.Request) -> web.Response:
        fields = Fields(await body_of(request), Faults())
        identity, name = fields.text("model_id"), _name(fields)
        fields.faults.check()
        held = workshop.run(identity)
        folder = checkpoints.reserve(held.run.id, WEIGHTS, name)

        async def work() -> dict[str, Any]:
            write = lambda place: held.run.save_state(place / STATE)  # noqa: E731
            await workshop.thread.do(lambda: checkpoints.save(folder, base, held.run.rank, write))
            return {"path": f"tinker://{held.run.id}/{WEIGHTS}/{name}", "type": "save_weights"}

        return hand_in(workshop, held, None, b"", work)

    async def save_sampler(request: web.Request) -> web.Response:
        fields = Fields(await body_of(request), Faults())
        identity = fields.text("model_id")
        named = fields.has("path")
        name = _name(fields) if named else ""
        if not named and fields.whole("sampling_session_seq_id", None) is None:
            fields.fault("path", "Give either a path, or sampling_session_seq_id and seq_id.")
        fields.faults.check()
        held = workshop.run(identity)
        kind = "save_weights_for_sampler"
        if not named:

            async def version() -> dict[str, Any]:
                session = fresh_id("sampling")
                workshop.samplers[session] = await workshop.thread.do(held.run.snapshot)
                return {"path": None, "type": kind, "sampling_session_id": session}

            return hand_in(workshop, held, None, b"", version)
        folder = checkpoints.reserve(held.run.id, SAMPLER, name)

        async def work() -> dict[str, Any]:
            write = workshop.writer(held.run)
            await workshop.thread.do(lambda: checkpoints.save(folder, base, held.run.rank, write))
            return {"path": f"tinker://{held.run.id}/{SAMPLER}/{name}", "type": kind, "sampling_session_id": None}

        return hand_in(workshop, held, None, b"", work)

    async def load(request: web.Request) -> web.Response:
        fields = Fields(await body_of(request), Faults())
        identity, path, optimizer = fields.text("model_id"), fields.text("path"), fields.flag("optimizer", True)
        fields.faults.check()
        held = workshop.run(identity)
        if held.requests > 0:
            raise Refusal(400, "load_weights is permitted only as the first request of a model; create a new one.")

        async def work() -> dict[str, Any]:
            folder = checkpoints.find(path, WEIGHTS)
            rank = int(checkpoints.info(folder)["rank"])
            if rank != held.run.rank:
                raise WorkFailed(f"The checkpoint has rank {rank}, the model {held.run.rank}; they must be equal.")
            await workshop.thread.do(lambda: held.run.load_state(folder / STATE, optimizer))
            return {"type": "load_weights"}

        return hand_in(workshop, held, None, b"", work)

    async def info(request: web.Request) -> web.Response:
        fields = Fields(await body_of(request), Faults())
        path = fields.text("tinker_path")
        fields.faults.check()
        found = checkpoints.info(checkpoints.find(path, WEIGHTS))
        rank = int(found["rank"])
        return web.json_response({"base_model": found["base_model"], "is_lora": rank > 0, "lora_rank": rank or None})

    async def listed(request: web.Request) -> web.Response:
        model = request.match_info["model"]
        found = checkpoints.list(model)
        if not found:
            # Of a model that is gone its checkpoints may be left; one that never was has none.
            workshop.run(model)
        return web.json_response({"checkpoints": found})

    async def archive(request: web.Request) -> web.Response:
        model, name = request.match_info["model"], request.match_info["name"]
        checkpoints.find(f"tinker://{model}/{SAMPLER}/{name}", SAMPLER)
        location = f"/api/v1/training_runs/{model}/checkpoints/{name}/download"
        return web.Response(status=302, headers={"Location": location, "Expires": formatdate(time() + _ARCHIVE_SECONDS, usegmt=True)})

    async def download(request: web.Request) -> web.StreamResponse:
        model, name = request.match_info["model"], request.match_info["name"]
        checkpoints.find(f"tinker://{model}/{SAMPLER}/{name}", SAMPLER)
        headers = {"Content-Disposition": f'attachment; filename="{model}_{name}.tar.gz"', "Content-Type": "application/octet-stream"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        parts = checkpoints.archive(model, name)
        while (part := await asyncio.to_thread(next, parts, None)) is not None:
            await response.write(part)
        await response.write_eof()
        return response

    def removed(model: str, kind: str, name: str) -> web.Response:
        checkpoints.remove(model, kind, name)
        workshop.forget_saved(model, name)
        return web.Response(status=204)

    async def remove(request: web.Request) -> web.Response:
        kind = request.match_info["kind"]
        if kind not in (WEIGHTS, SAMPLER):
            raise Refusal(400, "A checkpoint to delete is named weights/NAME or sampler_weights/NAME.")
        return removed(request.match_info["model"], kind, request.match_info["name"])

    async def remove_bare(request: web.Request) -> web.Response:
        kind = {"training": WEIGHTS, "sampler": SAMPLER}.get(request.query.get("checkpoint_type", ""))
        if kind is None:
            raise Refusal(400, "Give weights/NAME or sampler_weights/NAME, or checkpoint_type.")
        return removed(request.match_info["model"], kind, request.match_info["name"])

    at = "/api/v1/training_runs/{model}/checkpoints"
    return [
        web.post("/api/v1/save_weights", save),
        web.post("/api/v1/save_weights_for_sampler", save_sampler),
        web.post("/api/v1/load_weights", load),
        web.post("/api/v1/weights_info", info),
        web.get(at, listed),
        web.get("/api/v1/models/{model}/checkpoints", listed),
        web.get(at + "/{name}/archive", archive),
        web.get(at + "/{name}/download", download),
        web.delete(at + "/{kind}/{name}", remove),
        web.delete(at + "/{name}", remove_bare),
    ]


def _name(fields: Fields) -> str:
    name = fields.text("path")
    if not is_name(name):
        fields.fault("path", "A checkpoint's name has letters, digits, _ and -, at most 255 of them.")
    return name


