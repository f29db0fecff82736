"""Server-sent events as bytes. Knows the format of the stream and nothing of what it carries."""

__all__ = ["COMMENT", "comment", "event"]


def event(data: bytes = b"", *, id: str | None = None, retry: int | None = None) -> bytes:
    r"""One event: an id to resume after, how long to wait before coming back, and the data, line by line.

    >>> event(b'{"a":1}', id="3-1")
    b'id: 3-1\ndata: {"a":1}\n\n'
    >>> event(id="3-0", retry=500)
    b'id: 3-0\nretry: 500\ndata: \n\n'
    """
    head = b""
    if id is not None:
        head = b"id: %b\n" % _one_line(id)
    if retry is not None:
        head += b"retry: %d\n" % retry
    return head + b"".join(b"data: %b\n" % line for line in _lines(data)) + b"\n"


def comment(text: str = "") -> bytes:
    r"""What readers skip: it keeps the connection warm.

    >>> comment()
    b':\n\n'
    """
    return b":%b\n\n" % _one_line(f" {text}" if text else "")


def _lines(data: bytes) -> list[bytes]:
    # JSON as we write it is one line; CR and LF both end a line of the stream.
    if b"\n" not in data and b"\r" not in data:
        return [data]
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _one_line(text: str) -> bytes:
    if any(mark in text for mark in "\r\n\0"):
        raise ValueError("an id or a comment is one line")
    return text.encode()


COMMENT = comment()
"""The shortest thing that can be said."""
