"""The URLs of Redis: what each form says, what is refused with which reason, and that no password is shown."""

import re
from pathlib import Path

import pytest

from plainmcp.errors import AuthorError
from plainmcp.redis.urls import read_url


@pytest.mark.parametrize(
    ("url", "kind", "nodes", "name"),
    [
        ("redis://a/1", "", [("a", 6379)], "Redis at a:6379"),
        ("redis://", "", [("localhost", 6379)], "Redis at localhost:6379"),
        ("rediss://u:p@[::1]:1/", "", [("::1", 1)], "Redis at ::1:1"),
        ("unix:///tmp/a.sock?db=1", "", [], "Redis at /tmp/a.sock"),
        ("unix://u:p@/tmp/a.sock", "", [], "Redis at /tmp/a.sock"),
        ("redis+cluster://a", "cluster", [("a", 6379)], "Redis Cluster at a:6379"),
        ("rediss+cluster://u:p@a:1,[::1]:2/0", "cluster", [("a", 1), ("::1", 2)], "Redis Cluster at a:1,::1:2"),
        (
            "redis+sentinel://a,b:1/2?service=notes",
            "sentinel",
            [("a", 26379), ("b", 1)],
            "Redis, as notes of Sentinel at a:26379,b:1,",
        ),
    ],
)
def test_a_url_says_where_redis_is(url: str, kind: str, nodes: list[tuple[str, int]], name: str) -> None:
    address = read_url(url)
    assert (address.kind, address.nodes, address.name) == (kind, nodes, name)
    assert address.has_tls == url.startswith("rediss")


def test_the_login_and_the_options_are_those_of_redis_py() -> None:
    url = (
        "rediss+sentinel://me:p%40ss@a/3?service=notes&sentinel_password=watch&ssl_min_version=771&client_name=x%20y"
    )
    address = read_url(url)
    assert address.options == {
        "username": "me", "password": "p@ss", "db": 3, "ssl_min_version": 771, "client_name": "x y",
        "ssl_check_hostname": True,
    }  # fmt: skip
    assert address.sentinel == {"service": "notes", "password": "watch"}
    assert set(address.secrets) == {"me", "p@ss", "watch"}
    assert "p@ss" not in repr(address) and "watch" not in repr(address)


def test_the_name_in_a_certificate_is_checked_unless_the_url_says_otherwise() -> None:
    """redis-py before 6 did not check it."""
    assert read_url("rediss://a").options["ssl_check_hostname"] is True
    assert read_url("rediss://a?ssl_check_hostname=false").options["ssl_check_hostname"] is False
    assert "ssl_check_hostname" not in read_url("rediss://a?ssl_cert_reqs=none").options
    assert "ssl_check_hostname" not in read_url("redis://a").options


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("redis+cluster://a/1", "a cluster has no databases: leave out the number after the slash"),
        ("redis+cluster://a?db=1", "a cluster has no databases"),
        (
            "redis+cluster://a?health_check_interval=1",
            "health_check_interval is not an option of redis-py for a",
        ),
        ("redis+cluster://:s3cr3t@a,b:x", "its host or port cannot be read"),
        ("redis+cluster://a,b/c,d", "what follows the host and the slash is not the number of a database"),
        ("redis://a,b/0", "it has several hosts: with them it starts with redis+cluster:// or redis+sentinel://"),
        ("redis+sentinel://a/0", "Sentinel needs the name of the service that it watches, such as ?service=mymaster"),
        ("redis+sentinel://a?service=", "Sentinel needs the name of the service"),
        ("redis://a?service=notes", "service is an option of Sentinel: with it, the URL starts with redis+sentinel"),
        ("redis+cluster://a?sentinel_password=s3cr3t", "sentinel_password is an option of Sentinel"),
        (
            "redis://a?ssl_ca_certs=/ca.pem",
            "ssl_ca_certs is an option of TLS: with it, the URL starts with rediss://",
        ),
        ("redis+cluster://a?ssl_cert_reqs=none", "ssl_cert_reqs is an option of TLS: with it, the URL starts with"),
        ("rediss://a?ssl_ca_certs=/no/ca.pem", "there is no file /no/ca.pem, which ssl_ca_certs names"),
        ("redis+clusters://a", "it starts with neither redis:// nor rediss:// nor unix://, nor one of them with"),
        ("unix+cluster:///a", "it starts with neither"),
        ("valkeys://a", "for Valkey, too, it starts with redis:// or rediss://"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(AuthorError, match=re.escape(f"this is not an address of Redis: {reason}")) as refused:
        read_url(url)
    assert "s3cr3t" not in str(refused.value)


def test_files_of_certificates_that_are_there_are_taken(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    assert read_url(f"rediss+cluster://a?ssl_ca_certs={tmp_path}/ca.pem").options["ssl_ca_certs"]
