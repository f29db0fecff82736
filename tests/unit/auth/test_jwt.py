"""JSON Web Tokens: good ones of several issuers, hostile ones, and keys that change while requests run."""

import json
import logging
import threading
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, RSAKey

from issuer import RESOURCE, Issuer, compact
from plainmcp.auth import JWT, Unavailable
from plainmcp.auth import key_set as key_sets
from plainmcp.errors import AuthorError
from protected import APPS, ask, call, mount, notes


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


def verifier_of(issuer: Issuer, **options: Any) -> JWT:
    return JWT(issuer.url, issuer.resource, **{"fetch": issuer.fetch, **options})


def test_a_good_token_has_a_principal(issuer: Issuer) -> None:
    """R2503-AUTH-04, R2506-AUTH-04, R2511-AUTH-04, R26-AUTH-04."""
    principal = verifier_of(issuer, leeway=0).verify(issuer.token(exp=4e9, email="ada@example.com"))
    assert principal is not None
    assert principal.identity == ("https://auth.example.com", "ada", "app")
    assert (principal.scopes, principal.expires) == ({"notes:read"}, 4e9)
    assert principal.claims["email"] == "ada@example.com"


@pytest.mark.parametrize("kind", ["RSA", "EC", "OKP"])
def test_keys_of_every_kind_verify(issuer: Issuer, kind: str) -> None:
    issuer.rotate("two", kind=kind)
    assert verifier_of(issuer).verify(issuer.token()) is not None


# Issuers ------------------------------------------------------------------------------------------

FORMS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], Any]] = {
    "Okta": (
        {"typ": None},
        {
            "aud": "api://default",
            "scp": ["notes:read", "x"],
            "cid": "0oa1",
            "scope": None,
            "client_id": None,
            "ver": 1,
        },
        {"audiences": ["api://default"]},
        ("ada", "0oa1"),
    ),
    "Entra v2": (
        {"typ": "JWT", "x5t": "abc"},
        {
            "aud": "5f3c-guid",
            "scp": "notes:read",
            "azp": "c1",
            "scope": None,
            "client_id": None,
            "tid": "t",
            "ver": "2.0",
        },
        {"audiences": ["5f3c-guid", "api://5f3c-guid"]},
        ("ada", "c1"),
    ),
    "Entra v1": (
        {"typ": "JWT", "nonce": "in the header"},
        {"aud": "api://5f3c-guid", "scp": "notes:read", "appid": "c1", "scope": None, "client_id": None},
        {"audiences": ["5f3c-guid", "api://5f3c-guid"]},
        ("ada", "c1"),
    ),
    "Auth0": (
        {"typ": "JWT"},
        {
            "aud": [RESOURCE, "https://x.auth0.com/userinfo"],
            "azp": "c1",
            "client_id": None,
            "permissions": ["notes:read"],
        },
        {},
        ("ada", "c1"),
    ),
    "Keycloak": (
        {"typ": "JWT"},
        {
            "typ": "Bearer",
            "aud": [RESOURCE, "account"],
            "azp": "c1",
            "client_id": None,
            "nonce": "older versions put it here",
            "realm_access": {"roles": ["editor"]},
            "scope": "openid notes:read",
        },
        {},
        ("ada", "c1"),
    ),
    "Cognito": (
        {"typ": None},
        {"aud": None, "client_id": "c1", "token_use": "access", "username": "ada"},
        {"audience_claim": "client_id", "audiences": ["c1"]},
        ("ada", "c1"),
    ),
    "client credentials": ({}, {"sub": None, "client_id": "bot"}, {}, (None, "bot")),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_tokens_of_known_authorization_servers_are_understood(issuer: Issuer, name: str) -> None:
    header, claims, options, who = FORMS[name]
    principal = verifier_of(issuer, **options).verify(issuer.token(header, **claims))
    assert principal is not None
    assert ((principal.subject, principal.client), "notes:read" in principal.scopes) == (who, True)


def test_roles_become_scopes_by_a_function(issuer: Issuer) -> None:
    verifier = verifier_of(issuer, grants=lambda claims: claims.get("realm_access", {}).get("roles", ()))
    principal = verifier.verify(issuer.token(realm_access={"roles": ["editor"]}))
    assert principal is not None and principal.scopes == {"notes:read", "editor"}


# Hostile tokens -----------------------------------------------------------------------------------


def encode(part: Any) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return urlsafe_b64encode(raw).decode().rstrip("=")


def confused(issuer: Issuer) -> str:
    """A token that is signed with the public key as a secret."""
    pem: bytes = issuer.keys["one"].as_pem(private=False)
    return compact({"alg": "HS256", "kid": "one", "typ": "at+jwt"}, issuer.claims(), pem)


def signed_by_other(issuer: Issuer) -> str:
    other = RSAKey.generate_key(2048)
    return compact({"alg": "RS256", "kid": "one", "typ": "at+jwt"}, issuer.claims(), other)


def with_own_key(issuer: Issuer) -> str:
    """A token that brings the key it is signed with."""
    other = ECKey.generate_key("P-256")
    public = other.as_dict(private=False)
    header = {"alg": "ES256", "kid": "mine", "jwk": public, "jku": "https://evil.example/jwks", "x5u": "https://e"}
    return compact(header, issuer.claims(iat=1), other)


def tampered(issuer: Issuer) -> str:
    header, _, signature = issuer.token().split(".")
    return f"{header}.{encode(issuer.claims(sub='root'))}.{signature}"


HOSTILE: dict[str, Any] = {
    "none": lambda i: f"{encode({'alg': 'none'})}.{encode(i.claims())}.",
    "None": lambda i: f"{encode({'alg': 'None', 'kid': 'one'})}.{encode(i.claims())}.",
    "no algorithm": lambda i: f"{encode({'typ': 'JWT'})}.{encode(i.claims())}.",
    "algorithms in a list": lambda i: f"{encode({'alg': ['RS256']})}.{encode(i.claims())}.AAAA",
    "HS256 with the public key": confused,
    "signed by another key": signed_by_other,
    "its own key in the header": with_own_key,
    "other claims than were signed": tampered,
    "without a signature": lambda i: i.token().rpartition(".")[0] + ".",
    "two parts": lambda i: i.token().rpartition(".")[0],
    "four parts": lambda i: i.token() + ".x",
    "five parts": lambda i: f"{i.token()}.{i.token()}",
    "an empty text": lambda i: "",
    "dots": lambda i: "..",
    "not base64": lambda i: "!.!.!",
    "not JSON": lambda i: f"{encode(b'{')}.{encode(b'{')}.x",
    "a list": lambda i: f"{encode([])}.{encode([])}.x",
    "deep JSON": lambda i: f"{encode(b'[' * 9000)}.{encode({})}.x",
    "NUL": lambda i: i.token()[:-4] + "\0\0\0\0",
    "long": lambda i: i.token(padding="x" * 20_000),
    "1 MB": lambda i: "a" * 500_000 + "." + "b" * 500_000 + ".c",
    "another audience": lambda i: i.token(aud="https://other.example.com/mcp"),
    "audiences without ours": lambda i: i.token(aud=["https://other.example.com", 3, None]),
    "an audience that begins like ours": lambda i: i.token(aud=f"{RESOURCE}.evil.example"),
    "a path below ours": lambda i: i.token(aud=f"{RESOURCE}/x"),
    "no audience": lambda i: i.token(aud=None),
    "an audience that is an object": lambda i: i.token(aud={"a": RESOURCE}),
    "another issuer": lambda i: i.token(iss="https://evil.example"),
    "an issuer with a slash": lambda i: i.token(iss=f"{i.url}/"),
    "an issuer in capitals": lambda i: i.token(iss=i.url.upper()),
    "no issuer": lambda i: i.token(iss=None),
    "expired": lambda i: i.token(exp=int(time.time()) - 31),
    "no expiry": lambda i: i.token(exp=None),
    "an expiry that is a text": lambda i: i.token(exp="9999999999"),
    "an expiry that is true": lambda i: i.token(exp=True),
    "not yet valid": lambda i: i.token(nbf=int(time.time()) + 60),
    "issued later": lambda i: i.token(iat=int(time.time()) + 60),
    "an ID token with a nonce": lambda i: i.token({"typ": "JWT"}, nonce="n"),
    "an ID token with a hash": lambda i: i.token({"typ": None}, at_hash="n"),
    "an ID token with a type": lambda i: i.token({"typ": "JWT"}, typ="JWT", nonce="n"),
    "an ID token of Cognito": lambda i: i.token({"typ": None}, token_use="id"),
    "a refresh token of Keycloak": lambda i: i.token({"typ": "JWT"}, typ="Refresh"),
    "a logout token": lambda i: i.token({"typ": "logout+jwt"}),
    "a token that is bound to a key": lambda i: i.token(cnf={"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}),
    "a proof": lambda i: i.token({"typ": "dpop+jwt"}),
    "a type that is a number": lambda i: i.token({"typ": 7}),
    "critical extensions": lambda i: i.token({"crit": ["exp"], "exp": 1}),
    "an unencoded payload": lambda i: f"{encode({'alg': 'RS256', 'b64': False, 'crit': ['b64']})}.{encode({})}.x",
    "no subject and no client": lambda i: i.token(sub=None, client_id=None),
    "a subject that is a number": lambda i: i.token(sub=7),
    "an empty subject": lambda i: i.token(sub=""),
    "a key id that is a number": lambda i: i.token({"kid": 7}, iat=1),
    "another algorithm of the same key": lambda i: compact({"alg": "RS384", "kid": "one"}, i.claims(), i.keys["one"]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_token_is_refused_and_nothing_of_it_is_logged(issuer: Issuer, name: str, caplog: Any) -> None:
    """R26-AUTH-04, R2506-AUTH-05, R2511-AUTH-05, R26-AUTH-05, R26-AUTH-06, R2506-AUTH-14, R26-AUTH-14."""
    caplog.set_level(logging.DEBUG)
    token = HOSTILE[name](issuer)
    assert verifier_of(issuer).verify(token) is None
    parts = [part for part in token.split(".") if len(part) > 8]
    assert not any(part in caplog.text for part in parts)
    assert "ada" not in caplog.text and "evil" not in caplog.text


@pytest.mark.parametrize(
    "name", ["HS256 with the public key", "expired", "another audience", "1 MB", "none", "tampered"]
)
@pytest.mark.parametrize("kind", APPS)
def test_a_hostile_token_over_http_is_a_401_without_anything_of_it(
    issuer: Issuer, kind: str, name: str, caplog: Any
) -> None:
    """R2503-AUTH-02, R2503-AUTH-14, R2511-AUTH-14."""
    caplog.set_level(logging.DEBUG)
    token = (HOSTILE | {"tampered": tampered})[name](issuer)
    answer = call(mount(kind, notes(), auth=verifier_of(issuer)), token)
    assert answer.status == 401 and 'error="invalid_token"' in str(answer.challenge)
    written = answer.body + str(answer.headers).encode() + caplog.text.encode()
    assert not any(part.encode() in written for part in token.split(".") if len(part) > 8)


@pytest.mark.parametrize("kind", APPS)
def test_a_header_of_any_depth_is_a_401(issuer: Issuer, kind: str, caplog: Any) -> None:
    """P27: between 986 and 994 levels one decoder took it, and the next one did not: a 503 with a traceback."""
    app = mount(kind, notes(), auth=verifier_of(issuer))
    _, claims, signature = issuer.token().split(".")
    for levels in (127, 128, 129, *range(960, 1010), 2000, 3990):
        deep = b"[" * levels + b"]" * levels
        header = encode(b'{"alg":"RS256","kid":"one","typ":"at+jwt","x":' + deep + b"}")
        assert call(app, f"{header}.{claims}.{signature}").status == 401, levels
    assert "Traceback" not in caplog.text
    deep_claims = issuer.token(groups=json.loads("[" * 900 + "]" * 900))
    assert call(app, deep_claims).status == 401
    assert call(app, issuer.token(groups=json.loads("[" * 100 + "]" * 100))).status == 200


@pytest.mark.parametrize(("late", "is_valid"), [(-0.001, True), (0, False)])
def test_a_token_expires_exactly_at_its_boundary(issuer: Issuer, late: float, is_valid: bool) -> None:
    for leeway in (0, 60):
        verifier = verifier_of(issuer, leeway=leeway, now=lambda limit=leeway: 5000.0 + limit + late)
        assert (verifier.verify(issuer.token(iat=1, exp=5000)) is not None) == is_valid


@pytest.mark.parametrize("kind", APPS)
def test_a_token_that_was_verified_is_refused_when_it_expires(issuer: Issuer, kind: str) -> None:
    clock = [4000.0]
    verifier = verifier_of(issuer, leeway=0, now=lambda: clock[0])
    app = mount(kind, notes(now=lambda: clock[0]), auth=verifier)
    token = issuer.token(iat=1, exp=5000)
    statuses = []
    for clock[0] in (4000.0, 4999.999, 5000.0):
        statuses.append(call(app, token).status)
    assert statuses == [200, 200, 401]


def test_the_audience_may_differ_in_case_and_by_a_slash(issuer: Issuer) -> None:
    """R2506-AUTH-16, R2511-AUTH-16, R26-AUTH-16."""
    verifier = verifier_of(issuer)
    for audience in ("HTTPS://API.Example.COM/mcp", f"{RESOURCE}/", ["x", RESOURCE]):
        assert verifier.verify(issuer.token(aud=audience)) is not None
    assert verifier.verify(issuer.token(aud="https://api.example.com/MCP")) is None


def test_the_check_of_the_audience_can_be_left_out(issuer: Issuer) -> None:
    verifier = JWT(issuer.url, audience_check=False, fetch=issuer.fetch)
    assert verifier.verify(issuer.token(aud="https://other.example.com")) is not None


def test_a_strict_verifier_takes_access_tokens_by_their_type_only(issuer: Issuer) -> None:
    verifier = verifier_of(issuer, strict_type=True)
    assert verifier.verify(issuer.token({"typ": "application/AT+JWT"})) is not None
    for kind in ("JWT", None):
        assert verifier.verify(issuer.token({"typ": kind})) is None


# Keys ---------------------------------------------------------------------------------------------


def test_the_keys_are_found_by_the_metadata_of_the_issuer(issuer: Issuer) -> None:
    verifier = verifier_of(issuer)
    for _ in range(3):
        assert verifier.verify(issuer.token()) is not None
    assert issuer.fetched == [
        "https://auth.example.com/.well-known/oauth-authorization-server",
        "https://auth.example.com/jwks",
    ]


def test_keys_come_from_a_url_a_file_or_data(issuer: Issuer, tmp_path: Path) -> None:
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps(issuer.jwks()))
    for jwks in ("https://auth.example.com/jwks", file, str(file), issuer.jwks()):
        assert verifier_of(issuer, jwks=jwks).verify(issuer.token()) is not None
    assert issuer.fetched == ["https://auth.example.com/jwks"]


def test_a_file_of_keys_may_begin_with_a_byte_order_mark(issuer: Issuer, tmp_path: Path) -> None:
    """P29: some editors write one."""
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps(issuer.jwks()), "utf-8-sig")
    assert verifier_of(issuer, jwks=file).verify(issuer.token()) is not None


def test_a_file_that_changes_is_read_again(issuer: Issuer, tmp_path: Path) -> None:
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps(issuer.jwks()))
    verifier = verifier_of(issuer, jwks=file)
    assert verifier.verify(issuer.token()) is not None
    issuer.rotate("two")
    file.write_text(json.dumps(issuer.jwks()))
    assert verifier.verify(issuer.token()) is not None


def test_an_issuer_that_is_down_is_no_reason_to_refuse(issuer: Issuer) -> None:
    issuer.is_down = True
    verifier = verifier_of(issuer)
    with pytest.raises(Unavailable):
        verifier.verify(issuer.token())
    assert verifier.verify(issuer.token(aud="other")) is None  # this is known without its keys


@pytest.mark.parametrize("kind", APPS)
def test_over_http_it_is_a_503_and_works_again_when_the_issuer_does(issuer: Issuer, kind: str) -> None:
    clock = [time.time()]
    issuer.is_down = True
    app = mount(kind, notes(), auth=verifier_of(issuer, now=lambda: clock[0]))
    answer = call(app, issuer.token())
    assert (answer.status, answer.challenge, int(answer.headers["retry-after"]) >= 1) == (503, None, True)
    issuer.is_down = False
    clock[0] += 2
    assert call(app, issuer.token()).status == 200


def test_a_fetch_function_may_raise_what_it_likes(issuer: Issuer) -> None:
    def fail(url: str) -> bytes:
        raise LookupError("proxy-password")

    with pytest.raises(Unavailable, match="cannot be fetched: LookupError") as caught:
        verifier_of(issuer, fetch=fail).verify(issuer.token())
    assert "proxy-password" not in str(caught.value)


@pytest.mark.parametrize("named", ["EdDSA", "Ed25519"])
@pytest.mark.parametrize("algorithm", ["EdDSA", "Ed25519"])
def test_both_names_of_ed25519_are_the_same_algorithm(issuer: Issuer, algorithm: str, named: str) -> None:
    issuer.rotate("two", kind="OKP")
    keys = {"keys": [{**issuer.keys["two"].as_dict(private=False), "alg": named}]}
    assert verifier_of(issuer, jwks=keys).verify(issuer.token({"alg": algorithm})) is not None


def test_unknown_key_ids_cause_few_fetches(issuer: Issuer) -> None:
    clock = [time.time()]
    verifier = verifier_of(issuer, now=lambda: clock[0])
    assert verifier.verify(issuer.token()) is not None
    refused = unknown = 0
    for number in range(1000):
        clock[0] += 0.01
        try:
            refused += verifier.verify(issuer.token({"kid": f"k{number}"}, iat=int(clock[0]))) is None
        except Unavailable as error:
            assert 1 <= error.retry_after <= 30
            unknown += 1
    assert refused + unknown == 1000
    assert issuer.fetched.count("https://auth.example.com/jwks") == 1 + key_sets.BURST
    assert verifier.verify(issuer.token()) is not None


def test_an_old_token_with_an_unknown_key_is_refused_without_a_fetch(issuer: Issuer) -> None:
    verifier = verifier_of(issuer)
    verifier.verify(issuer.token())
    count = len(issuer.fetched)
    assert verifier.verify(issuer.token({"kid": "unknown"}, iat=int(time.time()) - 3600)) is None
    assert len(issuer.fetched) == count


def test_a_key_that_is_taken_back_verifies_nothing_after_the_next_fetch(issuer: Issuer) -> None:
    clock = [time.time()]
    verifier = verifier_of(issuer, now=lambda: clock[0], cache_seconds=300)
    app = notes(now=lambda: clock[0]).asgi(auth=verifier)
    old = issuer.token(exp=int(clock[0]) + 9000)
    assert call(app, old).status == 200
    issuer.rotate("two", forget=True)
    assert call(app, old).status == 200  # nothing has shown yet that the keys changed
    assert call(app, issuer.token()).status == 200
    assert call(app, old).status == 401


def test_keys_are_fetched_again_after_an_hour_and_kept_while_the_issuer_is_down(issuer: Issuer) -> None:
    clock = [time.time()]
    verifier = verifier_of(issuer, now=lambda: clock[0])
    token = issuer.token(exp=int(clock[0]) + 99_999)
    assert verifier.verify(token) is not None
    count = len(issuer.fetched)
    clock[0] += 3599
    verifier.verify(token)
    assert len(issuer.fetched) == count
    clock[0] += 2
    issuer.is_down = True
    assert verifier.verify(token) is not None
    assert len(issuer.fetched) == count + 1
    clock[0] += 3600
    with pytest.raises(Unavailable):
        verifier.verify(token)


@pytest.mark.parametrize("kind", APPS)
def test_keys_rotate_under_load_without_one_wrong_refusal(issuer: Issuer, kind: str) -> None:
    app = mount(kind, notes(), auth=verifier_of(issuer, refresh_seconds=0.05))
    stop, wrong, counts = threading.Event(), [], [0]

    def load(number: int) -> None:
        while not stop.is_set():
            answer = call(app, issuer.token(sub=f"user{number}"))
            counts[0] += 1
            if answer.status not in (200, 503):
                wrong.append(answer)

    threads = [threading.Thread(target=load, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for number in range(4):
        time.sleep(0.25)
        issuer.rotate(f"key{number}")
    time.sleep(0.25)
    stop.set()
    for thread in threads:
        thread.join(20)
    assert not wrong and counts[0] > 50
    assert call(app, issuer.token()).status == 200


def test_one_fetch_is_shared_by_all_who_wait_for_it(issuer: Issuer) -> None:
    verifier = verifier_of(issuer, fetch=lambda url: (time.sleep(0.1), issuer.fetch(url))[1])
    tokens = [issuer.token(sub=str(number)) for number in range(20)]
    found: list[Any] = []
    threads = [threading.Thread(target=lambda token=token: found.append(verifier.verify(token))) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 20 and None not in found
    assert len(issuer.fetched) == 2


@pytest.mark.parametrize(
    "change", [{"use": "enc"}, {"key_ops": ["encrypt"]}, {"alg": "RS512"}, {"kty": "oct", "k": "c2VjcmV0"}]
)
def test_keys_that_must_not_be_used_are_not(issuer: Issuer, change: dict[str, Any]) -> None:
    public = {**issuer.keys["one"].as_dict(private=False), **change}
    other = ECKey.generate_key("P-256", {"kid": "two"}).as_dict(private=False)
    assert verifier_of(issuer, jwks={"keys": [public, other]}).verify(issuer.token(iat=1)) is None


def test_a_weak_key_is_not_used(issuer: Issuer) -> None:
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    made = generate_private_key(65537, 1024).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.warns(SecurityWarning):
        weak = RSAKey.import_key(made, {"kid": "weak"})
    issuer.keys["weak"], issuer.current = weak, "weak"
    assert verifier_of(issuer).verify(issuer.token(iat=1)) is None


def test_without_a_key_id_the_key_must_be_the_only_one(issuer: Issuer) -> None:
    assert verifier_of(issuer).verify(issuer.token({"kid": None})) is not None
    issuer.keys["other"] = RSAKey.generate_key(2048, {"kid": "other"})
    assert verifier_of(issuer).verify(issuer.token({"kid": None}, iat=1)) is None


# Configuration ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "give resource="),
        ({"resource": "notes"}, "resource= is the public URL"),
        ({"resource": RESOURCE, "algorithms": ["HS256"]}, "algorithms= takes"),
        ({"resource": RESOURCE, "algorithms": ["none"]}, "algorithms= takes"),
        ({"resource": RESOURCE, "algorithms": []}, "algorithms= takes"),
        ({"resource": RESOURCE, "algorithms": "RS256"}, "algorithms= takes a list, not str"),
        ({"resource": RESOURCE, "audiences": "api://x"}, "audiences= takes a list, not str"),
        ({"resource": RESOURCE, "audience": ["api://x"]}, r"JWT has no option audience=; did you mean audiences=\?"),
        ({"resource": RESOURCE, "refresh_seconds": 0}, "refresh_seconds= is a number of seconds, at least 0.001"),
        ({"resource": RESOURCE, "jwks": "http://auth.example.com/jwks"}, "starts with https://"),
        ({"resource": RESOURCE, "jwks": "missing.json"}, "there is no file"),
        ({"resource": RESOURCE, "jwks": 3}, "is a URL, a file or a dict"),
        ({"resource": RESOURCE, "jwks": {"keys": []}}, "no key that can be used"),
        ({"resource": RESOURCE, "jwks": {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}}, "no key that can be used"),
        ({"resource": RESOURCE, "jwks": {}}, "not a JSON object with keys"),
        ({"resource": RESOURCE, "scopes": ["a b"]}, "scopes= takes scopes"),
        ({"resource": RESOURCE, "leeway": -1}, "leeway= is a number"),
        ({"issuer": "http://auth.example.com", "resource": RESOURCE}, "starts with https://"),
        ({"issuer": "auth.example.com", "resource": RESOURCE}, "issuer= is a URL"),
        ({"issuer": "", "resource": RESOURCE}, "issuer= is the authorization server"),
    ],
)
def test_a_configuration_that_cannot_work_or_is_not_safe_is_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(AuthorError, match=problem):
        JWT(**{"issuer": "https://auth.example.com", **options})


@pytest.mark.parametrize("kind", APPS)
def test_the_metadata_and_the_challenge_come_from_the_verifier(issuer: Issuer, kind: str) -> None:
    """R2503-AUTH-01, R2506-AUTH-01, R2511-AUTH-01, R26-AUTH-01, R2511-AUTH-09, R26-AUTH-09."""
    verifier = verifier_of(issuer, scopes=["notes:read"], challenge_scopes={"notes:read": "api://notes/notes:read"})
    app = mount(kind, notes(), auth=verifier, path="/mcp")
    document = ask(app, method="GET", path="/.well-known/oauth-protected-resource/mcp").json
    assert document["authorization_servers"] == [issuer.url]
    assert document["scopes_supported"] == ["api://notes/notes:read"]
    assert 'scope="api://notes/notes:read"' in str(call(app).challenge)
    assert call(app, issuer.token()).status == 200
    assert call(app, issuer.token(scope="other")).status == 403
