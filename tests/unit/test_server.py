"""server.handle: one message in, one response out. Most of what it does is tested where it is done."""

import msgspec

from plainmcp import Server


def test_a_buffer_is_its_owners_again_once_it_was_read() -> None:
    server, kept = Server("s"), []

    @server.tool
    def keep(data: msgspec.Raw) -> str:
        kept.append(data)
        buffer.clear()  # nobody holds on to it
        return "kept"

    message = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"keep","arguments":{"data":[1, 2]}}}'
    buffer = bytearray(message)
    assert server.handle(buffer) == server.handle(message) and [bytes(one) for one in kept] == [b"[1, 2]"] * 2
