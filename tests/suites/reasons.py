"""Why a test of a suite is left out: four reasons, and no others. Data, and the one function that applies it.

It fails on the real package here; it tests the client; it tests a feature that README says plainmcp does not have; it
touches a private name. Whatever is left counts. `make test` compares the features with README.
"""

import fnmatch
from dataclasses import dataclass

from .reading import Uses
from .sides import is_below, side_of

__all__ = ["CLIENT", "FEATURES", "PRIVATE", "REAL", "Feature", "reason_for"]

REAL = "it fails on the real package here"
CLIENT = "it tests the client"
PRIVATE = "it touches a private name"
FEATURE = "it tests a feature that README says plainmcp does not have"


@dataclass(frozen=True)
class Feature:
    """A feature that plainmcp does not have, and what shows that a test is about it."""

    modules: tuple[str, ...] = ()
    """Modules of the packages, with all that is below them, and names as "module.Name"."""
    words: tuple[str, ...] = ()
    """Attributes as ".name", keywords as "name=", and calls as "name()"."""
    files: tuple[str, ...] = ()
    """Files of a suite whose scaffolding is made of the feature, or which are about nothing else."""
    cases: tuple[str, ...] = ()
    """Cases of parametrized tests, which may have other cases that count."""


_LOGIN_PROVIDERS = tuple(
    f"fastmcp.server.auth.providers.{name}"
    for name in (
        "auth0", "aws", "azure", "clerk", "descope", "discord", "github", "google", "huggingface", "in_memory",
        "keycloak", "oci", "propelauth", "scalekit", "supabase", "workos",
    )
)  # fmt: skip

FEATURES: dict[str, Feature] = {
    "OAuth server": Feature(
        (
            "fastmcp.server.auth.OAuthProvider",
            "fastmcp.server.auth.OAuthProxy",
            "fastmcp.server.auth.OIDCProxy",
            "fastmcp.server.auth.auth.OAuthProvider",
            "fastmcp.server.auth.cimd",
            "fastmcp.server.auth.handlers",
            "fastmcp.server.auth.identity_assertion",
            "fastmcp.server.auth.jwt_issuer",
            "fastmcp.server.auth.oauth_proxy",
            "fastmcp.server.auth.oidc_proxy",
            "fastmcp.server.auth.redirect_validation",
            "fastmcp.server.auth.ssrf",  # for the URLs of clients that register
            *_LOGIN_PROVIDERS,
            "mcp.server.auth.handlers",
            "mcp.server.auth.middleware.client_auth",
            "mcp.server.auth.provider.AuthorizationCode",
            "mcp.server.auth.provider.AuthorizationParams",
            "mcp.server.auth.provider.OAuthAuthorizationServerProvider",
            "mcp.server.auth.provider.RefreshToken",
            "mcp.server.auth.provider.construct_redirect_uri",
            "mcp.server.auth.routes.create_auth_routes",
            "mcp.server.auth.routes.build_metadata",
            "mcp.server.auth.routes.validate_issuer_url",
            "mcp.server.auth.settings.ClientRegistrationOptions",
            "mcp.server.auth.settings.RevocationOptions",
            "mcp.shared.auth",  # the messages between a client and an authorization server
        ),
        ("auth_server_provider=",),
        (
            "tests/interaction/auth/**",
            "tests/server/auth/oauth_proxy/**",
            "tests/server/auth/test_oauth*",
            "tests/server/auth/test_ssrf*",
            "tests/server/fastmcp/auth/**",
            "tests/server/mcpserver/auth/**",
        ),
    ),
    "tasks extension": Feature(
        (
            "fastmcp.server.tasks",
            "fastmcp.utilities.tasks",
            "fastmcp_tasks",
            "mcp.client.experimental",
            "mcp.server.experimental",
            "mcp.server.lowlevel.experimental",
            "mcp.shared.experimental",
        ),
        ("task=", "tasks=", ".experimental"),
        ("tests/tasks/**", "tests/experimental/tasks/**", "tests/server/test_server_docket.py"),
    ),
    "proxies": Feature(
        (
            "fastmcp.server.create_proxy",
            "fastmcp.server.providers.ProxyProvider",
            "fastmcp.server.providers.proxy",
            "fastmcp.server.proxy",
            "fastmcp_remote",
        ),
        (".as_proxy", "as_proxy="),
        ("tests/server/providers/proxy/**", "tests/server/mount/test_proxy.py"),
    ),
    "OpenAPI": Feature(
        (
            "fastmcp.server.OpenAPIProvider",
            "fastmcp.server.openapi",
            "fastmcp.server.providers.openapi",
            "fastmcp.utilities.openapi",
        ),
        (".from_openapi", ".from_fastapi"),
        ("tests/server/providers/openapi/**", "tests/utilities/openapi/**"),
    ),
    "apps": Feature(
        ("fastmcp.FastMCPApp", "fastmcp.apps", "fastmcp.utilities.prefab", "fastmcp.utilities.ui", "mcp.server.apps"),
        (),
        (
            "tests/apps/**",
            "tests/docs_src/test_apps.py",
            "tests/server/providers/test_prefab*",
            "tests/test_apps*.py",
            "tests/test_fastmcp_app.py",
        ),
    ),
    "skills": Feature(
        ("fastmcp.server.providers.skills", "fastmcp.skills", "fastmcp.utilities.skills"),
        (),
        ("tests/experimental/skills/**", "tests/server/providers/test_skill*", "tests/skills/**"),
    ),
    "transforms": Feature(
        (
            "fastmcp.experimental.transforms",
            "fastmcp.server.transforms",
            "fastmcp.tools.base.ArgTransform",
            "fastmcp.tools.base.TransformedTool",
            "fastmcp.tools.tool_transform",
        ),
        (".add_tool_transformation", ".add_transform", ".from_tool", "tool_transformations=", "transforms="),
        ("tests/server/transforms/**", "tests/tools/tool_transform/**"),
    ),
    "providers of components": Feature(
        ("fastmcp.server.providers",),
        (".add_provider", "providers="),
        ("tests/fs/**",),
    ),
    "several versions of a component": Feature(
        ("fastmcp.utilities.versions",),
        (),
        ("tests/server/versioning/**", "tests/server/middleware/test_versioned_caching.py"),
    ),
    "classes of extensions": Feature(
        ("fastmcp.server.extensions", "mcp.server.extension", "mcp.shared.extension"),
        (".add_extension", "extensions="),
        ("tests/docs_src/test_extensions.py", "tests/interaction/mcpserver/test_extensions.py"),
    ),
    "session ids that a tool takes as an argument": Feature(
        ("fastmcp.server.sessions",),
        (),
        (
            "tests/server/test_session_provider.py",
            "tests/server/test_session_scope.py",
            "tests/server/test_sessions.py",
        ),
    ),
    "transport with SSE": Feature(
        ("mcp.client.sse", "mcp.client.websocket", "mcp.server.sse", "mcp.server.websocket"),
        (".run_sse_async", ".sse_app"),
        ("tests/**/test_sse*.py",),
        ("*-sse*", "*[[]sse*", "*server_transport0*"),
    ),
    "transports and sessions on streams of a program's own": Feature(
        ("mcp.server.streamable_http.StreamableHTTPServerTransport",),
        ("ServerSession()",),
    ),
    "buses for subscriptions": Feature(
        (
            "mcp.server.subscriptions.InMemorySubscriptionBus",
            "mcp.server.subscriptions.ListenHandler",
            "mcp.server.subscriptions.SubscriptionBus",
        ),
    ),
    "codecs for the state that clients carry": Feature(
        (
            "mcp.server.mcpserver.AESGCMRequestStateCodec",
            "mcp.server.mcpserver.InvalidRequestState",
            "mcp.server.mcpserver.RequestStateBoundary",
            "mcp.server.mcpserver.RequestStateCodec",
            "mcp.server.mcpserver.RequestStateSecurity",
            "mcp.server.request_state",
        ),
        ("request_state_security=",),
    ),
    "authorization checks": Feature(
        (
            "fastmcp.server.auth.AuthContext",
            "fastmcp.server.auth.require_roles",
            "fastmcp.server.auth.require_scopes",
            "fastmcp.server.auth.restrict_tag",
            "fastmcp.server.auth.run_auth_checks",
            "fastmcp.server.auth.authorization",
            "fastmcp.server.middleware.AuthMiddleware",
            "fastmcp.server.middleware.authorization",
        ),
    ),
    "token introspection": Feature(("fastmcp.server.auth.providers.introspection",)),
    "verifiers that are combined": Feature(("fastmcp.server.auth.MultiAuth", "fastmcp.server.auth.auth.MultiAuth")),
    "verifiers for development": Feature(("fastmcp.server.auth.providers.debug",)),
    "middleware that caches answers, injects tools or limits results": Feature(
        (
            "fastmcp.server.middleware.caching",
            "fastmcp.server.middleware.response_limiting",
            "fastmcp.server.middleware.tool_injection",
        ),
    ),
    "components that a client shows or hides for its session": Feature(
        (),
        (".disable_components", ".enable_components", ".reset_visibility"),
    ),
    "event stores": Feature(("fastmcp.server.event_store",)),
    "helper functions of `fastmcp.utilities`": Feature(
        (
            "fastmcp.utilities.auth.decode_jwt_header",
            "fastmcp.utilities.auth.decode_jwt_payload",
            "fastmcp.utilities.types.create_function_without_params",
            "fastmcp.utilities.types.get_cached_typeadapter",
            "fastmcp.utilities.types.is_class_member_of_type",
            "fastmcp.utilities.types.issubclass_safe",
            "fastmcp.utilities.types.replace_type",
        ),
        (),
        tuple(
            f"tests/utilities/test_{name}.py"
            for name in (
                "async_utils",
                "authorization",
                "components",
                "docstring_parsing",
                "json_schema*",
                "mcp_error",
                "pagination",
                "timeout",
                "token_cache",
                "typeadapter",
            )
        ),
    ),
    "dispatchers": Feature(
        (
            "mcp.server.connection",
            "mcp.server.runner",
            "mcp.shared.direct_dispatcher",
            "mcp.shared.dispatcher",
            "mcp.shared.inbound",
            "mcp.shared.jsonrpc_dispatcher",
            "mcp.shared.peer",
            "mcp.shared.transport_context",
            "mcp.types.methods",
            "mcp_types.methods",
        ),
        (),
        ("tests/server/test_runner.py", "tests/shared/test_jsonrpc_dispatcher.py", "tests/types/test_methods.py"),
    ),
    "command lines": Feature(
        (
            "fastmcp.cli",
            "fastmcp.utilities.cli",
            "fastmcp.utilities.inspect",
            "fastmcp.utilities.mcp_server_config",
            "fastmcp.utilities.version_check",
            "mcp.cli",
        ),
        (),
        (
            "tests/cli/**",
            "tests/docs/**",  # the tools of a repository, as the next
            "tests/interaction/test_coverage.py",
            "tests/examples/test_story_shape.py",
            "tests/scripts/**",
            "tests/test_issue_ranking.py",
            "tests/test_maintenance_status.py",
        ),
    ),
    "contrib": Feature(
        ("fastmcp.contrib.bulk_tool_caller", "fastmcp.contrib.component_manager"),
        (),
        ("tests/contrib/test_bulk_tool_caller.py", "tests/contrib/test_component_manager.py"),
    ),
}
"""By the words that README has for them, in the section "What it does not do"."""

_CLIENT_FILES = ("tests/client/**",)
_SERVER_FILES = (  # below tests/client: what a server says in a call, and how it answers
    "tests/client/client/test_client.py",
    "tests/client/client/test_error_handling.py",
    "tests/client/client/test_initialize.py",
    "tests/client/test_elicitation*.py",
    "tests/client/test_list_methods_cursor.py",
    "tests/client/test_list_roots_callback.py",
    "tests/client/test_logging_callback.py",
    "tests/client/test_logs.py",
    "tests/client/test_notifications.py",
    "tests/client/test_progress.py",
    "tests/client/test_roots.py",
    "tests/client/test_sampling.py",
    "tests/client/test_sampling_callback.py",
    "tests/client/test_streamable_http.py",
)


def reason_for(file: str, case: str, outcome: str, uses: Uses) -> str | None:
    """Why a case of a test is left out; None if it counts. `outcome` is that on the real package."""
    if outcome != "passed":
        return REAL
    if _tests_the_client(file, uses):
        return CLIENT
    for name, feature in FEATURES.items():
        if _is_about(feature, file, case, uses):
            return f"{FEATURE}: {name}"
    return PRIVATE if uses.private else None


def _tests_the_client(file: str, uses: Uses) -> bool:
    """Whether a file is about the client, or a test uses nothing that is the server's."""
    if _matches(file, _CLIENT_FILES) and not _matches(file, _SERVER_FILES):
        return True
    sides = {side_of(*one) for one in uses.all_names}
    return "client" in sides and "server" not in sides


def _is_about(feature: Feature, file: str, case: str, uses: Uses) -> bool:
    return (
        _matches(file, feature.files)
        or any(is_below(*one, feature.modules) for one in uses.names)
        or not uses.words.isdisjoint(feature.words)
        or _matches(case, feature.cases)
    )


def _matches(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(text, one) for one in patterns)
