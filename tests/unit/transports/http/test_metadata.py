"""The metadata of a protected server: where it is, and what is in it."""

from typing import Any, ClassVar

import pytest

from plainmcp.auth import Keys, Principal
from plainmcp.errors import AuthorError
from plainmcp.transports.http.metadata import Metadata
from protected import APPS, KEYS, ask, call, mount, notes

WELL_KNOWN = "/.well-known/oauth-protected-resource"


class Issued:
    """A verifier with an issuer."""

    issuer = "https://auth.example.com/realms/x/"
    resource = "https://API.example.com/public/mcp"
    scopes = ("notes:read",)
    challenge_scopes: ClassVar = {"notes:read": "api://notes/notes:read"}

    def verify(self, token: str) -> Principal | None:
        return None


DOCUMENT = {
    "resource": "https://API.example.com/public/mcp",
    "authorization_servers": ["https://auth.example.com/realms/x/"],
    "scopes_supported": ["api://notes/notes:read"],
    "bearer_methods_supported": ["header"],
    "resource_name": "notes",
}


@pytest.mark.parametrize("path", [None, "/public/mcp"])
@pytest.mark.parametrize("kind", APPS)
def test_it_is_at_the_path_form_and_at_the_root_form(kind: str, path: str | None) -> None:
    """R2506-AUTH-07, R2511-AUTH-07, R26-AUTH-07, R26-AUTH-16: strings are sent as they were given."""
    app = mount(kind, notes(), auth=Issued(), path=path)
    for where in (WELL_KNOWN, f"{WELL_KNOWN}/", f"{WELL_KNOWN}/public/mcp", f"{WELL_KNOWN}/public/mcp/"):
        answer = ask(app, method="GET", path=where)
        assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
        assert answer.json == DOCUMENT
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cache-control"] == "public, max-age=3600"
        head = ask(app, method="HEAD", path=where)
        assert (head.status, head.body, head.headers) == (200, b"", answer.headers)
        assert ask(app, method="OPTIONS", path=where).status == 204
        assert ask(app, method="POST", path=where).status == 405


@pytest.mark.parametrize("path", [None, "/mcp"])
@pytest.mark.parametrize("kind", APPS)
def test_the_challenge_leads_to_it(kind: str, path: str | None) -> None:
    """R2506-AUTH-08, R26-AUTH-08."""
    challenge = call(mount(kind, notes(), auth=Issued(), path=path)).challenge
    assert challenge is not None
    assert 'resource_metadata="https://API.example.com/.well-known/oauth-protected-resource/public/mcp"' in challenge


@pytest.mark.parametrize("auth", [Issued(), Keys(KEYS)])
@pytest.mark.parametrize("path", [None, "/mcp"])
@pytest.mark.parametrize("kind", APPS)
def test_other_documents_about_the_origin_are_not_there(kind: str, path: str | None, auth: Any) -> None:
    app = mount(kind, notes(), auth=auth, path=path)
    for where in (
        "/.well-known/oauth-authorization-server",
        f"{WELL_KNOWN}/other",
        "/.well-known/openid-configuration",
    ):
        assert ask(app, method="GET", path=where).status == 404


@pytest.mark.parametrize("kind", APPS)
def test_keys_alone_have_no_metadata(kind: str) -> None:
    app = mount(kind, notes(), auth=Keys(KEYS))
    assert ask(app, method="GET", path=WELL_KNOWN).status == 404


@pytest.mark.parametrize("kind", APPS)
def test_a_host_mounts_the_same_application_at_the_well_known_path(kind: str) -> None:
    app = mount(kind, notes(), auth=Issued())
    assert ask(app, method="GET", root=WELL_KNOWN, path="/public/mcp").json == DOCUMENT
    assert ask(app, method="GET", root=WELL_KNOWN, path="/other").status == 404
    assert ask(app, method="GET", root="/public", path="/mcp").status == 401


def test_a_host_that_cuts_the_prefix_off_the_path_works_too() -> None:
    app = notes().asgi(auth=Issued())

    async def cut(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "path": "/public/mcp", "root_path": WELL_KNOWN}, receive, send)

    assert ask(cut, method="GET").json == DOCUMENT


@pytest.mark.slow
def test_real_hosts_mount_it_with_one_more_line() -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from werkzeug.middleware.dispatcher import DispatcherMiddleware

    mcp = notes().asgi(auth=Issued())
    starlette = Starlette(routes=[Mount("/public/mcp", mcp), Mount(WELL_KNOWN, mcp)])
    wsgi = notes().wsgi(auth=Issued())
    pages: Any = DispatcherMiddleware(lambda *args: [b""], {"/public/mcp": wsgi, WELL_KNOWN: wsgi})

    class HostWSGI:
        def __call__(self, environ: Any, start_response: Any) -> Any:
            return pages(environ, start_response)

    for host in (starlette, HostWSGI()):
        assert ask(host, method="GET", path=f"{WELL_KNOWN}/public/mcp").json == DOCUMENT
        assert ask(host, method="GET", path=f"{WELL_KNOWN}/other").status == 404
        assert ask(host, {}, path="/public/mcp/").status == 401


def test_a_route_of_the_author_beside_it_stays() -> None:
    server = notes()

    @server.route("/.well-known/security.txt")
    def contact() -> str:
        return "mailto:a@example.com"

    app = server.asgi(auth=Issued(), path="/mcp")
    assert ask(app, method="GET", path="/.well-known/security.txt").body == b"mailto:a@example.com"


@pytest.mark.parametrize(
    ("resource", "url"),
    [
        ("https://a.example", "https://a.example/.well-known/oauth-protected-resource"),
        ("https://a.example/", "https://a.example/.well-known/oauth-protected-resource"),
        ("https://a.example:8443/x/y", "https://a.example:8443/.well-known/oauth-protected-resource/x/y"),
        ("http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"),
    ],
)
def test_the_well_known_path_is_between_host_and_path(resource: str, url: str) -> None:
    metadata = Metadata(resource, ["https://auth.example"], [], "x")
    assert (metadata.url, metadata.document["resource"]) == (url, resource)
    assert "scopes_supported" not in metadata.document


@pytest.mark.parametrize(
    "resource",
    [
        "api.example.com/mcp",
        "ftp://a.example",
        "https://",
        "https://a/#b",
        "https://a/?b",
        "https://a b/",
        'https://a/"',
        "https://é/",
    ],
)
def test_a_resource_that_is_not_a_url_is_refused(resource: str) -> None:
    with pytest.raises(AuthorError, match="resource= is the public URL"):
        Metadata(resource, ["https://auth.example"], [], "x")


def test_an_issuer_needs_a_resource() -> None:
    class Alone:
        issuer = "https://auth.example"

        def verify(self, token: str) -> None:
            return None

    with pytest.raises(AuthorError, match="needs resource="):
        notes().asgi(auth=Alone())

    class Other(Issued):
        resource = "https://other.example"

    with pytest.raises(AuthorError, match="different values of resource="):
        notes().asgi(auth=[Issued(), Other()])
