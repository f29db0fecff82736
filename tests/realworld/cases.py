"""Which published servers are tried, and what each needs to start; nothing of theirs is kept in this repository."""

from dataclasses import dataclass, field

__all__ = ["CASES", "LINES", "Case"]

# The real package of each line, as pip names it. A server is compared with the newest of the line it imports from.
LINES = {"mcp1": "mcp<2", "mcp2": "mcp>=2,<3", "fastmcp": "fastmcp>=4.1,<5"}


@dataclass(frozen=True)
class Case:
    """A distribution on the package index, the line of the real package, and how its program is started."""

    requirement: str
    line: str
    script: str | None = None  # its console script, if it has several
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """A name for folders and reports."""
        return self.requirement.replace("<", "-before-").replace("==", "-")


CASES = [
    Case("ableton-mcp", "mcp1", script="ableton-mcp"),
    Case("awslabs.aws-documentation-mcp-server", "mcp2"),
    Case("awslabs.dynamodb-mcp-server", "mcp1"),
    Case("chroma-mcp", "mcp1", arguments=("--client-type", "ephemeral")),
    Case("duckduckgo-mcp-server", "mcp2"),
    Case("elevenlabs-mcp", "mcp1", environment={"ELEVENLABS_API_KEY": "none"}),
    Case("excel-mcp-server", "mcp2", arguments=("stdio",)),
    Case("linkedin-mcp-server", "fastmcp"),
    Case("mcp-clickhouse", "fastmcp", environment={"CLICKHOUSE_HOST": "localhost", "CLICKHOUSE_USER": "default"}),
    Case("mcp-for-blender", "mcp1"),
    Case("mcp-server-fetch", "mcp2"),
    Case("mcp-server-fetch<2026", "mcp1"),
    Case("mcp-server-git", "mcp2"),
    Case("mcp-server-git<2026", "mcp1"),
    Case("mcp-server-qdrant", "fastmcp", environment={"QDRANT_URL": "http://localhost:6333", "COLLECTION_NAME": "c"}),
    Case("mcp-server-time", "mcp2", arguments=("--local-timezone", "UTC")),
    Case("mcp-server-time<2026", "mcp1", arguments=("--local-timezone", "UTC")),
    Case("office-word-mcp-server", "fastmcp"),
    Case("redis-mcp-server", "mcp1"),
]
