"""What the log holds, over plain handlers and a real server."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from limbeck_torch.audit import AuditLog, audit
from limbeck_torch.errors import Refusal
from limbeck_torch.guard import Guarding, Tokens, guard

from test_guard import tokens_file


def ask(log: AuditLog, tokens: Tokens, asked: list[tuple[str, str, str]]) -> None:
    @web.middleware
    async def refusals(request: web.Request, handler: object) -> web.StreamResponse:
        try:
            return await handler(request)  # type: ignore[operator]
        except Refusal as refusal:
            return web.json_response({"detail": refusal.detail}, status=refusal.status)

    async def answer(_request: web.Request) -> web.Response:
        return web.json_response({})

    async def run() -> None:
        app = web.Application(middlewares=[refusals, audit(log), guard(Guarding("127.0.0.1", None, tokens, 100))])
        app.router.add_route("*", "/{rest:.*}", answer)
        async with TestClient(TestServer(app)) as client:
            for method, path, token in asked:
                async with client.request(method, path, headers={"X-API-Key": token}) as given:
                    await given.read()

    asyncio.run(run())


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_changes_and_refusals_are_logged_and_reading_is_not(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "audit.jsonl"
    asked = [
        ("GET", "/api/v1/training_runs", "read"),
        ("POST", "/api/v1/optim_step", "train"),
        ("POST", "/api/v1/optim_step", "read"),
        ("GET", "/api/v1/training_runs", "wrong"),
        ("DELETE", "/" + "x" * 500, "train"),
    ]
    ask(AuditLog(path), Tokens(tokens_file(tmp_path)), asked)
    found = [(one["who"], one["method"], one["role"], one["status"]) for one in lines(path)]
    assert found == [
        ("trainer", "POST", "train", 200),
        ("reader", "POST", "train", 403),
        (None, "GET", "read", 401),
        ("trainer", "DELETE", "train", 200),
    ]
    assert all(one["server"] == "trainer" and one["from"] == "127.0.0.1" and str(one["time"]).endswith("Z") for one in lines(path))
    assert len(str(lines(path)[-1]["path"])) == 300
    assert "wrong" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_file_is_put_aside_and_the_oldest_goes(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path, most_bytes=1)
    for number in range(7):
        log.write({"number": number})
    kept = [tmp_path / "audit.jsonl", *(tmp_path / f"audit.jsonl.{number}" for number in range(1, 5))]
    assert [lines(one)[0]["number"] for one in kept] == [6, 5, 4, 3, 2]
    assert len(list(tmp_path.iterdir())) == 5


def test_a_file_that_cannot_be_written_is_told_before_anything_is_served(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        AuditLog(tmp_path)
