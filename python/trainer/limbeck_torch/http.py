"""HTTP around the handlers: the guard, repeated requests, bodies, and refusals as the protocol words them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from .errors import Refusal, WorkFailed
from .futures import Futures
from .audit import AuditLog, audit
from .guard import Guarding, guard

Body = Any
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MOST_BODY_BYTES = 256 * 1024 * 1024
_KEPT_ANSWERS = 2_048
_log = logging.getLogger("limbeck_torch")


async def body_of(request: web.Request) -> Body:
    """The JSON of a request. A page in a browser cannot send this type to another address without being asked first."""
    if request.content_type != "application/json":
        raise Refusal(415, f'"{request.content_type[:60]}" is not served here; send application/json.')
    data = await request.read()
    try:
        return json.loads(data)
    except ValueError as error:
        raise Refusal(422, [{"type": "json_invalid", "loc": ["body"], "msg": "The body is not JSON."}]) from error


def middlewares(guarding: Guarding, futures: Futures, poll_seconds: float, log: AuditLog | None = None) -> list[Any]:
    """In the order in which a request meets them."""

    @web.middleware
    async def refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except Refusal as refusal:
            return web.json_response({"detail": refusal.detail}, status=refusal.status)
        except WorkFailed as failure:
            return web.json_response({"detail": str(failure)}, status=400)
        except web.HTTPException as known:
            return web.json_response({"detail": known.reason}, status=known.status)
        except (asyncio.CancelledError, ConnectionResetError):
            raise
        except Exception:
            _log.exception("A request failed: %s %s", request.method, request.path)
            return web.json_response({"detail": "Internal Server Error"}, status=500)

    answers: dict[str, asyncio.Future[tuple[int, bytes]]] = {}

    @web.middleware
    async def once(request: web.Request, handler: Handler) -> web.StreamResponse:
        """A request whose answer was lost on the way is answered again, not done again."""
        given = request.headers.get("X-Idempotency-Key")
        # Waiting for a result changes nothing, and its answer differs from time to time.
        if given is None or request.method != "POST" or request.path.endswith("/retrieve_future"):
            return await handler(request)
        name = f"{request.path} {given}"
        known = answers.get(name)
        if known is None:
            known = answers[name] = asyncio.get_running_loop().create_future()
            known.add_done_callback(lambda done: done.cancelled() or done.exception())
            if len(answers) > _KEPT_ANSWERS:
                del answers[next(iter(answers))]
            try:
                response = await handler(request)
                body = response.body if isinstance(response, web.Response) else b""
                known.set_result((response.status, body if isinstance(body, bytes) else b""))
            except BaseException as error:
                # A refusal is not kept: what was too early may be right the next time.
                answers.pop(name, None)
                known.set_exception(error if isinstance(error, Exception) else ConnectionResetError())
                raise
        status, body = await asyncio.shield(known)
        return web.Response(status=status, body=body, content_type="application/json")

    @web.middleware
    async def result(request: web.Request, handler: Handler) -> web.StreamResponse:
        """With the result, where the client asked to wait for it and it comes in time. A failure is left to the question for it."""
        response = await handler(request)
        seconds = _seconds(request.headers.get("X-Limbeck-Wait"), poll_seconds)
        if seconds <= 0 or response.status != 200 or not isinstance(response, web.Response) or not isinstance(response.body, bytes):
            return response
        told = json.loads(response.body)
        if not isinstance(told, dict) or not isinstance(told.get("request_id"), str):
            return response
        try:
            found = await futures.wait(told["request_id"], seconds)
        except Refusal:
            return response
        return web.json_response({**told, "limbeck": {"result": found}})

    return [refusals, *([] if log is None else [audit(log)]), guard(guarding), result, once]


def _seconds(given: str | None, most: float) -> float:
    """0: not at all."""
    try:
        return min(float(given or 0), most)
    except ValueError:
        return 0.0
