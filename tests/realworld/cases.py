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
    python: str | None = None  # the version of Python that it wants, if it may be a newer one
    app: str | None = None  # of a framework: the program of ours that uses it, and serves HTTP

    @property
    def name(self) -> str:
        """A name for folders and reports."""
        return self.requirement.replace("<", "-before-").replace("==", "-")


ODOO = {"ODOO_URL": "http://localhost:8069", "ODOO_USER": "a", "ODOO_PASSWORD": "b", "ODOO_YOLO": "true"}

CASES = [
    Case("arxiv-mcp-server", "mcp1", arguments=("--storage-path", "papers")),
    Case("ableton-mcp", "mcp1", script="ableton-mcp"),
    Case("awslabs.aws-documentation-mcp-server", "mcp2"),
    Case("awslabs.dynamodb-mcp-server", "mcp1"),
    Case("chroma-mcp", "mcp1", arguments=("--client-type", "ephemeral")),
    Case("duckduckgo-mcp-server", "mcp2"),
    Case("django-mcp-server==0.5.7", "mcp1", app="django_app.py"),
    Case("elevenlabs-mcp", "mcp1", environment={"ELEVENLABS_API_KEY": "none"}),
    Case("excel-mcp-server", "mcp2", arguments=("stdio",)),
    Case("fastapi-mcp==0.4.0", "mcp1", app="fastapi_app.py"),
    Case("linkedin-mcp-server", "fastmcp"),
    Case("mcp-clickhouse", "fastmcp", environment={"CLICKHOUSE_HOST": "localhost", "CLICKHOUSE_USER": "default"}),
    Case("mcp-for-blender", "mcp1"),
    Case("mcp-jenkins", "fastmcp", arguments=("--jenkins-url", "http://localhost:1", "--read-only")),
    Case("mcp-pdf", "fastmcp"),
    Case("mcp-server-fetch", "mcp2"),
    Case("mcp-server-fetch<2026", "mcp1"),
    Case("mcp-server-git", "mcp2"),
    Case("mcp-server-git<2026", "mcp1"),
    Case("mcp-server-motherduck", "fastmcp", arguments=("--db-path", ":memory:", "--read-write")),
    Case("mcp-server-odoo", "mcp2", arguments=("--transport", "stdio"), environment=ODOO),
    Case("mcp-server-opendal", "mcp1", arguments=("--transport", "stdio"), python="3.13"),
    Case("mcp-server-qdrant", "fastmcp", environment={"QDRANT_URL": "http://localhost:6333", "COLLECTION_NAME": "c"}),
    Case("mcp-server-sqlite", "mcp1", arguments=("--db-path", "t.db")),
    Case("mcp-server-time", "mcp2", arguments=("--local-timezone", "UTC")),
    Case("mcp-server-time<2026", "mcp1", arguments=("--local-timezone", "UTC")),
    Case("office-word-mcp-server", "fastmcp"),
    Case("redis-mcp-server", "mcp1"),
]
