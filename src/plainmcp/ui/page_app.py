"""The page at `/`: its files, the headers that keep it to itself, and the facts that it starts with.

An ASGI application beside the endpoint. Knows no MCP: the page speaks to the endpoint, as every client does.
"""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from ..errors import AuthorError
from ..policy import Policy
from ..protocol.core import Core
from ..revisions import REVISIONS
from ..transports.asgi import ASGIApp, reached_at
from ..transports.http.checks import Preflight
from ..transports.http.headers import Headers
from ..transports.http.path import App, path_of, send_whole
from ..transports.http.response import Response
from .client_config import CLIENTS, ClientFormat, build_config, url_entry, write_config
from .preview_route import PREVIEW, PreviewRoute

__all__ = ["FILES", "PageApp", "page_beside"]

FILES = "/ui/"
"""The path of the files; the page itself is at `/`."""

_FOLDER = Path(__file__).with_name("files")
_KINDS = {".html": b"text/html", ".css": b"text/css", ".js": b"text/javascript", ".svg": b"image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]
_URL_MARK = "{url}"  # the page knows the address at which it was opened
_TOKEN = "TOKEN"
_TEXT = (b"content-type", b"text/plain; charset=utf-8")


def page_beside(core: Core, path: str, *, on_loopback: bool) -> Callable[[ASGIApp, App], App]:
    """What puts the page beside a server at `path`; the route for previews is there on loopback only.

    Raises AuthorError if the server itself answers where the page would be.
    """
    if path.rstrip("/") == "" or f"{path}/".startswith(FILES):
        raise AuthorError(f"the page is at / and {FILES}, so with ui=True the server needs another path= than {path}")

    def add_page(app: ASGIApp, others: App) -> App:
        # A page of another site, which may call the endpoint, has no need of what is for this page.
        preflight = Preflight(replace(app.endpoint.settings, origins=()))
        preview = PreviewRoute(app, core, preflight) if on_loopback else None
        return PageApp(preflight, _files_for(core, path, has_preview=on_loopback), preview, others)

    return add_page


class PageApp:
    """An ASGI application for the page, its files and its previews; `others` answers at other paths.

    `preflight` refuses requests by their Host and Origin: as the endpoint does, but no other origin is allowed.
    """

    def __init__(self, preflight: Preflight, files: dict[str, Response], preview: App | None, others: App) -> None:
        self._preflight = preflight
        self._files = files
        self._preview = preview
        self._others = others

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        path, method = path_of(scope), scope["method"]
        if path == PREVIEW and self._preview is not None:
            return await self._preview(scope, receive, send)
        file = self._files.get(path or "/")
        if file is None:
            return await self._others(scope, receive, send)
        if method not in ("GET", "HEAD"):
            return await send_whole(send, 405, [_TEXT, (b"allow", b"GET, HEAD")], b"This path takes GET and HEAD.\n")
        outcome = self._preflight.check("GET", Headers(list(scope["headers"])), *reached_at(scope))
        response = outcome if isinstance(outcome, Response) else file
        await send_whole(send, response.status, [*response.headers], response.body, is_head=method == "HEAD")
        return None


def _files_for(core: Core, path: str, *, has_preview: bool) -> dict[str, Response]:
    """The responses by their paths."""
    facts = {
        "name": core.info.title or core.info.name,
        "server": core.info.name,
        "endpoint": path,
        "preview": PREVIEW if has_preview else None,
        "revisions": [{"name": name, "handshake": row.handshake} for name, row in REVISIONS.items()],
        "policies": list(Policy.profiles),
        "clients": [_client_fact(client, core.info.name) for client in CLIENTS.values() if client.takes_urls],
        "urlMark": _URL_MARK,
    }
    files: dict[str, Response] = {}
    for file in sorted(_FOLDER.iterdir()):
        kind, body = _KINDS.get(file.suffix), file.read_bytes()
        if kind is None:
            continue
        if file.suffix == ".html":
            body = body.replace(b"{facts}", escape(msgspec.json.encode(facts).decode()).encode())
            body = body.replace(b"{name}", escape(str(facts["name"])).encode())
        headers = ((b"content-type", kind + b"; charset=utf-8"), *_HEADERS)
        files["/" if file.name == "index.html" else f"{FILES}{file.name}"] = Response(200, body, headers)
    return files


def _client_fact(client: ClientFormat, name: str) -> dict[str, str]:
    """A client and its configurations, with a mark for the address: without a token, and with one."""
    configurations = {
        key: write_config(client, build_config(client, name, url_entry(client, _URL_MARK, {}, variable), variable))
        for key, variable in (("open", None), ("protected", _TOKEN))
    }
    return {"title": client.title, "file": client.file, **configurations}
