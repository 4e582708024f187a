"""The server: the protocol's paths over one workshop."""

from __future__ import annotations

from aiohttp import web

from .audit import AuditLog
from .guard import Guarding, Tokens
from .http import MOST_BODY_BYTES, middlewares
from .routes.sampling import sampling_routes
from .routes.service import service_routes
from .routes.training import training_routes
from .routes.weights import weights_routes
from .settings import Settings
from .workshop import Workshop


class Server:
    """A server that listens. `start` it inside a loop, and `close` it."""

    def __init__(self, runner: web.AppRunner, workshop: Workshop, url: str) -> None:
        self._runner = runner
        self.workshop = workshop
        self.url = url

    @staticmethod
    async def start(settings: Settings, host: str = "127.0.0.1", port: int = 0) -> "Server":
        """Opens the model, then listens."""
        tokens = None if settings.tokens is None else Tokens(settings.tokens)
        guarding = Guarding(host, settings.api_key, tokens, MOST_BODY_BYTES)
        log = None if settings.audit is None else AuditLog(settings.audit)
        workshop = Workshop(settings)
        app = web.Application(middlewares=middlewares(guarding, workshop.futures, settings.poll_seconds, log), client_max_size=MOST_BODY_BYTES)
        for routes in (service_routes, training_routes, weights_routes, sampling_routes):
            app.add_routes(routes(workshop))
        runner = web.AppRunner(app, access_log=None, keepalive_timeout=75)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host, port)
            await site.start()
        except OSError:
            await runner.cleanup()
            await workshop.close()
            raise
        listening = runner.addresses[0]
        shown = f"[{listening[0]}]" if ":" in listening[0] else listening[0]
        return Server(runner, workshop, f"http://{shown}:{listening[1]}")

    async def close(self) -> None:
        """Ends what is under way, and listens no more."""
        await self._runner.cleanup()
        await self.workshop.close()
