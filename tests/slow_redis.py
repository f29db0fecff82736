"""A way to a Redis that takes its time: a proxy on loopback that delays what Redis answers."""

import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["SlowWay", "slow_way"]


class SlowWay:
    """The address of the proxy, and how many seconds it delays each answer."""

    def __init__(self, port: int) -> None:
        self.seconds = 0.0
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listening.getsockname()[1]}/0"
        self._is_over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._is_over:
                client, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with suppress(OSError), client, selectors.DefaultSelector() as selector:
            redis = socket.create_connection(("127.0.0.1", self._target))
            selector.register(client, selectors.EVENT_READ)
            selector.register(redis, selectors.EVENT_READ)
            delayed: deque[tuple[float, bytes]] = deque()  # the answers on their way, with the time of their arrival
            with redis:
                while not self._is_over:
                    seconds = delayed[0][0] - time.monotonic() if delayed else 0.5
                    for key, _ in selector.select(max(0.0, seconds)):
                        raw = key.fileobj.recv(65536)  # type: ignore[union-attr]
                        if not raw:
                            return
                        if key.fileobj is client:
                            redis.sendall(raw)
                        else:
                            delayed.append((time.monotonic() + self.seconds, raw))
                    while delayed and delayed[0][0] <= time.monotonic():
                        client.sendall(delayed.popleft()[1])

    def close(self) -> None:
        """End the proxy; its connections end soon."""
        self._is_over = True
        self._listening.close()


@contextmanager
def slow_way(port: int) -> Iterator[SlowWay]:
    """A proxy to a port."""
    way = SlowWay(port)
    try:
        yield way
    finally:
        way.close()
