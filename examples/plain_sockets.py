"""Bring your own I/O: a server on a TCP port, a message a line, in forty lines of the standard library.

Try it:

    python examples/plain_sockets.py 9000 &
    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | nc -q 1 127.0.0.1 9000

A connection is `server.connect(send)`: bytes go in by `handle`, which gives the answer, or by `start` and `finish`
where requests shall not wait for one another; `send` is called with all that is no answer, such as progress.
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
            answer = connection.finish(exchange)
            if answer is not None:
                send(answer)

        connection = server.connect(send)
        with ThreadPoolExecutor() as threads:
            for line in self.rfile:
                # Everything but your own functions is done here, in order; those run side by side.
                threads.submit(finish, connection.start(line))
            connection.close()


class Listener(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


if __name__ == "__main__":
    with Listener(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Client) as listener:
        print(f"listening on 127.0.0.1:{listener.server_address[1]}", flush=True)
        listener.serve_forever()
