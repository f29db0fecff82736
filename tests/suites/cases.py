"""The suites, and the rule that says which of their tests count: data, with a reason for whatever is left out.

A file counts if it belongs to an area, and no pattern leaves it out. A test of such a file counts if it passes on the
real package here, and `reading.py` finds nothing in it that no client can see.
"""

from dataclasses import dataclass, field

__all__ = ["SUITES", "Suite"]

COMPONENTS = "tests the package's own component objects: managers, function metadata, Tool, Resource and Prompt"
CLIENT = "tests the package's client, with no server or one of the test's own"
AUTH = "authorization servers and providers: apart"
INSIDE = "tests the inside of the package: dispatchers, streams, managers, parsers"
PRODUCT = "another product: proxies, OpenAPI, transforms, apps, skills, tasks, code mode, extensions, command line"
SSE = "the transport SSE, which is served as streamable HTTP, and websockets"


_OBJECTS_OF_THE_SDK = frozenset(
    {
        "routes",  # Starlette's route objects
        "get_request_handler",  # the entry of a handler
        "signature",  # the names of parameters of methods
        "session_idle_timeout",  # attributes of the session manager
        "max_sessions",
        "max_request_body_size",
    }
)


@dataclass(frozen=True)
class Suite:
    """One package's suite: its areas by patterns of files, what is left out, and the environment it needs."""

    name: str
    requirement: str
    packages: tuple[str, ...]
    areas: dict[str, tuple[str, ...]]
    left_out: dict[str, tuple[str, ...]]
    beside: frozenset[str] = frozenset()  # areas that are shown, and are not part of the count
    tests_left_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    private_allowed: frozenset[str] = frozenset()
    component_getters: frozenset[str] = frozenset()
    component_names: frozenset[str] = frozenset()
    component_calls: frozenset[str] = frozenset()


_FASTMCP = Suite(
    "fastmcp",
    "fastmcp==4.1.2",
    (
        "pytest",
        "pytest-timeout",
        "pytest-asyncio",
        "pytest-env",
        "inline-snapshot[dirty-equals]",
        "dirty-equals",
        "fastapi",
        "opentelemetry-sdk",
        "psutil",
        "pytest-examples",
        "pytest-retry",
        "fastmcp[tasks]==4.1.2",
    ),
    areas={
        "tools": (
            "tests/tools/**",
            "tests/server/providers/local_provider_tools/**",
            "tests/server/test_tool_annotations.py",
            "tests/server/test_input_validation.py",
            "tests/test_json_schema_generation.py",
        ),
        "resources": (
            "tests/resources/**",
            "tests/server/providers/test_local_provider_resources.py",
            "tests/server/test_file_server.py",
        ),
        "prompts": ("tests/prompts/**", "tests/server/providers/test_local_provider_prompts.py"),
        "Context": (
            "tests/server/test_context.py",
            "tests/server/test_dependencies*.py",
            "tests/server/test_call_arguments.py",
            "tests/server/test_generator_dependency_lifetime.py",
            "tests/server/test_log_level.py",
            "tests/server/test_shared_context.py",
            "tests/client/test_elicitation*.py",
            "tests/client/test_logs.py",
            "tests/client/test_progress.py",
            "tests/client/test_roots.py",
            "tests/client/test_sampling.py",
            "tests/client/test_notifications.py",
        ),
        "server basics": (
            "tests/server/test_server.py",
            "tests/server/test_server_lifespan.py",
            "tests/server/test_app_state.py",
            "tests/server/test_icons.py",
            "tests/server/test_pagination.py",
            "tests/server/test_completions.py",
            "tests/server/test_logging.py",
            "tests/server/test_cache_hints.py",
            "tests/server/test_protocol_eras.py",
            "tests/server/test_transport.py",
            "tests/client/client/test_client.py",
            "tests/client/client/test_error_handling.py",
            "tests/client/client/test_initialize.py",
            "tests/client/test_streamable_http.py",
        ),
        "composition, middleware, HTTP": (
            "tests/server/mount/**",
            "tests/server/middleware/**",
            "tests/server/http/**",
            "tests/server/test_session_visibility.py",
        ),
    },
    left_out={
        AUTH: ("**/auth/**", "**/*auth*", "**/test_session_owner*", "**/test_stale_access*"),
        PRODUCT: (
            "**/tool_transform/**",
            "**/*proxy*",
            "**/*openapi*",
            "**/test_session_provider.py",
            "**/test_tool_injection.py",
            "**/test_versioned_caching.py",
            "**/test_extension_*",
            "**/test_startup_imports.py",
        ),
        COMPONENTS: (
            "tests/tools/tool/**",
            "tests/resources/test_resource_template.py",
            "tests/resources/test_function_resources.py",
            "tests/resources/test_resources.py",
            "tests/resources/test_file_resources.py",
            "tests/prompts/test_prompt.py",
            "tests/resources/test_builtin_resource_meta.py",
        ),
        SSE: ("**/*sse*",),
    },
    beside=frozenset({"composition, middleware, HTTP"}),
    component_getters=frozenset(
        {
            "get_tool",
            "get_tools",
            "get_resource",
            "get_resources",
            "get_prompt",
            "get_prompts",
            "get_resource_template",
            "get_resource_templates",
            "list_tools",
            "list_resources",
            "list_resource_templates",
            "list_prompts",
        }
    ),
    component_names=frozenset(
        {
            "Tool",
            "FunctionTool",
            "Resource",
            "FunctionResource",
            "ResourceTemplate",
            "Prompt",
            "FunctionPrompt",
            "FileUpload",
            "ParsedFunction",
            "Provider",
            "LocalProvider",
            "FastMCPProvider",
            "ToolTransform",
            "Namespace",
            "Visibility",
            "ProxyProvider",
            "create_proxy",
            "FastMCPProxy",
            "AggregateProvider",
            "paginate_sequence",
            "CursorState",
            "build_cache_hints",
            "TasksExtension",
            "transform_context_annotations",
            "FileSystemProvider",
        }
    ),
    component_calls=frozenset({"Context"}),
)

_SDK_1 = Suite(
    "mcp 1",
    "mcp==1.30.0",
    (
        "mcp[cli,ws,rich]==1.30.0",
        "pytest",
        "pytest-timeout",
        "trio",
        "inline-snapshot",
        "dirty-equals",
        "pytest-examples",
    ),
    areas={
        "tools and results": (
            "tests/server/test_lowlevel_input_validation.py",
            "tests/server/test_lowlevel_output_validation.py",
            "tests/server/test_lowlevel_tool_annotations.py",
            "tests/server/fastmcp/test_title.py",
            "tests/server/fastmcp/test_parameter_descriptions.py",
            "tests/issues/test_100*",
            "tests/issues/test_355*",
            "tests/issues/test_188*",
            "tests/issues/test_88*",
        ),
        "resources": (
            "tests/server/test_read_resource.py",
            "tests/server/fastmcp/servers/**",
            "tests/issues/test_129*",
            "tests/issues/test_141*",
            "tests/issues/test_152*",
            "tests/issues/test_1754*",
            "tests/issues/test_342*",
        ),
        "Context": (
            "tests/server/fastmcp/test_elicitation.py",
            "tests/server/fastmcp/test_url_elicitation*",
            "tests/client/test_list_roots_callback.py",
            "tests/client/test_logging_callback.py",
            "tests/client/test_sampling_callback.py",
            "tests/shared/test_progress_notifications.py",
            "tests/issues/test_176*",
        ),
        "server basics": (
            "tests/server/fastmcp/test_server.py",
            "tests/server/fastmcp/test_integration.py",
            "tests/server/lowlevel/test_server_*",
            "tests/server/test_completion_with_context.py",
            "tests/server/test_lifespan.py",
            "tests/server/test_lowlevel_exception_handling.py",
            "tests/server/test_cancel_handling.py",
            "tests/server/test_session.py",
            "tests/server/test_stdio.py",
            "tests/issues/test_1338*",
            "tests/issues/test_192*",
            "tests/shared/test_memory.py",
            "tests/client/test_list_methods_cursor.py",
            "tests/client/test_output_schema_validation.py",
            "tests/test_examples.py",
        ),
    },
    left_out={},
    tests_left_out={SSE: ("*test_integration.py*server_transport0*", "*test_sse*")},
    private_allowed=frozenset({"_mcp_server"}),  # the way to a client: client_session(mcp._mcp_server)
    component_names=frozenset({"ToolManager", "ResourceManager", "PromptManager", "FuncMetadata", "func_metadata"}),
    component_calls=frozenset({"ServerSession", "Context"}),
    component_getters=_OBJECTS_OF_THE_SDK,
)

_SDK_2 = Suite(
    "mcp 2",
    "mcp==2.3.0",
    (
        "mcp[cli]==2.3.0",
        "pytest",
        "pytest-timeout",
        "trio",
        "inline-snapshot",
        "dirty-equals",
        "pytest-examples",
        "pillow",
        "logfire",
        "opentelemetry-sdk",
        "blockbuster",
    ),
    areas={
        "tools and results": (
            "tests/interaction/*/test_tools.py",
            "tests/server/test_lowlevel_tool_annotations.py",
            "tests/server/mcpserver/test_title.py",
            "tests/server/mcpserver/test_parameter_descriptions.py",
            "tests/docs_src/test_tools.py",
            "tests/docs_src/test_structured_output.py",
            "tests/docs_src/test_media.py",
            "tests/docs_src/test_handling_errors.py",
            "tests/issues/test_100*",
            "tests/issues/test_355*",
            "tests/issues/test_188*",
            "tests/issues/test_88*",
        ),
        "resources": (
            "tests/interaction/*/test_resources.py",
            "tests/interaction/*/test_subscriptions.py",
            "tests/server/test_read_resource.py",
            "tests/server/mcpserver/servers/**",
            "tests/docs_src/test_resources.py",
            "tests/docs_src/test_uri_templates.py",
            "tests/issues/test_129*",
            "tests/issues/test_141*",
            "tests/issues/test_152*",
            "tests/issues/test_1574*",
            "tests/issues/test_1754*",
            "tests/issues/test_342*",
            "tests/issues/test_973*",
        ),
        "prompts": ("tests/interaction/*/test_prompts.py", "tests/docs_src/test_prompts.py"),
        "Context": (
            "tests/interaction/mcpserver/test_context.py",
            "tests/interaction/lowlevel/test_elicitation.py",
            "tests/interaction/lowlevel/test_logging.py",
            "tests/interaction/lowlevel/test_progress.py",
            "tests/interaction/lowlevel/test_roots.py",
            "tests/interaction/lowlevel/test_sampling.py",
            "tests/interaction/lowlevel/test_meta.py",
            "tests/server/mcpserver/test_elicitation.py",
            "tests/server/mcpserver/test_url_elicitation*",
            "tests/docs_src/test_context.py",
            "tests/docs_src/test_elicitation.py",
            "tests/docs_src/test_logging.py",
            "tests/docs_src/test_progress.py",
            "tests/docs_src/test_sampling_and_roots.py",
            "tests/client/test_list_roots_callback.py",
            "tests/client/test_logging_callback.py",
            "tests/client/test_sampling_callback.py",
            "tests/issues/test_176*",
        ),
        "server basics": (
            "tests/server/mcpserver/test_server.py",
            "tests/server/mcpserver/test_integration.py",
            "tests/server/lowlevel/test_server_*",
            "tests/server/test_completion_with_context.py",
            "tests/server/test_lifespan.py",
            "tests/server/test_lowlevel_exception_handling.py",
            "tests/server/test_cancel_handling.py",
            "tests/interaction/*/test_completion.py",
            "tests/interaction/lowlevel/test_initialize.py",
            "tests/interaction/lowlevel/test_list_changed.py",
            "tests/interaction/lowlevel/test_pagination.py",
            "tests/interaction/lowlevel/test_ping.py",
            "tests/interaction/lowlevel/test_cancellation.py",
            "tests/interaction/lowlevel/test_flows.py",
            "tests/interaction/lowlevel/test_timeouts.py",
            "tests/docs_src/test_completions.py",
            "tests/docs_src/test_first_steps.py",
            "tests/docs_src/test_index.py",
            "tests/docs_src/test_lifespan.py",
            "tests/docs_src/test_lowlevel.py",
            "tests/docs_src/test_middleware.py",
            "tests/docs_src/test_mrtr.py",
            "tests/docs_src/test_pagination.py",
            "tests/docs_src/test_testing.py",
            "tests/docs_src/test_asgi.py",
            "tests/docs_src/test_cancellation.py",
            "tests/docs_src/test_legacy_clients.py",
            "tests/docs_src/test_protocol_versions.py",
            "tests/issues/test_1338*",
            "tests/issues/test_192*",
            "tests/client/test_list_methods_cursor.py",
            "tests/client/test_output_schema_validation.py",
        ),
    },
    left_out={},
    tests_left_out={SSE: ("*[[]sse*", "*test_sse*")},
    private_allowed=frozenset({"_lowlevel_server"}),
    component_names=frozenset(
        {"ToolManager", "ResourceManager", "PromptManager", "FuncMetadata", "func_metadata", "Connection"}
    ),
    component_calls=frozenset({"ServerSession", "Context"}),
    component_getters=_OBJECTS_OF_THE_SDK,
)

SUITES = {suite.name: suite for suite in (_FASTMCP, _SDK_1, _SDK_2)}
