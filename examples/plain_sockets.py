"""Bring your own I/O: a server on a TCP port, one message per line, with the standard library only.

Try it:

    python examples/plain_sockets.py 9000 &
    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | nc -q 1 127.0.0.1 9000

A connection is `server.connect(send)`: `handle` takes a message and returns the response; `start` and `finish` do the
same in two steps, so that requests do not wait for one another. `send` gets other messages, such as progress.
"""

import socketserver
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from plainmcp import Server

server = Server("sockets", "1.0.0")


@server.tool
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


class Client(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        writing = threading.Lock()

        def send(message: bytes) -> None:
            with writing:
                self.wfile.write(message + b"\n")

        def finish(exchange: Any) -> None:
            response = connection.finish(exchange)
            if response is not None:
                send(response)

        connection = server.connect(send)
        with ThreadPoolExecutor() as threads:
            for line in self.rfile:
                # Everything but your own functions runs here, in order; your functions run in parallel.
                threads.submit(finish, connection.start(line))
            connection.close()


class Listener(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


if __name__ == "__main__":
    with Listener(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Client) as listener:
        print(f"listening on 127.0.0.1:{listener.server_address[1]}", flush=True)
        listener.serve_forever()
