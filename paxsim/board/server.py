"""The table in the browser: pages and messages, on this machine only.

Every seat of a person has a link with a token of its own, which says who asks. A browser asks for
the state with what it knows already, and the answer waits until there is more.
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
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from paxsim.board.host import Host
from paxsim.board.replay import fill_page
from paxsim.board.session import warm_hints
from paxsim.errors import PaxsimError, is_integer

ADDRESS = "127.0.0.1"
#: Seconds that an answer waits for something to tell.
PATIENCE = 20.0
#: Bytes of a message; the longest that means something has about a hundred.
_LONGEST = 4096
#: Seconds that those who wait for an answer are given when the server ends.
_FAREWELL = 1

FORBIDDEN, BROKEN, NOT_NOW = 403, 400, 409


class RefusedError(Exception):
    """A request that is not carried out, with the status of its answer."""

    def __init__(self, status: int, why: str):
        super().__init__(why)
        self.status = status


class Room:
    """A host that browsers talk to.

    Parameters
    ----------
    host : Host
        The table.
    worker : ThreadPoolExecutor
        The one thread in which all that the host does happens, one thing after another.
    report : callable
        Told when a strategy fails, in words that people at the table must not read.
    """

    def __init__(self, host: Host, worker: ThreadPoolExecutor, report: Callable[[str], None]):
        self._host = host
        self._worker = worker
        self._report = report
        self._news = asyncio.Event()
        self._closing = False
        self._tasks: set[asyncio.Task] = set()
        self.tokens = {secrets.token_urlsafe(18): seat for seat in host.persons}

    def app(self) -> Starlette:
        """The application, to be served or tested."""

        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            self._go_on()
            yield

        return Starlette(
            routes=[
                Route("/{token}/", self._page),
                Route("/{token}/state", self._state),
                Route("/{token}/act", self._act, methods=["POST"]),
                Route("/{token}/replay", self._replay),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[ADDRESS, "localhost"])],
            exception_handlers={
                RefusedError: _refused,
                PaxsimError: _refused,
                404: _lost,
                405: _lost,
            },
            lifespan=lifespan,
        )

    def close(self) -> None:
        """Let nobody wait any longer: the server is about to end."""
        self._closing = True
        self._tell_news()

    # --- what browsers ask for --------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        seat = self._seat_of(request)
        return _closed(HTMLResponse(fill_page("play", f"PAX: seat {seat}", {"seat": seat})))

    async def _state(self, request: Request) -> Response:
        seat = self._seat_of(request)
        asked = request.query_params
        _same_seat(asked.get("seat", str(seat)), seat)
        since = asked.get("since", "0")
        if not since.isdecimal() or len(since) > 9:
            raise RefusedError(BROKEN, "since: allowed: a whole number")
        last = asked.get("last", "")
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while True:
            news = self._news  # taken before looking, so that nothing happens unnoticed
            told = await self._call(self._host.look, seat, asked.get("epoch", ""), int(since))
            told["last"] = _summary(told)
            left = deadline - asyncio.get_running_loop().time()
            if told["steps"] or told["last"] != last or left <= 0 or self._closing:
                return _closed(JSONResponse(told))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), left)

    async def _act(self, request: Request) -> Response:
        seat = self._seat_of(request)
        message = await _message_of(request)
        _same_seat(message.get("seat", seat), seat)
        act = message.get("act")
        answer: dict[str, Any] = {"done": act}
        if act == "choose":
            if not is_integer(message.get("decision")):
                raise RefusedError(BROKEN, "decision: allowed: the number of the decision at hand")
            await self._call(self._host.decide, seat, message["decision"], message.get("option"))
        elif act == "undo":
            await self._call(self._host.undo, seat)
        elif act == "next":
            await self._call(self._host.next_level)
        elif act == "hint":
            answer["hint"] = await self._call(self._host.hint, seat)
        else:
            raise RefusedError(BROKEN, "act: allowed: choose, undo, hint, next")
        if act != "hint":
            self._tell_news()
            self._go_on()
        return _closed(JSONResponse(answer))

    async def _replay(self, request: Request) -> Response:
        self._seat_of(request)
        replay = await self._call(self._host.replay)
        return _closed(HTMLResponse(replay.page()))

    # --- how it is done ---------------------------------------------------------------------

    def _seat_of(self, request: Request) -> int:
        """The seat that a link is for; every token is compared, and in full."""
        given = request.path_params["token"].encode()
        found = [seat for token, seat in self.tokens.items()
                 if secrets.compare_digest(token.encode(), given)]  # fmt: skip
        if not found:
            raise RefusedError(
                FORBIDDEN, "token: unknown; allowed: a link that `paxsim play` has said"
            )
        return found[0]

    async def _call(self, function: Callable, *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, function, *arguments)

    def _go_on(self) -> None:
        """Let strategies play in the background, up to the next decision of a person."""
        task = asyncio.get_running_loop().create_task(self._play_strategies())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play_strategies(self) -> None:
        try:
            while await self._call(self._host.step):
                self._tell_news()
        except PaxsimError as error:
            self._report(str(error))
            self._tell_news()

    def _tell_news(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def _summary(told: dict[str, Any]) -> str:
    """Changes whenever an answer says something new besides the steps of the story."""
    decision = told["decision"]["number"] if told["decision"] else ""
    parts = (told["epoch"], decision, told["waits_for"], told["failed"], told["next_level"])
    return "/".join(map(str, parts))


def _same_seat(asked: Any, seat: int) -> None:
    if str(asked) != str(seat):
        raise RefusedError(FORBIDDEN, f"seat: this link is for seat {seat}; allowed: no other")


async def _message_of(request: Request) -> dict[str, Any]:
    """The JSON object that a browser sent."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LONGEST:
            raise RefusedError(BROKEN, f"message: allowed: at most {_LONGEST} bytes")
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise RefusedError(BROKEN, "message: allowed: a JSON object")
    return message


async def _refused(_: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, RefusedError) else NOT_NOW
    return _closed(JSONResponse({"error": str(error)}, status))


async def _lost(_: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _closed(JSONResponse({"error": "address: there is nothing here"}, status))


def _closed(response: Response) -> Response:
    """The answer with the headers that keep it, and its address, where it belongs."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    return response


class Server(uvicorn.Server):
    """Serves a room, and lets it close before the last connections are."""

    def __init__(self, room: Room):
        super().__init__(
            uvicorn.Config(
                room.app(),
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_FAREWELL,
            )
        )
        self._room = room

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, after everybody who waits has been answered."""
        self._room.close()
        await super().shutdown(sockets)


def serve(
    make_host: Callable[[], Host],
    port: int,
    say: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Serve a table until it is interrupted.

    Parameters
    ----------
    make_host : callable
        Makes the table.
    port : int
        Where to listen; 0 for one that is free.
    say, warn : callable
        How the links, and what goes wrong, are told.
    """
    with socket.socket() as listener, ThreadPoolExecutor(max_workers=1) as worker:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((ADDRESS, port))
            listener.listen()  # who opens a link at once is answered when the server is up
        except OSError as error:
            raise PaxsimError(f"port: cannot use {port}: {error.strerror}") from None
        host = worker.submit(make_host).result()
        room = Room(host, worker, warn)
        for token, seat in room.tokens.items():
            say(f"seat {seat}: http://{ADDRESS}:{listener.getsockname()[1]}/{token}/")
        threading.Thread(target=warm_hints, daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            Server(room).run(sockets=[listener])
