"""Where sessions of the handshake revisions live: in memory, in their ids, in several processes, or nowhere."""

__all__: list[str] = []
