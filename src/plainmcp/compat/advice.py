"""What to do instead of a name of `mcp` or FastMCP that is not here: rules by module, which make every text."""

__all__ = ["RULES", "advice_for"]

CLIENT = "install the package, whose client is then used; in tests, use plainmcp.testing.Client"
LOGIN = (
    "pass auth=, a TokenVerifier, a RemoteAuthProvider or a verifier of plainmcp.auth, which check tokens; users log "
    "in at an authorization server"
)
LOGIN_IN_THE_SDK = (
    "log users in at an authorization server, and pass token_verifier= and auth=, which check its tokens"
)
FUNCTIONS = "write a function for each thing the model should do, and register it"
PROVIDERS = "register functions, or mount servers"
VISIBLE = "pass visible=, a function of the caller that says whether the feature is shown"
APPS = "there is no support for apps; meta= is sent as it is"
TASKS = "a tool answers in the call itself; report progress meanwhile"
TRANSFORMS = "register functions with the names and parameters that clients should see"
COMMANDS = "the command line is plainmcp: serve, list, call and config"
STREAMABLE = (
    "mount server.streamable_http_app(), or a StreamableHTTPSessionManager: clients of today speak streamable HTTP"
)
EXTENSIONS = "pass extensions=, and serve what clients do with them by tools"

RULES: dict[str, str] = {
    "fastmcp": "it is a part of FastMCP's own server; docs/reference/fastmcp.md says what there is",
    "fastmcp.apps": APPS,
    "fastmcp.cli": COMMANDS,
    "fastmcp.client": CLIENT,
    "fastmcp.contrib": FUNCTIONS,
    "fastmcp.contrib.component_manager": "call enable and disable of the server",
    "fastmcp.experimental": TRANSFORMS,
    "fastmcp.experimental.server.openapi": FUNCTIONS,
    "fastmcp.experimental.utilities.openapi": FUNCTIONS,
    "fastmcp.experimental.sampling": "call the model directly from the tool",
    "fastmcp.mcp_config": CLIENT,
    "fastmcp.server.auth": LOGIN,
    "fastmcp.server.event_store": "streams can always be resumed; pass replay_bytes=",
    "fastmcp.server.extensions": EXTENSIONS,
    "fastmcp.server.middleware": "write a Middleware with the hooks that you need",
    "fastmcp.server.middleware.authorization": VISIBLE,
    "fastmcp.server.middleware.ping": "clients that need it send pings themselves",
    "fastmcp.server.openapi": FUNCTIONS,
    "fastmcp.server.providers": PROVIDERS,
    "fastmcp.server.providers.openapi": FUNCTIONS,
    "fastmcp.server.providers.proxy": FUNCTIONS,
    "fastmcp.server.providers.skills": "serve the files with server.add_directory()",
    "fastmcp.server.proxy": FUNCTIONS,
    "fastmcp.server.sampling": "call the model directly from the tool",
    "fastmcp.server.server.create_proxy": FUNCTIONS,
    "fastmcp.server.sessions": "keep it in ctx.session_state",
    "fastmcp.server.tasks": TASKS,
    "fastmcp.server.transforms": TRANSFORMS,
    "fastmcp.skills": "serve the files with server.add_directory()",
    "fastmcp.telemetry": "pass observers=[plainmcp.otel.trace]",
    "fastmcp.tools.tool_transform": TRANSFORMS,
    "fastmcp.utilities.cli": COMMANDS,
    "fastmcp.utilities.inspect": COMMANDS,
    "fastmcp.utilities.json_schema_type": CLIENT,
    "fastmcp.utilities.mcp_config": CLIENT,
    "fastmcp.utilities.mcp_server_config": COMMANDS,
    "fastmcp.utilities.openapi": FUNCTIONS,
    "fastmcp.utilities.tests": "use plainmcp.testing.Client",
    "fastmcp.utilities.versions": "give each version of a feature a name of its own",
    "mcp": "it is a part of the SDK's own server; plainmcp does what it is for by itself",
    "mcp.cli": COMMANDS,
    "mcp.client": CLIENT,
    "mcp.os": CLIENT,
    "mcp.server.apps": APPS,
    "mcp.server.auth": LOGIN_IN_THE_SDK,
    "mcp.server.experimental": TASKS,
    "mcp.server.extension": EXTENSIONS,
    "mcp.server.mcpserver.server.require_client_extension": "read ctx.client_capabilities in the handler",
    "mcp.server.request_state": "state that clients carry is always signed; pass Server(key=…) to share the key",
    "mcp.server.sse": STREAMABLE,
    "mcp.server.streamable_http": STREAMABLE,
    "mcp.server.websocket": STREAMABLE,
    "mcp.shared.auth": LOGIN_IN_THE_SDK,
    "mcp.shared.experimental": TASKS,
    "mcp.shared.extension": EXTENSIONS,
    "mcp.shared.memory": "use plainmcp.testing.Client",
    "mcp.shared.session": CLIENT,
    "mcp.types": "the types that servers use are in plainmcp.compat.mcp.types; pass data in the form of the wire",
}
"""By module, for all that is below it, or by module and name; the longest that fits is taken."""


def advice_for(module: str, name: str = "") -> str:
    """What to do instead of a name of a module; `module` is where the name is defined.

    >>> advice_for("mcp.client.stdio", "stdio_client") == CLIENT
    True
    """
    rest = f"{module}.{name}"
    while rest not in RULES:
        rest = rest.rpartition(".")[0]
    return RULES[rest]
