"""TLS in front of servers that have none: certificates of an authority of the tests, and a proxy for any ports.

Run as a program it is the proxy: `python tls.py FOLDER HOW PORT:TARGET ...`. HOW is "tls", "clients" (they need a
certificate of the authority, too), or "both": with TLS and without, as each connection begins.
"""

import asyncio
import ipaddress
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

__all__ = ["make_certificates", "tls_in_front"]

PARTIES = ("ca", "server", "client")


def make_certificates(folder: Path) -> None:
    """Write ca.pem, and server and client (.pem and .key), signed by it, into a folder."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.now(UTC)
    names = {name: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"tests {name}")]) for name in PARTIES}
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in PARTIES}
    where = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    for name, key in keys.items():
        certificate = (
            x509.CertificateBuilder()
            .subject_name(names[name])
            .issuer_name(names["ca"])
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=7))
            .add_extension(x509.BasicConstraints(ca=name == "ca", path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(where), critical=False)
            .sign(keys["ca"], hashes.SHA256())
        )
        (folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        (folder / f"{name}.key").write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))


@contextmanager
def tls_in_front(folder: Path, ports: dict[int, int], how: str = "tls") -> Iterator[None]:
    """A proxy with TLS at each port, to the port behind it; the folder has its certificates."""
    pairs = [f"{port}:{target}" for port, target in ports.items()]
    process = subprocess.Popen([sys.executable, __file__, str(folder), how, *pairs], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        yield
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


async def _serve(folder: Path, how: str, pairs: list[str]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    if how == "clients":
        context.load_verify_locations(folder / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
    async with asyncio.TaskGroup() as tasks:
        for pair in pairs:
            port, _, target = pair.partition(":")
            listening = socket.create_server(("127.0.0.1", int(port)), backlog=100)
            tasks.create_task(_accept(listening, int(target), context, how == "both"))
        print("ready", flush=True)


async def _accept(listening: socket.socket, target: int, context: ssl.SSLContext, or_plain: bool) -> None:
    listening.setblocking(False)
    carrying = set()
    while True:
        client, _ = await asyncio.get_running_loop().sock_accept(listening)
        task = asyncio.create_task(_carry(client, target, context, or_plain))
        carrying.add(task)
        task.add_done_callback(carrying.discard)


async def _carry(client: socket.socket, target: int, context: ssl.SSLContext, or_plain: bool) -> None:
    """Carry the bytes of a connection to a port, and back, until one side ends."""
    loop, outer = asyncio.get_running_loop(), asyncio.StreamReader()
    with suppress(OSError):
        has_tls = not or_plain or await _first_byte(client) == b"\x16"
        transport, protocol = await loop.connect_accepted_socket(
            lambda: asyncio.StreamReaderProtocol(outer), client, ssl=context if has_tls else None
        )
        writer = asyncio.StreamWriter(transport, protocol, outer, loop)
        with suppress(OSError):
            inner, inner_writer = await asyncio.open_connection("127.0.0.1", target)
            ways = [asyncio.create_task(_copy(outer, inner_writer)), asyncio.create_task(_copy(inner, writer))]
            _, rest = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for task in rest:
                task.cancel()
            inner_writer.close()
        writer.close()


async def _first_byte(client: socket.socket) -> bytes:
    while True:
        try:
            return client.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            await asyncio.sleep(0.001)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while raw := await reader.read(65536):
            writer.write(raw)
            await writer.drain()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
