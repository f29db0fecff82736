"""A small authorization server for tests: signs tokens, publishes its keys, and logs clients in on loopback.

`Issuer` does no I/O. `served` runs it as an HTTP server: metadata, registration of clients, authorization codes with
PKCE, refresh tokens, keys and introspection. There is one user, who agrees to everything.
"""

import hmac
import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

from plainmcp.auth import Unavailable

__all__ = ["RESOURCE", "Issuer", "compact", "served"]

RESOURCE = "https://api.example.com/mcp"
_RSA = RSAKey.generate_key(2048)  # one for all tests: it takes a while


def compact(header: dict[str, Any], payload: Any, key: Any) -> str:
    """A signed token, with any header and any payload; a key in bytes is the secret of HS256."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    signed = b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in (json.dumps(header).encode(), raw))
    if isinstance(key, bytes):
        signature = hmac.digest(key, signed, "sha256")
    else:
        signature = jws.JWSRegistry.algorithms[header["alg"]].sign(signed, key)
    return (signed + b"." + urlsafe_b64encode(signature).rstrip(b"=")).decode()


class Issuer:
    """An authorization server: its keys, its tokens, and the requests for its documents."""

    def __init__(self, url: str = "https://auth.example.com", resource: str = RESOURCE) -> None:
        self.url = url
        self.resource = resource
        self.keys: dict[str, Any] = {"one": RSAKey.import_key({**_RSA.as_dict(private=True), "kid": "one"})}
        self.current = "one"
        self.is_down = False
        self.fetched: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.refresh_tokens: dict[str, dict[str, str]] = {}
        self.asked: list[dict[str, str]] = []  # the parameters of each authorization request
        self.introspected: list[dict[str, str]] = []

    # Keys and tokens ------------------------------------------------------------------------------

    def rotate(self, key_id: str, *, kind: str = "EC", forget: bool = False) -> None:
        """Sign with another key from now on; with `forget`, the others are not published any more."""
        made = {"EC": lambda: ECKey.generate_key("P-256"), "OKP": lambda: OKPKey.generate_key("Ed25519")}
        made["RSA"] = lambda: _RSA
        key = made[kind]()
        key = type(key).import_key({**key.as_dict(private=True), "kid": key_id})
        self.keys = {key_id: key} if forget else {**self.keys, key_id: key}
        self.current = key_id

    def claims(self, **changes: Any) -> dict[str, Any]:
        """The claims of a good token, with changes; a claim that is None is left out."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "sub": "ada",
            "aud": self.resource,
            "client_id": "app",
            "scope": "notes:read",
            "iat": now,
            "exp": now + 600,
            "jti": secrets.token_hex(4),
        }
        return {name: value for name, value in {**claims, **changes}.items() if value is not None}

    def token(self, header: dict[str, Any] | None = None, **changes: Any) -> str:
        """A signed token; a part of the header that is None is left out."""
        key = self.keys[self.current]
        algorithm = {"RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}[key.key_type]
        full = {"alg": algorithm, "typ": "at+jwt", "kid": self.current, **(header or {})}
        full = {name: value for name, value in full.items() if value is not None}
        return compact(full, self.claims(**changes), key)

    def jwks(self) -> dict[str, Any]:
        """The public keys."""
        return {"keys": [{**key.as_dict(private=False), "use": "sig"} for key in self.keys.values()]}

    def metadata(self) -> dict[str, Any]:
        """The document that clients and servers find."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "introspection_endpoint": f"{self.url}/introspect",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": True,
        }

    def fetch(self, url: str) -> bytes:
        """A document, without a socket."""
        self.fetched.append(url)
        if self.is_down:
            raise Unavailable("the issuer is down")
        return json.dumps(self.jwks() if url.endswith("/jwks") else self.metadata()).encode()

    # Logging in -----------------------------------------------------------------------------------

    def authorize(self, query: dict[str, str]) -> str:
        """The user agrees; returns where the browser is sent."""
        self.asked.append(query)
        assert query["response_type"] == "code" and query["code_challenge_method"] == "S256"
        assert query["resource"] == self.resource, query  # RFC 8707
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        answer = {"code": code, "iss": self.url} | ({"state": query["state"]} if "state" in query else {})
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict[str, str]) -> dict[str, Any]:
        """A token for a code, or for a refresh token."""
        if form["grant_type"] == "refresh_token":
            grant = self.refresh_tokens.pop(form["refresh_token"])
        else:
            grant = self.codes.pop(form["code"])
            digest = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
            assert digest == grant["code_challenge"], "the code verifier does not fit"
            assert form["redirect_uri"] == grant["redirect_uri"]
        scope = form.get("scope") or grant.get("scope", "")
        refresh = secrets.token_urlsafe(16)
        self.refresh_tokens[refresh] = {**grant, "scope": scope}
        token = self.token(scope=scope, client_id=grant["client_id"])
        return {
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": 600,
            "scope": scope,
            "refresh_token": refresh,
        }

    def introspect(self, form: dict[str, str], authorization: str | None) -> dict[str, Any]:
        """What is known of an opaque token: `opaque-` and its scopes."""
        self.introspected.append(form)
        client = b64decode(authorization.removeprefix("Basic ")).decode() if authorization else form.get("client_id")
        assert client in ("server:secret%26", "server"), client
        kind, _, scopes = form["token"].partition("-")
        if kind != "opaque":
            return {"active": False}
        return {"active": True, "scope": scopes.replace("-", " "), **self.claims(scope=None)}


@contextmanager
def served(resource: str = RESOURCE) -> Iterator[Issuer]:
    """An issuer on loopback."""
    issuer = Issuer(resource=resource)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if issuer.is_down:
                self._send(500, {})
            elif parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", issuer.authorize(query))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif parts.path == "/jwks":
                issuer.fetched.append(self.path)
                self._send(200, issuer.jwks())
            elif parts.path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"):
                issuer.fetched.append(self.path)
                self._send(200, issuer.metadata())
            else:
                self._send(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self.path == "/register":
                self._send(201, {**json.loads(body), "client_id": secrets.token_hex(4)})
                return
            form = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
            if self.path == "/introspect":
                self._send(200, issuer.introspect(form, self.headers.get("Authorization")))
            else:
                self._send(200, issuer.exchange(form))

        def _send(self, status: int, document: Any) -> None:
            raw = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    issuer.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
