"""What the server says of itself, sessions, and results."""

from __future__ import annotations

from aiohttp import web

from .. import VERSION
from ..fields import Faults, Fields
from ..http import Body, body_of
from ..requests import MOST_CANDIDATES
from ..workshop import Workshop

_EXTENSION = 1
"""Raised when the fields of `limbeck` in requests and answers change."""

_MOST_DATUMS = 1_024
_MOST_BYTES = 4_000_000
"""Of one request: while the device computes one part of a batch, the next is read."""


def service_routes(workshop: Workshop) -> list[web.RouteDef]:
    """Capabilities, sessions, futures."""
    name, context = workshop.base_name, workshop.shape.context

    async def root(_: web.Request) -> web.Response:
        return web.json_response({"name": "limbeck torch trainer", "version": VERSION, "protocol": "tinker", "models": [name]})

    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def capabilities(_: web.Request) -> web.Response:
        return web.json_response({"supported_models": [{"model_name": name, "max_context_length": context}]})

    async def config(_: web.Request) -> web.Response:
        limbeck = {
            "extension": _EXTENSION,
            "full_weights": workshop.settings.full_weights,
            "candidates": min(MOST_CANDIDATES, workshop.shape.vocabulary),
            "packed": 1,
        }
        return web.json_response(
            {
                "pjwt_auth_enabled": False,
                "parallel_fwdbwd_chunks": False,
                "fwdbwd_max_chunk_len": _MOST_DATUMS,
                "fwdbwd_max_chunk_bytes_count": _MOST_BYTES,
                "sample_max_concurrent_requests": workshop.settings.slots,
                "limbeck": limbeck,
            }
        )

    async def telemetry(_: web.Request) -> web.Response:
        return web.json_response({"status": "accepted"})

    async def create_session(request: web.Request) -> web.Response:
        fields = _fields(await body_of(request))
        tags = fields.raw("tags")
        if not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)):
            fields.fault("tags", "It must be a list of texts.")
        fields.text("sdk_version")
        fields.faults.check()
        messages = {f"{kind}_message": None for kind in ("info", "warning", "error")}
        return web.json_response({"type": "create_session", **messages, "session_id": workshop.open_session()})

    async def heartbeat(request: web.Request) -> web.Response:
        fields = _fields(await body_of(request))
        session = fields.text("session_id")
        fields.faults.check()
        workshop.touch(session, True)
        return web.json_response({"type": "session_heartbeat"})

    async def retrieve(request: web.Request) -> web.Response:
        fields = _fields(await body_of(request))
        number = fields.text("request_id")
        fields.faults.check()
        return web.json_response(await workshop.futures.wait(number, workshop.settings.poll_seconds))

    async def statistics(_: web.Request) -> web.Response:
        return web.json_response({"seconds": workshop.thread.seconds, "counts": vars(workshop.sampler.counts)})

    return [
        web.get("/", root),
        web.get("/api/v1/healthz", health),
        web.get("/api/v1/get_server_capabilities", capabilities),
        web.post("/api/v1/client/config", config),
        web.post("/api/v1/telemetry", telemetry),
        web.post("/api/v1/create_session", create_session),
        web.post("/api/v1/session_heartbeat", heartbeat),
        web.post("/api/v1/retrieve_future", retrieve),
        web.get("/api/v1/limbeck/statistics", statistics),
    ]


def _fields(body: Body) -> Fields:
    return Fields(body, Faults())
