"""The settings of FastMCP's servers: in the constructor as in 2.x, on `.settings`, and how they are served here."""

import sys
from pathlib import Path
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


def _home() -> Path:
    """The folder of FastMCP for data of the user, by the habit of the system."""
    places = {"darwin": "Library/Application Support", "win32": "AppData/Local/fastmcp"}
    return Path.home() / places.get(sys.platform, ".local/share") / "fastmcp"


settings = Settings(
    check_for_updates="stable",
    client_disconnect_timeout=5.0,
    client_init_timeout=None,
    client_log_level=None,
    client_raise_first_exceptiongroup_error=True,
    deprecation_warnings=True,
    enable_rich_logging=True,
    enable_rich_tracebacks=True,
    home=_home(),
    http_allowed_hosts=None,
    http_allowed_origins=None,
    http_host_origin_protection=False,
    http_session_idle_timeout="auto",
    log_enabled=True,
    mask_error_details=False,
    mcp_camelcase_compat=True,
    mounted_components_raise_on_load_error=False,
    oauth_encryption_key=None,
    server_dependencies=[],
    show_server_banner=True,
    ssrf_trust_proxy=False,
    strict_input_validation=False,
    telemetry_mode="native",
    test_mode=False,
    transport="stdio",
)
"""The defaults of FastMCP 4.1, for programs that read them; a change of them changes nothing."""
