"""Streamable HTTP without sockets: headers, sessions, streams and what is answered with which status."""

__all__: list[str] = []
