"""The suites of the packages: which environment each needs, and the areas in which its tests are counted. Data.

Every test counts, unless `reasons.py` has a reason to leave it out; every file with a test that counts has an area.
"""

import fnmatch
from dataclasses import dataclass

__all__ = ["SUITES", "Suite"]


@dataclass(frozen=True)
class Suite:
    """One package's suite."""

    name: str
    requirement: str
    packages: tuple[str, ...]
    areas: dict[str, tuple[str, ...]]
    """The areas, in the order in which they are tried, by patterns of files."""
    wanted: float
    """The share of the counted tests that has to pass."""
    paths: tuple[str, ...] = ()
    """Folders of the suite from which it imports."""

    def area_of(self, file: str) -> str | None:
        """The area of a file; None if it has none."""
        return next((area for area, patterns in self.areas.items() if _matches(file, patterns)), None)


def _matches(file: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(file, one) for one in patterns)


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
        "fastmcp[tasks,apps,openai,anthropic,gemini]==4.1.2",
        "fastmcp-remote",
        "httpx",
    ),
    areas={
        "authorization": (
            "tests/server/auth/**",
            "tests/server/*auth*",
            "tests/server/http/*auth*",
            "tests/server/http/test_stale*",
            "tests/server/http/test_session_owner*",
        ),
        "middleware": ("tests/server/middleware/**",),
        "composition": (
            "tests/server/mount/**",
            "tests/server/providers/test_*provider.py",
            "tests/server/providers/proxy/**",
            "tests/server/transforms/**",
            "tests/server/test_session_visibility.py",
        ),
        "tools": (
            "tests/tools/**",
            "tests/server/providers/local_provider_tools/**",
            "tests/server/test_tool_annotations.py",
            "tests/server/test_input_validation.py",
            "tests/test_json_schema_generation.py",
            "tests/apps/**",
            "tests/test_apps.py",
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
            "tests/server/test_mrtr*.py",
            "tests/client/test_*.py",
        ),
        "telemetry": ("tests/telemetry/**", "tests/server/telemetry/**"),
        "utilities": ("tests/utilities/**",),
        "HTTP": (
            "tests/server/http/**",
            "tests/server/test_streamable*",
            "tests/server/test_event_store.py",
            "tests/server/test_fastapi*",
            "tests/integration_tests/**",
        ),
        "server basics": (
            "tests/server/test_*.py",
            "tests/client/client/**",
            "tests/contrib/**",
            "tests/deprecated/**",
            "tests/test_*.py",
        ),
    },
    wanted=0.85,
    paths=(".",),
)

_SDK_AREAS = {
    "authorization": (
        "tests/server/auth/**",
        "tests/server/*/auth/**",
        "tests/interaction/auth/**",
        "tests/docs_src/test_*auth*",
        "tests/shared/test_auth*",
    ),
    "tools and results": (
        "tests/server/*/test_tool_manager.py",
        "tests/server/*/test_func_metadata.py",
        "tests/server/*/tools/**",
        "tests/server/test_lowlevel_input_validation.py",
        "tests/server/test_lowlevel_output_validation.py",
        "tests/server/test_lowlevel_tool_annotations.py",
        "tests/server/*/test_title.py",
        "tests/server/*/test_parameter_descriptions.py",
        "tests/server/lowlevel/test_func_inspection.py",
        "tests/shared/test_tool_name_validation.py",
        "tests/interaction/*/test_tools.py",
        "tests/docs_src/test_tools.py",
        "tests/docs_src/test_structured_output.py",
        "tests/docs_src/test_media.py",
        "tests/docs_src/test_handling_errors.py",
    ),
    "resources": (
        "tests/server/*/resources/**",
        "tests/server/*/servers/**",
        "tests/server/test_read_resource.py",
        "tests/shared/test_uri_template.py",
        "tests/shared/test_path_security.py",
        "tests/interaction/*/test_resources.py",
        "tests/interaction/*/test_subscriptions.py",
        "tests/server/test_subscriptions.py",
        "tests/docs_src/test_subscriptions.py",
        "tests/docs_src/test_resources.py",
        "tests/docs_src/test_uri_templates.py",
    ),
    "prompts": ("tests/server/*/prompts/**", "tests/interaction/*/test_prompts.py", "tests/docs_src/test_prompts.py"),
    "Context": (
        "tests/server/*/test_*elicitation*.py",
        "tests/server/*/test_resolve.py",
        "tests/server/test_request_state*.py",
        "tests/server/test_server_context.py",
        "tests/server/test_session*.py",
        "tests/shared/test_context.py",
        "tests/shared/test_progress_notifications.py",
        "tests/interaction/mcpserver/test_context.py",
        "tests/interaction/lowlevel/test_elicitation.py",
        "tests/interaction/lowlevel/test_logging.py",
        "tests/interaction/lowlevel/test_progress.py",
        "tests/interaction/lowlevel/test_roots.py",
        "tests/interaction/lowlevel/test_sampling.py",
        "tests/interaction/lowlevel/test_meta.py",
        "tests/docs_src/test_context.py",
        "tests/docs_src/test_dependencies.py",
        "tests/docs_src/test_elicitation.py",
        "tests/docs_src/test_logging.py",
        "tests/docs_src/test_progress.py",
        "tests/docs_src/test_sampling_and_roots.py",
        "tests/client/test_*_callback.py",
    ),
    "HTTP": (
        "tests/interaction/transports/**",
        "tests/server/test_streamable_http*",
        "tests/server/test_stateless_mode.py",
        "tests/server/test_transport_security.py",
        "tests/shared/test_streamable_http.py",
        "tests/client/test_streamable_http.py",
        "tests/docs_src/test_asgi.py",
        "tests/docs_src/test_deploy.py",
        "tests/docs_src/test_header_parameters.py",
        "tests/docs_src/test_real_host.py",
    ),
    "types": (
        "tests/test_types.py",
        "tests/types/**",
        "tests/shared/test_exceptions.py",
        "tests/server/lowlevel/test_helper_types.py",
    ),
    "server basics": (
        "tests/server/**",
        "tests/issues/**",
        "tests/interaction/**",
        "tests/docs_src/**",
        "tests/shared/**",
        "tests/client/test_list_methods_cursor.py",
        "tests/test_examples.py",
        "tests/examples/**",
    ),
}

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
        "requests",
        "coverage",
    ),
    areas=_SDK_AREAS,
    wanted=0.95,
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
        "coverage",
    ),
    areas=_SDK_AREAS,
    wanted=0.9,
    paths=("examples",),
)

SUITES = {suite.name: suite for suite in (_FASTMCP, _SDK_1, _SDK_2)}
