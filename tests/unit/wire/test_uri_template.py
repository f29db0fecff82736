"""Which URIs match a template, with which values; which templates are refused; no value leaves its segment."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp.errors import AuthorError
from plainmcp.wire.uri_template import MAX_LENGTH, compile, is_template

# Matching ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("weather://{city}", "weather://oslo", {"city": "oslo"}),
        ("test://template/{id}/data", "test://template/123/data", {"id": "123"}),
        ("resource/weather/{city}", "resource/weather/oslo", {"city": "oslo"}),
        ("urn:isbn:{number}", "urn:isbn:0451450523", {"number": "0451450523"}),
        ("{scheme}://x", "https://x", {"scheme": "https"}),
        ("a://{x}/{y}", "a://1/2", {"x": "1", "y": "2"}),
        ("a://{x,y}", "a://1,2", {"x": "1", "y": "2"}),
        ("a://{name}.{suffix}", "a://report.v2.pdf", {"name": "report.v2", "suffix": "pdf"}),
        ("a://{name}{.suffix}", "a://report.v2.pdf", {"name": "report.v2", "suffix": "pdf"}),
        ("a://x{.y,z}", "a://x.1.2", {"y": "1", "z": "2"}),
        ("a://x{/y}", "a://x/1", {"y": "1"}),
        ("a://x{/y,z}", "a://x/1/2", {"y": "1", "z": "2"}),
        ("a://x{/y*}", "a://x/1/2/3", {"y": ["1", "2", "3"]}),
        ("a://x{/y*}/end", "a://x/1/end", {"y": ["1"]}),
        ("a://x{/y*}.json", "a://x/1/2.json", {"y": ["1", "2"]}),
        ("docs://{+path}", "docs://guide/start.md", {"path": "guide/start.md"}),
        ("docs://{path*}", "docs://guide/start.md", {"path": "guide/start.md"}),
        ("docs://{path*}", "docs://start.md", {"path": "start.md"}),
        ("docs://{path*}", "docs://guide%2Fstart.md", {"path": "guide/start.md"}),
        ("docs://{path*}", "docs://guide/", {"path": "guide/"}),
        ("docs://{+path}/raw", "docs://a/b/raw/raw", {"path": "a/b/raw"}),
        ("docs://v{+path}.{suffix}", "docs://v1/a.b/c.md", {"path": "1/a.b/c", "suffix": "md"}),
        ("docs://{book}/{+path}/{page}", "docs://b/c/d/e/7", {"book": "b", "path": "c/d/e", "page": "7"}),
        ("fetch://{+url}", "fetch://https://example.com/a", {"url": "https://example.com/a"}),
        ("a://x{#part}", "a://x#/definitions/y", {"part": "/definitions/y"}),
        ("a://x#{part}", "a://x#one", {"part": "one"}),
        ("a://x{?q}{#part}", "a://x?q=1#2", {"q": "1", "part": "2"}),
        ("a://x{?q,r}", "a://x", {}),
        ("a://x{?q,r}", "a://x?r=2", {"r": "2"}),
        ("a://x{?q,r}", "a://x?r=2&q=1", {"q": "1", "r": "2"}),
        ("a://x{?q}", "a://x?q=", {"q": ""}),
        ("a://x{?q}", "a://x?q=a%20b%26c=d/e/../f", {"q": "a b&c=d/e/../f"}),
        ("a://x{?q*}", "a://x?q=1&q=2", {"q": ["1", "2"]}),
        ("a://x{?q*}", "a://x", {}),
        ("a://x{?q}{&r}", "a://x?r=2", {"r": "2"}),
        ("a://x?v=1{&q}", "a://x?v=1&q=2", {"q": "2"}),
        ("a://x?v=1{&q}", "a://x?v=1", {}),
        ("a://x?q={q}&r={r}", "a://x?q=1&r=2", {"q": "1", "r": "2"}),
        ("a://x?q={q}{&r}", "a://x?q=1&r=2", {"q": "1", "r": "2"}),
        ("a://{x}?v", "a://1?v", {"x": "1"}),
        ("a://previsão/{x}", "a://previsão/1", {"x": "1"}),
        ("a://previsão/{x}", "a://previs%C3%A3o/1", {"x": "1"}),
        ("a://{x}", "a://São Paulo", {"x": "São Paulo"}),
        ("a://{x}", "a://R&D", {"x": "R&D"}),
        ("a://{x}", "a://me@example.com", {"x": "me@example.com"}),
    ],
)
def test_a_uri_that_fits_gives_its_values(template, uri, values):
    assert compile(template).match(uri) == values


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("w/{city}/{day}", "weather/zzz"),  # B-36: no prefix, no missing and no extra segments
        ("w/{city}/{day}", "w/oslo"),
        ("w/{city}/{day}", "w/oslo/today/now"),
        ("w/{city}/{day}", "w/oslo/today/"),
        ("w/{city}/{day}", "xw/oslo/today"),
        ("weather://{city}", "weather://"),
        ("weather://{city}", "WEATHER://oslo"),  # exact: neither scheme nor host is folded
        ("weather://{city}", "weather:///oslo"),
        ("weather://{city}", "weather://oslo?unit=C"),
        ("weather://{city}", "weather://oslo?"),
        ("weather://{city}", "weather://oslo#now"),
        ("weather://{city}", " weather://oslo"),
        ("weather://{city}", "weather://oslo\n"),
        ("a://x{?q}", "a://x?"),
        ("a://x{?q}", "a://x?r=1"),  # unknown parameters are not ignored
        ("a://x{?q}", "a://x?q=1&r=1"),
        ("a://x{?q}", "a://x?q=1&q=2"),  # which of the two would it be?
        ("a://x{?q}", "a://x?q"),
        ("a://x{?q}", "a://x?q=1&"),
        ("a://x{?q}", "a://x?%71=1"),
        ("a://x{?q}", "a://x?q=%FF"),
        ("a://x?v=1{&q}", "a://x"),
        ("a://x?v=1{&q}", "a://x?q=2&v=1"),
        ("a://x?v=1{&q}", "a://x?q=2"),
        ("a://x{#part}", "a://x"),
        ("a://x{#part}", "a://x#"),
        ("a://x?v=1{#part}", "a://x#1"),
        ("a://x{/y*}", "a://x"),
        ("a://x{/y*}", "a://x/1//2"),
        ("a://x{/y*}", "a://x/1/2%2F3"),
        ("a://x{/y}", "a://x/1/2"),
        ("docs://{+path}", "docs://a?b"),
        ("docs://{+path}/raw", "docs://raw"),
        ("docs://{+path}.{suffix}", "docs://a.b/c"),
        ("a://{x}", "a://\ud800"),
    ],
)
def test_a_uri_that_does_not_fit_gives_nothing(template, uri):
    """B-36"""
    assert compile(template).match(uri) is None


ONE = ["docs://{name}", "docs:/{/name}", "docs:/{/name*}"]
SEVERAL = ["docs://{+name}", "docs://{name*}"]
AFFIXED = ["docs://{name}.md", "docs://pre-{name}", "docs://{+name}.md", "docs://pre-{name*}", "docs:/{/name*}.md"]
# What somebody might send to climb out; none of it fits any of these templates.
CLIMBS = [
    "..",
    ".",
    "%2e%2e",
    "%2E%2E",
    ".%2e",
    "%2e.",
    "%2e",
    "../etc/passwd",
    "..%2fetc%2fpasswd",
    "..%2Fetc/passwd",
    "%2e%2e/etc/passwd",
    "%2e%2e%2fetc%2fpasswd",
    "%2e%2e%2f%2e%2e%2f",
    "a/../b",
    "a/../../b",
    "a%2f..%2fb",
    "a%2F%2e%2e%2Fb",
    "a/./b",
    "a/%2e/b",
    "a/..",
    "a%2f..",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "//etc/passwd",
    "%2F%2Fserver%2Fshare",
    "..\\etc\\passwd",
    "..%5cetc%5cpasswd",
    "..%5Cetc",
    "%5c%5cserver%5cshare",
    "\\\\server\\share",
    "C:\\Windows",
    "C:%5CWindows",
    "a\\b",
    "a%5cb",
    "a%00b",
    "a%00.png",
    "..%00/",
    "%00",
    "a\x00b",
    "a%0d%0ab",
    "a\r\nb",
    "a%7f",
    "a%c2%80",
    "%c0%ae%c0%ae%c0%af",  # . and / spelled too long
    "%c0%ae%c0%ae/etc",
    "%e0%80%ae",
    "..%c0%af..",
    "..%ff",
    "%fe%fe",
    "..%",
    "%%32%65",
    "%u002e%u002e",
    "",
]


@pytest.mark.parametrize("attempt", CLIMBS)
@pytest.mark.parametrize("template", ONE + SEVERAL)
def test_no_value_climbs_out_of_its_place(template, attempt):
    """R24-RES-07 R2503-RES-07 R2506-RES-07 R2511-RES-07 R26-RES-07 R26-RES-09"""
    assert compile(template).match(f"docs://{attempt}") is None


@pytest.mark.parametrize("attempt", CLIMBS)
@pytest.mark.parametrize("template", AFFIXED)
def test_dots_beside_a_literal_are_part_of_a_name_and_nothing_else(template, attempt):
    """R26-RES-09"""
    found = compile(template).match("docs://" + attempt + ".md") or compile(template).match(f"docs://pre-{attempt}")
    for value in (found or {}).values():
        text = "/".join(value) if isinstance(value, list) else value
        assert not {".", ".."} & set(text.split("/"))
        assert not text.startswith("/")
        assert "\\" not in text
        assert text.isprintable()


@pytest.mark.parametrize("template", ["docs://{name}", "docs:/{/name}", "docs:/{/name*}"])
@pytest.mark.parametrize("value", ["a%2fb", "a%2Fb", "%2f", "b%2f", "a%2f%2fb"])
def test_an_encoded_slash_never_fits_one_segment(template, value):
    """R26-RES-09"""
    assert compile(template).match(f"docs://{value}") is None


@pytest.mark.parametrize(
    ("value", "found"), [("%252e%252e%252fetc", "%2e%2e%2fetc"), ("%25%32%65", "%2e"), ("%2525", "%25")]
)
def test_what_was_encoded_twice_is_decoded_once(value, found):
    for template in ("docs://{name}", "docs://{+name}", "docs://{name*}"):
        assert compile(template).match(f"docs://{value}") == {"name": found}


def test_a_uri_has_a_bounded_length():
    template = compile("a://{x}")
    assert template.match("a://" + "x" * (MAX_LENGTH - 4)) is not None
    assert template.match("a://" + "x" * (MAX_LENGTH - 3)) is None


@pytest.mark.parametrize("filling", ["-", "/", "a-", "-/", ".", "%2d", "?", "&", "=", "q=1&", "#", "\ud800", "é"])
def test_matching_takes_no_time_whatever_the_uri(filling):
    names = "-".join(f"{{v{number}}}" for number in range(20))
    templates = [compile(f"a://{names}/{{+path}}/{{x}}-{{y}}!{{?q*}}"), compile(f"a://{names}!")]
    start = time.perf_counter()
    for template in templates:
        for ending in ("", "!", "?"):
            template.match(("a://" + filling * MAX_LENGTH)[: MAX_LENGTH - 1] + ending)
    assert time.perf_counter() - start < 0.5


# Expanding --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "values", "uri"),
    [
        ("weather://{city}", {"city": "São Paulo"}, "weather://S%C3%A3o%20Paulo"),
        ("a://{x}", {"x": "50%"}, "a://50%25"),
        ("a://{x}", {"x": 7}, "a://7"),
        ("a://{x,y}", {"x": "1", "y": "a,b"}, "a://1,a%2Cb"),
        ("a://x{/y}", {"y": "1"}, "a://x/1"),
        ("a://x{/y*}", {"y": ["1", "a b"]}, "a://x/1/a%20b"),
        ("a://x{.y,z}", {"y": 1, "z": 2}, "a://x.1.2"),
        ("docs://{+path}", {"path": "a/b c,d?e#f%41"}, "docs://a/b%20c,d%3Fe%23f%2541"),
        ("docs://{path*}", {"path": "a/b"}, "docs://a/b"),
        ("a://x{#part}", {"part": "/a b"}, "a://x#/a%20b"),
        ("a://x{?q,r}", {}, "a://x"),
        ("a://x{?q,r}", {"r": "a/b&c"}, "a://x?r=a%2Fb%26c"),
        ("a://x{?q,r}", {"r": None, "q": ""}, "a://x?q="),
        ("a://x{?q*}", {"q": ("1", "2")}, "a://x?q=1&q=2"),
        ("a://x{?q*}", {"q": []}, "a://x"),
        ("a://x?v=1{&q}", {"q": "2"}, "a://x?v=1&q=2"),
        ("a://previsão/{x}", {"x": "1"}, "a://previs%C3%A3o/1"),
        ("a://{self}/{values}", {"self": "1", "values": "2"}, "a://1/2"),
    ],
)
def test_values_make_a_uri(template, values, uri):
    assert compile(template).expand(**values) == uri


@pytest.mark.parametrize(
    ("template", "values", "complaint"),
    [
        ("a://{x}/{y}", {"x": "1"}, "needs a value for 'y'"),
        ("a://x{/y*}", {"y": []}, "needs a value for 'y'"),
        ("a://{x}", {"x": "1", "z": "2"}, "has no variable 'z'"),
        ("a://{x}", {"x": ["1"]}, "x takes one value"),
        ("a://x{/y*}", {"y": "1"}, "y takes a list"),
        ("a://{x}", {"x": ".."}, "cannot carry"),
        ("a://{x}", {"x": "a/b"}, "cannot carry"),
        ("a://{x}", {"x": ""}, "cannot carry"),
        ("a://{x}", {"x": "\ud800"}, "cannot carry"),
        ("a://{x}", {"x": "x" * MAX_LENGTH}, "cannot carry"),
        ("a://{x}-{y}", {"x": "1", "y": "2-3"}, "cannot carry"),
        ("docs://{+path}", {"path": "/etc/passwd"}, "cannot carry"),
    ],
)
def test_values_that_would_not_come_back_are_refused(template, values, complaint):
    with pytest.raises(AuthorError, match=complaint):
        compile(template).expand(**values)


SEGMENT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1).filter(
    lambda text: text not in (".", "..")
)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]))


@given(a=SEGMENT, b=SEGMENT, path=st.lists(SEGMENT, min_size=1), q=st.none() | TEXT, tags=st.lists(TEXT))
def test_values_come_back_from_the_uri_they_make(a, b, path, q, tags):
    template = compile("x://{a}/b{/b}/{+path}{?q,tags*}")
    values = {"a": a, "b": b, "path": "/".join(path), "q": q, "tags": tags}
    present = {name: value for name, value in values.items() if value not in (None, [])}
    assert template.match(template.expand(**values)) == present
    assert compile("x:{/path*}{#a}").match(compile("x:{/path*}{#a}").expand(path=path, a=a)) == {
        "path": path,
        "a": a,
    }


AWKWARD = st.text("a./\\%2eF-,?#&= \x00é\ud800", max_size=6)
SHAPES = ["x:{a}-{b}", "x:{a,b}", "x:{a}{.b}", "x:{+a}-{b}", "x:{a*}/{b}", "x:{a}{/b}", "x:{a}{?b}", "x:{a}2{b}"]


@given(template=st.sampled_from(SHAPES).map(compile), a=AWKWARD, b=AWKWARD)
def test_values_come_back_or_are_refused(template, a, b):
    try:
        uri = template.expand(a=a, b=b)
    except AuthorError:
        return
    assert template.match(uri) == {"a": a, "b": b}


@given(template=st.sampled_from(SHAPES).map(compile), rest=st.text("ab./\\%2eF-,?#&=b \x00é\ud800"))
def test_whatever_a_stranger_sends_no_value_climbs(template, rest):
    found = template.match(f"x:{rest}")
    if found is not None:
        assert not {".", ".."} & set(found["a"].split("/"))
        assert not found["a"].startswith("/")
        assert not {"\\", "\x00", "\ud800"} & set(found["a"])


# Templates --------------------------------------------------------------------------------------


def test_names_stand_in_the_order_of_the_template():
    template = compile("a://{z}/{+y}?v={x}{&w,v*}{#u}")
    assert template.names == ("z", "y", "x", "w", "v", "u")
    assert template.template == "a://{z}/{+y}?v={x}{&w,v*}{#u}"
    assert list(template.match("a://1/2?v=3&v=5&w=4#6")) == ["z", "y", "x", "w", "v", "u"]


def test_a_plain_uri_is_a_template_that_fits_itself():
    assert compile("a://b/c").match("a://b/c") == {}
    assert compile("a://b/c").match("a://b/d") is None
    assert compile("").match("") == {}


@pytest.mark.parametrize("text", ["a://{b}", "{", "}", "a}{"])
def test_a_brace_makes_a_template(text):
    assert is_template(text)


@pytest.mark.parametrize("text", ["", "a://b", "a://b?c=[d]#e", "a://%7Bb%7D"])
def test_without_a_brace_it_is_a_uri(text):
    assert not is_template(text)


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("a://{b", "character 5: this brace has no partner"),
        ("a://b}", "character 6: this brace has no partner"),
        ("a://{b{c}}", "character 5: this brace has no partner"),
        ("a://{}", "character 5: {} is not a known form"),
        ("a://{+}", "character 5: {+} is not a known form"),
        ("a://{b,}", "character 5: {b,} is not a known form"),
        ("a://{b:3}", "character 5: {b:3} is not a known form"),
        ("a://{;b}", "character 5: {;b} is not a known form"),
        ("a://{|b}", "character 5: {|b} is not a known form"),
        ("a://{b c}", "character 5: {b c} is not a known form"),
        ("a://{1b}", "character 5: {1b} is not a known form"),
        ("a://{b-c}", "character 5: {b-c} is not a known form"),
        ("a://{bé}", "character 5: {bé} is not a known form"),
        ("a://{b**}", "character 5: {b**} is not a known form"),
        ("a://x{#b*}", "character 6: {#b*} is not a known form"),
        ("a://x{.b*}", "character 6: {.b*} is not a known form"),
        ("a://{b}/{b}", "character 9: 'b' is there twice"),
        ("a://{b,b}", "character 5: 'b' is there twice"),
        ("a://{b}{?b}", "character 8: 'b' is there twice"),
        ("a://{b}{c}", "character 8: two variables need a text between them"),
        ("a://{b}{+c}", "character 8: two variables need a text between them"),
        ("a://x{&b}", "character 6: a query begins with {?…}"),
        ("a://x{?b}{?c}", "character 10: a query begins with {?…}"),
        ("a://x?v=1{?b}", "character 10: a query begins with {?…}"),
        ("a://x#y{?b}", "character 8: a query begins with {?…}"),
        ("a://x{?b}/y", "character 10: only {&…} and a fragment may follow"),
        ("a://x{?b}{c}", "character 10: only {&…} and a fragment may follow"),
        ("a://{+b}/{+c}", "only one of 'b' and 'c' may hold slashes"),
        ("a://{+b,c}", "only one of 'b' and 'c' may hold slashes"),
        ("a://{b*}{/c*}", "only one of 'b' and 'c' may hold slashes"),
        ("a://{b}-{+c}", "'c' may hold slashes, so a slash must stand before it"),
        ("a://{b}\ud800", "character 8: "),
    ],
)
def test_a_bad_template_says_where_it_is_wrong(template, complaint):
    with pytest.raises(AuthorError) as caught:
        compile(template)
    assert complaint in str(caught.value)
    assert repr(template) in str(caught.value)
