"""The settings of the official SDK's servers, in the constructor and on `.settings`, and how they are served here."""

from types import SimpleNamespace
from typing import Any

from ...errors import AuthorError

__all__ = [
    "DEFAULT_MAX_REQUEST_BODY_SIZE",
    "DEFAULT_MAX_SESSIONS",
    "DEFAULT_SESSION_IDLE_TIMEOUT",
    "Settings",
    "TransportSecuritySettings",
    "address_of",
    "asgi_options",
    "set_verifier",
    "settings_of",
]

DEFAULT_MAX_REQUEST_BODY_SIZE = 4 * 1024 * 1024
DEFAULT_SESSION_IDLE_TIMEOUT = 1800
DEFAULT_MAX_SESSIONS = 10_000

_DEFAULTS: dict[str, Any] = {
    "debug": False,
    "log_level": "INFO",
    "host": "127.0.0.1",
    "port": 8000,
    "mount_path": "/",
    "sse_path": "/sse",
    "message_path": "/messages/",
    "streamable_http_path": "/mcp",
    "json_response": False,
    "stateless_http": False,
    "max_request_body_size": DEFAULT_MAX_REQUEST_BODY_SIZE,
    "session_idle_timeout": DEFAULT_SESSION_IDLE_TIMEOUT,
    "max_sessions": DEFAULT_MAX_SESSIONS,
    "event_store": None,
    "retry_interval": None,
    "warn_on_duplicate_resources": True,
    "warn_on_duplicate_tools": True,
    "warn_on_duplicate_prompts": True,
    "dependencies": (),
    "auth": None,
    "transport_security": None,
}

_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
_LOCAL_ORIGINS = [f"http://{name}:*" for name in _LOCAL_NAMES]


class Settings(SimpleNamespace):
    """The settings of a server; they are read when it starts to serve."""

    verifier: Any = None
    """What verifies tokens, if the server is protected."""

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The settings as a dict."""
        return dict(vars(self))


class TransportSecuritySettings(SimpleNamespace):
    """Which values of the headers Host and Origin are accepted."""

    def __init__(
        self,
        enable_dns_rebinding_protection: bool = True,
        allowed_hosts: Any = (),
        allowed_origins: Any = (),
        **options: Any,
    ) -> None:
        super().__init__(
            enable_dns_rebinding_protection=enable_dns_rebinding_protection,
            allowed_hosts=list(allowed_hosts),
            allowed_origins=list(allowed_origins),
        )


def settings_of(options: dict[str, Any]) -> Settings:
    """The settings among the options of a constructor, which are taken out of it, and the defaults of the others."""
    given = {name: options.pop(name) for name in _DEFAULTS if name in options}
    settings = Settings(**{**_DEFAULTS, **given})
    settings.dependencies = list(settings.dependencies or ())
    if settings.transport_security is None and settings.host in ("127.0.0.1", "localhost", "::1"):
        settings.transport_security = TransportSecuritySettings(
            allowed_hosts=[f"{name}:*" for name in _LOCAL_NAMES], allowed_origins=_LOCAL_ORIGINS
        )
    return settings


def set_verifier(settings: Settings, token_verifier: Any, auth_server_provider: Any) -> None:
    """Keep the verifier that protects a server, as `auth=` and `token_verifier=` say; raises AuthorError."""
    auth = settings.auth
    if auth is None and token_verifier is None and auth_server_provider is None:
        return
    from ..token_verifiers import AdaptedVerifier, is_token_verifier, text_of_url

    if auth_server_provider is not None or auth is None or not is_token_verifier(token_verifier):
        raise AuthorError(
            "a server is protected by auth=AuthSettings(…) together with token_verifier=, an object with a method "
            "verify_token; or by asgi(auth=…) and run(http=…, auth=…): plainmcp.auth has verifiers of keys and "
            "tokens. It is not an authorization server"
        )
    resource = text_of_url(auth.resource_server_url)
    settings.verifier = AdaptedVerifier(
        token_verifier,
        scopes=auth.required_scopes or (),
        issuers=[text_of_url(auth.issuer_url) or ""],
        resource=resource,
        audience=resource if getattr(auth, "validate_token_resource", None) else None,
    )


def address_of(settings: Settings) -> str:
    """The host and the port to serve at."""
    host = settings.host
    return f"[{host}]:{settings.port}" if ":" in host else f"{host}:{settings.port}"


def asgi_options(settings: Settings) -> dict[str, Any]:
    """The settings as options of Server.asgi."""
    options: dict[str, Any] = {"stateless": bool(settings.stateless_http)}
    if settings.verifier is not None:
        options["auth"] = settings.verifier
    names = {"max_request_body_size": "max_body", "session_idle_timeout": "session_idle_seconds"}
    names |= {"max_sessions": "max_sessions", "retry_interval": "retry_ms"}
    for theirs, ours in names.items():
        if getattr(settings, theirs, None) is not None:
            options[ours] = getattr(settings, theirs) or 1  # a reconnection without a pause is one of a millisecond
    security = settings.transport_security
    if security is not None and not security.enable_dns_rebinding_protection:
        options |= {"hosts": ["*"], "origins": ["*"]}
    elif security is not None:
        options |= {"hosts": _names_of(security.allowed_hosts), "origins": _origins_of(security.allowed_origins)}
    return options


def _names_of(hosts: Any) -> list[str]:
    """Host names; "name:*" is a name with any port, which is how names without a port are read here."""
    return [host.removesuffix(":*") for host in hosts or ()]


def _origins_of(origins: Any) -> list[str]:
    """The origins that may call, without those of the defaults: there, a preflight of such a page has no answer."""
    return [] if list(origins or ()) == _LOCAL_ORIGINS else list(origins or ())
