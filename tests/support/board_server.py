"""Games with people for tests: a server in a thread, and a client."""

import contextlib
import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

from paxsim.board.server import ADDRESS, Room, Server
from paxsim.board.session import Arrangement, Host


def make_host(folder, policies, seed=3, name="game", games=None, **arranged):
    """Return a host whose files are in a folder."""
    arrangement = Arrangement(list(policies), seed, **arranged)
    return Host(arrangement, folder / f"{name}.json", folder / f"{name}.jsonl", games)


class SeatClient:
    """A client with the link of a seat."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.base = f"http://{ADDRESS}:{port}/{token}/"
        self.sent = []  # the bytes of all responses

    def ask(self, path, message=None, method=None, **headers):
        """Return status and body; a message that is not bytes is sent as JSON."""
        connection = http.client.HTTPConnection(ADDRESS, self.port, timeout=30)
        body = message if message is None or isinstance(message, bytes) else json.dumps(message)
        method = method or ("GET" if message is None else "POST")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        self.sent.append(content)
        return answer.status, content

    def state(self, version=""):
        status, content = self.ask(f"/{self.token}/state?version={version}")
        assert status == 200, content
        return json.loads(content)

    def act(self, **message):
        status, content = self.ask(f"/{self.token}/act", message)
        return status, json.loads(content)

    def choose(self, decision, option):
        return self.act(act="choose", decision=decision, option=option)


@contextlib.contextmanager
def serve(make):
    """Serve the host that `make` returns; yield the clients by seat, and reported errors."""
    reported = []
    with ThreadPoolExecutor(max_workers=1) as worker, socket.socket() as listener:
        listener.bind((ADDRESS, 0))
        listener.listen()
        room = Room(worker.submit(make).result(), worker, reported.append)
        server = Server(room)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        port = listener.getsockname()[1]
        try:
            yield {seat: SeatClient(port, token) for token, seat in room.tokens.items()}, reported
        finally:
            server.should_exit = True
            thread.join(20)


def wait_for_decision(seat):
    """Return the state of a seat when it is to decide, or when the game is over."""
    state = seat.state()
    while not state["decision"] and not state["over"]:
        state = seat.state(state["version"])
    return state
