"""Games with people for tests: a server in a thread, and somebody who talks to it."""

import contextlib
import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

from paxsim.board.host import Arrangement, Host
from paxsim.board.server import ADDRESS, Room, Server


def make_host(folder, policies, seed=3, name="game", games=None, **arranged):
    """A table whose files are in a folder."""
    arrangement = Arrangement(list(policies), seed, **arranged)
    return Host(arrangement, folder / f"{name}.json", folder / f"{name}.jsonl", games)


class Seat:
    """A browser at a seat, by its link."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.base = f"http://{ADDRESS}:{port}/{token}/"
        self.sent = []  # the bytes of all answers

    def ask(self, path, message=None, method=None, **headers):
        """Status and body; `message` is sent as it is if it is bytes, else as JSON."""
        connection = http.client.HTTPConnection(ADDRESS, self.port, timeout=30)
        body = message if message is None or isinstance(message, bytes) else json.dumps(message)
        method = method or ("GET" if message is None else "POST")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        self.sent.append(content)
        return answer.status, content

    def state(self, query=""):
        status, content = self.ask(f"/{self.token}/state{query}")
        assert status == 200, content
        return json.loads(content)

    def act(self, **message):
        status, content = self.ask(f"/{self.token}/act", message)
        return status, json.loads(content)

    def choose(self, decision, option):
        return self.act(act="choose", decision=decision, option=option)


@contextlib.contextmanager
def served(make):
    """Serve the table that `make` makes; yields the browsers by seat, and what was reported."""
    said = []
    with ThreadPoolExecutor(max_workers=1) as worker, socket.socket() as listener:
        listener.bind((ADDRESS, 0))
        listener.listen()
        room = Room(worker.submit(make).result(), worker, said.append)
        server = Server(room)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        port = listener.getsockname()[1]
        try:
            yield {seat: Seat(port, token) for token, seat in room.tokens.items()}, said
        finally:
            server.should_exit = True
            thread.join(20)


def wait_for_decision(seat):
    """The state of a seat when it is asked something, or when the game is over."""
    told = seat.state()
    while not told["decision"] and not told["over"]:
        told = seat.state(f"?epoch={told['epoch']}&since=0&last={told['last']}")
    return told
