"""The settings of FastMCP's servers: in the constructor as in 2.x, on `.settings`, and how they are served here."""

from types import SimpleNamespace
from typing import Any

__all__ = ["Settings", "settings", "settings_of"]

_DEFAULTS: dict[str, Any] = {
    "debug": False,
    "host": "127.0.0.1",
    "json_response": False,
    "log_level": "INFO",
    "message_path": "/messages/",
    "port": 8000,
    "sse_path": "/sse",
    "stateless_http": False,
    "streamable_http_path": "/mcp",
}


class Settings(SimpleNamespace):
    """The settings of a server; they are read when it starts to serve. There are no environment variables."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**_DEFAULTS, **given})

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The settings as a dict."""
        return dict(vars(self))


def settings_of(options: dict[str, Any]) -> Settings:
    """The settings among the options of a constructor, which are taken out of it, and the defaults of the others."""
    given = {name: options.pop(name) for name in _DEFAULTS if name in options}
    return Settings(**{name: value for name, value in given.items() if value is not None})


settings = Settings()
"""The defaults; a change of them changes nothing."""
