"""The server of the workload as a file for `plainmcp serve`."""

import systems

__all__ = ["server"]

server = systems.build("plainmcp")
