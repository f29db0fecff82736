"""What to install where a program for another package imports what that package brings, and plainmcp does not."""

__all__ = ["advise_install"]

_DISTRIBUTIONS = {
    "dotenv": "python-dotenv",
    "httpx_sse": "httpx-sse",
    "jwt": "pyjwt",
    "multipart": "python-multipart",
    "opentelemetry": "opentelemetry-api",
    "pydantic_settings": "pydantic-settings",
    "python_multipart": "python-multipart",
    "sse_starlette": "sse-starlette",
    "typing_extensions": "typing-extensions",
    "typing_inspection": "typing-inspection",
    "yaml": "pyyaml",
    **{
        name: name
        for name in (
            "anyio", "authlib", "cyclopts", "exceptiongroup", "httpx", "httpx2", "jsonref", "jsonschema", "packaging",
            "platformdirs", "pydantic", "pyperclip", "rich", "starlette", "typer", "uvicorn", "watchfiles",
            "websockets",
        )
    },
}  # fmt: skip
"""The modules that come with mcp or fastmcp, and the distributions that have them."""


def advise_install(error: BaseException) -> str:
    """The end of a text about a failed import: what to install, if mcp or fastmcp bring it; empty for another error.

    >>> advise_install(ModuleNotFoundError("No module named 'jwt'", name="jwt"))
    '\\n\\njwt comes with mcp and fastmcp, and not with plainmcp: pip install pyjwt'
    """
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if name not in _DISTRIBUTIONS:
        return ""
    return f"\n\n{name} comes with mcp and fastmcp, and not with plainmcp: pip install {_DISTRIBUTIONS[name]}"
