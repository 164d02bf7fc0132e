"""Web server of a game: pages and JSON messages, on this machine only.

Each person's seat has a link with a secret token, which says who asks. A request for the state
waits until there is something new.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from paxsim.board.replay import fill_page
from paxsim.board.session import Host, warm_hints
from paxsim.errors import PaxsimError, is_integer

ADDRESS = "127.0.0.1"
#: Seconds that a request for the state waits for a change.
PATIENCE = 20.0
#: Longest message in bytes; those that the page sends have about a hundred.
_MAX_MESSAGE = 4096
#: Seconds that open requests have when the server stops.
_SHUTDOWN = 1

FORBIDDEN, BAD_REQUEST, CONFLICT = 403, 400, 409
_HANDLED = (HTTPException, PaxsimError, ClientDisconnect)


class Room:
    """The web application around a `Host`."""

    def __init__(self, host: Host, worker: ThreadPoolExecutor, report: Callable[[str], None]):
        self._host = host
        self._worker = worker  # a single thread, so that calls of the host never overlap
        self._report = report  # shows errors of policies, which players must not read
        self._change = asyncio.Event()
        self._closing = False
        self._tasks: set[asyncio.Task] = set()
        self.tokens = {secrets.token_urlsafe(18): seat for seat in host.session.persons}

    def app(self) -> Starlette:
        """Return the application."""

        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            self._start_policies()
            yield

        return Starlette(
            routes=[
                Route("/{token}/", self._page),
                Route("/{token}/state", self._state),
                Route("/{token}/act", self._act, methods=["POST"]),
                Route("/{token}/replay", self._replay),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[ADDRESS, "localhost"])],
            exception_handlers=dict.fromkeys(_HANDLED, _error_response),
            lifespan=lifespan,
        )

    def close(self) -> None:
        """Answer all waiting requests, because the server is about to stop."""
        self._closing = True
        self._announce_change()

    # --- requests ---------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        seat = self._seat_of(request)
        return _private(HTMLResponse(fill_page("play", f"PAX: seat {seat}", {"seat": seat})))

    async def _state(self, request: Request) -> Response:
        seat = self._seat_of(request)
        version = request.query_params.get("version", "")
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while True:
            change = self._change  # taken before looking, so that no change is missed
            left = deadline - asyncio.get_running_loop().time()
            if str(self._host.version) != version or left <= 0 or self._closing:
                return _private(JSONResponse(await self._call(self._host.state, seat)))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(change.wait(), left)

    async def _act(self, request: Request) -> Response:
        seat = self._seat_of(request)
        message = await _read_message(request)
        act = message.get("act")
        answer: dict[str, Any] = {"done": act}
        if act == "choose":
            if not is_integer(message.get("decision")):
                raise HTTPException(BAD_REQUEST, "decision must be the number of a decision")
            await self._call(self._host.decide, seat, message["decision"], message.get("option"))
        elif act == "undo":
            await self._call(self._host.undo, seat)
        elif act == "next":
            await self._call(self._host.next_level)
        elif act == "hint":
            answer["hint"] = await self._call(self._host.hint, seat)
        else:
            raise HTTPException(BAD_REQUEST, "act must be choose, undo, hint or next")
        if act != "hint":
            self._announce_change()
            self._start_policies()
        return _private(JSONResponse(answer))

    async def _replay(self, request: Request) -> Response:
        self._seat_of(request)
        replay = await self._call(self._host.replay)
        return _private(HTMLResponse(replay.page()))

    def _seat_of(self, request: Request) -> int:
        """Return the seat of a link; all tokens are compared, in constant time."""
        origin = request.headers.get("origin")
        if origin not in (None, f"http://{request.headers.get('host')}"):
            raise HTTPException(FORBIDDEN, "requests from other sites are refused")
        token = request.path_params["token"].encode()
        seats = [seat for secret, seat in self.tokens.items()
                 if secrets.compare_digest(secret.encode(), token)]  # fmt: skip
        if not seats:
            raise HTTPException(FORBIDDEN, "unknown link: use one that `paxsim play` printed")
        return seats[0]

    async def _call(self, function: Callable, *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, function, *arguments)

    # --- policies ---------------------------------------------------------------------------

    def _start_policies(self) -> None:
        """Let policies play in the background, up to the next decision of a person."""
        task = asyncio.get_running_loop().create_task(self._play_policies())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play_policies(self) -> None:
        try:
            while await self._call(self._host.step):
                self._announce_change()
        except PaxsimError as error:
            self._report(str(error))
            self._announce_change()

    def _announce_change(self) -> None:
        change, self._change = self._change, asyncio.Event()
        change.set()


async def _read_message(request: Request) -> dict[str, Any]:
    """Return the JSON object that a browser sent."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_MESSAGE:
            raise HTTPException(BAD_REQUEST, f"a message has at most {_MAX_MESSAGE} bytes")
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise HTTPException(BAD_REQUEST, "a message must be a JSON object")
    return message


async def _error_response(_: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return _private(JSONResponse({"error": error.detail}, error.status_code))
    return _private(JSONResponse({"error": str(error)}, CONFLICT))


def _private(response: Response) -> Response:
    """Add headers that keep a response and its address out of caches and other sites."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    return response


class Server(uvicorn.Server):
    """Server of a room; on shutdown it first answers waiting requests."""

    def __init__(self, room: Room):
        super().__init__(
            uvicorn.Config(
                room.app(),
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_SHUTDOWN,
            )
        )
        self._room = room

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to shut down at the first Ctrl-C; a second one would only cut it short."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer waiting requests and stop."""
        self._room.close()
        await super().shutdown(sockets)


def serve(
    make_host: Callable[[], Host],
    port: int,
    say: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Serve a game until Ctrl-C; print the links, and errors of policies."""
    with socket.socket() as listener, ThreadPoolExecutor(max_workers=1) as worker:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((ADDRESS, port))
            listener.listen()  # a link that is opened at once is answered when the server is up
        except OSError as error:
            raise PaxsimError(f"can't use port {port}: {error.strerror}") from None
        host = worker.submit(make_host).result()
        room = Room(host, worker, warn)
        for token, seat in room.tokens.items():
            say(f"seat {seat}: http://{ADDRESS}:{listener.getsockname()[1]}/{token}/")
        threading.Thread(target=warm_hints, daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            Server(room).run(sockets=[listener])
