"""Modules without a file of unit tests of their own, by the file that tests them as a part of what it is about."""

TESTED_BY: dict[str, str] = {
    "auth/test_introspection.py": "transports/callers transports/well_known",
    "cli/test_answers.py": "cli/connect cli/progress questions",
    "cli/test_commands.py": "cli/caller_option cli/remote cli/save cli/show cli/timeout",
    "cli/test_listing.py": "cli/schema_text",
    "cli/test_load.py": "cli/advice cli/own_files cli/requirements",
    "cli/test_main.py": "cli/client cli/option_types cli/options cli/serve",
    "cli/test_program.py": "cli/scripts cli/source",
    "compat/fastmcp/contrib/test_mcp_mixin.py": "compat/fastmcp/contrib/mcp_mixin/mcp_mixin",
    "compat/fastmcp/test_components.py": "compat/fastmcp/protocol_types compat/fastmcp/resource_types",
    "compat/fastmcp/test_failures.py": "compat/fastmcp/exceptions",
    "compat/fastmcp/test_fast_mcp.py": (
        "compat/fastmcp/complete compat/fastmcp/decorators compat/fastmcp/joined_lifespan "
        "compat/fastmcp/prompt_arguments"
    ),
    "compat/fastmcp/test_middleware.py": "compat/fastmcp/ready_middleware",
    "compat/fastmcp/test_options.py": "compat/fastmcp/missing",
    "compat/fastmcp/test_serving.py": "compat/fastmcp/asking compat/fastmcp/pieces compat/fastmcp/server/http",
    "compat/fastmcp/utilities/test_logging.py": "compat/mcp/logs",
    "compat/mcp/test_class_records.py": "compat/mcp/output",
    "compat/mcp/test_context.py": "compat/mcp/text_arguments",
    "compat/mcp/test_fast_mcp.py": "compat/mcp/fn_metadata compat/mcp/pieces",
    "compat/mcp/test_func_metadata.py": "compat/mcp/argument_models compat/mcp/output_models",
    "compat/mcp/test_http_answers.py": "compat/mcp/http_checks",
    "compat/mcp/test_http_apps.py": "compat/mcp/low_level_view compat/mcp/settings",
    "compat/mcp/test_http_manager.py": "compat/http_request compat/mcp/server/streamable_http",
    "compat/mcp/test_loaded_types.py": "compat/mcp/result_types",
    "compat/mcp/test_low_level.py": (
        "compat/coded_error compat/mcp/decorators compat/mcp/handlers compat/mcp/shared/_httpx_utils"
    ),
    "compat/mcp/test_mcp_server.py": (
        "compat/mcp/high_level compat/mcp/middleware compat/mcp/prompt_arguments compat/mcp/prompts "
        "compat/mcp/resource_security compat/mcp/resources compat/mcp/server/mcpserver"
    ),
    "compat/mcp/test_message_streams.py": (
        "compat/mcp/initialization compat/mcp/shared/message compat/mcp/stdio_streams"
    ),
    "compat/mcp/test_notifications.py": "compat/mcp/request_context",
    "compat/mcp/test_replaced_methods.py": "compat/mcp/helper_types compat/mcp/serving",
    "compat/mcp/test_request_types.py": "compat/mcp/more_types",
    "compat/mcp/test_session.py": "compat/mcp/elicitations compat/mcp/raw_form",
    "compat/mcp/test_tools.py": "compat/change_feature",
    "compat/mcp/test_uri_templates.py": "compat/mcp/resource_templates",
    "compat/openmcp/test_mcp_server.py": (
        "compat/openmcp/configs compat/openmcp/context compat/openmcp/exceptions compat/openmcp/marks "
        "compat/openmcp/prompts"
    ),
    "compat/test_fastmcp.py": "compat/fastmcp/context",
    "compat/test_mcp_serializer.py": (
        "compat/mcp_serializer/blocks compat/mcp_serializer/builder_checks compat/mcp_serializer/calls "
        "compat/mcp_serializer/casting compat/mcp_serializer/files compat/mcp_serializer/initializer "
        "compat/mcp_serializer/prompt_result compat/mcp_serializer/registry "
        "compat/mcp_serializer/resource_result compat/mcp_serializer/resources "
        "compat/mcp_serializer/serializers compat/mcp_serializer/tool_result"
    ),
    "compat/test_published_names.py": "compat/facade_modules",
    "compat/test_refused.py": "compat/advice",
    "compat/test_starlette_app.py": "compat/http_app",
    "compat/test_token_verifiers.py": (
        "compat/fastmcp/server/auth/auth compat/fastmcp/server/auth/providers/jwt "
        "compat/mcp/server/auth/middleware/auth_context compat/mcp/server/auth/settings"
    ),
    "otel/test_recording.py": "otel",
    "protocol/test_dependencies.py": "protocol/conversation",
    "protocol/test_feature_list.py": "protocol/methods/pages",
    "protocol/test_identity.py": "protocol/input_state",
    "protocol/test_middleware.py": "middleware transports/take",
    "protocol/test_observation.py": "protocol/dispatch",
    "protocol/test_option_check.py": "protocol/options",
    "protocol/test_registry.py": (
        "protocol/listeners protocol/methods/lifecycle protocol/methods/prompts "
        "protocol/methods/resources protocol/methods/tools"
    ),
    "protocol/test_scopes.py": "protocol/methods",
    "replicas/test_change_log.py": "replicas/keys",
    "schema/test_arguments.py": (
        "schema/coercion schema/conversion schema/explain schema/matching schema/native schema/nodes schema/repair"
    ),
    "schema/test_generate.py": (
        "schema/hint_schema schema/hints schema/node_schema schema/records schema/returns "
        "schema/subschemas schema/type_tree"
    ),
    "schema/test_output_check.py": "schema/keywords schema/validator schema/wording",
    "store/test_guarantees.py": (
        "store/guarantees/following store/guarantees/keeping store/guarantees/run store/guarantees/using"
    ),
    "store/test_memory.py": "store/interface",
    "test_arguments_at_the_wire.py": "schema/coercion_errors schema/core_schemas schema/pydantic",
    "test_context.py": "values/slow",
    "test_declared_results.py": "schema/conform schema/shapes values/unpack",
    "test_declared_returns.py": "protocol/outputs schema/fit",
    "test_everything.py": "protocol/describe",
    "test_hostile_objects.py": "protocol/failures",
    "test_peer_bugs_protocol.py": "wire/jsonrpc",
    "test_running_in_a_loop.py": "transports/stdio_async",
    "test_server.py": "protocol/core transports/applications",
    "test_standard_types.py": "schema/formats",
    "transports/http/sessions/test_http_session.py": "transports/http/sessions/kept_streams",
    "transports/http/sessions/test_shared.py": "transports/http/sessions/interface",
    "transports/http/sessions/test_signed_ids.py": "transports/http/sessions/signed",
    "transports/http/test_challenges.py": "transports/callers_async",
    "transports/http/test_checks.py": "transports/http/response",
    "transports/http/test_metadata.py": "transports/http/protection",
    "transports/test_asgi.py": (
        "transports/asgi_body transports/http/endpoint transports/http/open_responses "
        "transports/http/pending transports/http/sessions/none transports/pending_request"
    ),
    "transports/test_asgi_routes.py": "transports/http/path",
    "transports/test_connection.py": (
        "protocol/methods/subscriptions protocol/request protocol/session transports/link"
    ),
    "transports/test_lifespan.py": "transports/background_loop",
    "transports/test_run.py": "transports/invoke",
    "transports/test_shutdown.py": "cli/reload",
    "transports/test_stdio.py": "transports/lines",
    "transports/test_uvicorn.py": "transports/http_server",
    "values/test_encode.py": "foreign/classes values/families values/walk",
    "values/test_normalize.py": "values/payload values/prompt_result values/resource_result values/tool_result",
}
