"""The events of one response: written in threads, read by one reader, kept to be read again."""

import threading

import pytest

from plainmcp.limits.shares import OwnShare, Share
from plainmcp.transports.http import stream as streams
from plainmcp.transports.http.stream import CHUNK, Stream

NEVER = threading.Event().is_set


def wake() -> None: ...


def resumable(polling: bool = True) -> Stream:
    return Stream("7", resumable=True, polling=polling, retry_ms=5)


def test_an_answer_alone_needs_no_stream() -> None:
    stream = Stream()
    assert (stream.speaks, stream.unopened) == (False, False)
    stream.finish(b"{}")
    assert (stream.speaks, stream.unopened, stream.answer) == (False, True, b"{}")


def test_no_answer_needs_none_either() -> None:
    stream = Stream()
    stream.finish()
    assert stream.unopened and stream.answer is None


def test_whatever_is_said_before_the_answer_makes_a_stream() -> None:
    stream = Stream()
    stream.put(b"1")
    assert stream.speaks
    stream.finish(b"2")
    assert stream.speaks and not stream.unopened
    reader = stream.attach(NEVER)
    assert reader.opening() == b"data: 1\n\ndata: 2\n\n" and reader.over


def test_nothing_is_said_after_the_answer() -> None:
    """R*-PROG-03"""
    stream = Stream()
    stream.finish(b"1")
    stream.put(b"2")
    stream.finish(b"3")
    assert stream.attach(NEVER).take() == b"data: 1\n\n"


def test_a_stream_is_read_again_from_any_event_on() -> None:
    """R2511-HTTP-24"""
    stream = resumable()
    for word in (b"1", b"2", b"3"):
        stream.put(word)
    assert stream.attach(NEVER).take().count(b"id: 7-") == 3
    again = stream.attach(NEVER, 2)
    assert again.opening() == b"id: 7-2\ndata: \n\nid: 7-3\ndata: 3\n\n"
    assert not again.over


def test_a_stream_nobody_can_resume_forgets_what_was_read() -> None:
    stream = Stream()
    stream.put(b"1")
    stream.attach(NEVER).take()
    assert stream.size == 0
    assert stream.attach(NEVER).take() == b""


def test_the_reader_that_comes_later_reads_on() -> None:
    woken: list[str] = []
    stream = resumable()
    first = stream.attach(lambda: woken.append("first"))
    second = stream.attach(lambda: woken.append("second"))
    stream.put(b"1")
    assert woken == ["first", "second"]
    assert first.take() == b"" and first.over
    first.leave()
    assert b"data: 1" in second.take() and not second.over


def test_a_dropped_stream_says_when_to_come_back_and_holds_the_rest() -> None:
    """R2511-HTTP-18"""
    stream = resumable()
    reader = stream.attach(NEVER)
    stream.put(b"1")
    stream.drop()
    stream.finish(b"2")
    assert reader.take() == b"id: 7-1\ndata: 1\n\nid: 7-1\nretry: 5\ndata: \n\n"
    assert reader.over
    rest = stream.attach(NEVER, 1)
    assert rest.take() == b"id: 7-2\ndata: 2\n\n" and rest.over


@pytest.mark.parametrize("stream", [Stream(), resumable(polling=False)])
def test_a_stream_that_could_not_be_polled_is_not_dropped(stream: Stream) -> None:
    stream.drop()
    assert not stream.speaks


def test_a_stream_is_bounded() -> None:
    stream = resumable()
    for n in range(streams.MAX_EVENTS + 10):
        stream.put(b"%d" % n)
    assert stream.attach(NEVER).take().startswith(b"id: 7-11\n")
    assert stream.size < 4 * streams.MAX_EVENTS


def test_a_reader_in_another_thread_misses_nothing() -> None:
    for _ in range(20):
        stream, wake, got = Stream(), threading.Event(), []
        reader = stream.attach(wake.set)

        def write(stream: Stream = stream) -> None:
            for n in range(50):
                stream.put(b"%d" % n)
            stream.finish(b"end")

        writer = threading.Thread(target=write)
        writer.start()
        while not reader.over:
            wake.clear()
            got.append(reader.take())
            if not got[-1] and not reader.over:
                assert wake.wait(10)
        writer.join()
        assert b"".join(got) == b"".join(b"data: %d\n\n" % n for n in range(50)) + b"data: end\n\n"


def test_an_answer_made_in_another_thread_is_never_taken_for_none() -> None:
    for _ in range(300):
        stream, wake = Stream(), threading.Event()
        stream.attach(wake.set)
        writer = threading.Thread(target=stream.finish, args=(b"{}",))
        writer.start()
        while not stream.unopened:
            assert wake.wait(10)
        assert stream.answer == b"{}"
        writer.join()


def test_what_nobody_reads_is_kept_up_to_a_size_and_the_last_in_any_case() -> None:
    stream = Stream("7", resumable=True, max_bytes=10)
    stream.attach(NEVER).leave()
    for word in (b"a" * 6, b"b" * 6, b"c" * 20):
        stream.put(word)
    assert (stream.size, stream.take_after(0)[0]) == (20, [(3, b"c" * 20)])


def test_a_slow_reader_misses_nothing_that_a_stream_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_BYTES", 30)
    stream = Stream("7", resumable=True, max_bytes=10)
    reader = stream.attach(NEVER)
    for word in (b"a" * 8, b"b" * 8, b"c" * 8):
        stream.put(word)
    assert reader.take().count(b"data: ") == 3
    stream.put(b"d" * 8)  # and what was read makes room
    assert (stream.size, stream.take_after(0)[0]) == (8, [(4, b"d" * 8)])
    for word in (b"e" * 8, b"f" * 8, b"g" * 8):
        stream.put(word)
    assert stream.size == 24 and reader.take().count(b"data: ") == 3


# Server-sent events -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [
        ({"data": b"{}"}, b"data: {}\n\n"),
        ({"data": b"{}", "id": "4-2"}, b"id: 4-2\ndata: {}\n\n"),
        ({}, b"data: \n\n"),
        ({"id": "4-0", "retry": 250}, b"id: 4-0\nretry: 250\ndata: \n\n"),
        ({"data": b"a\nb"}, b"data: a\ndata: b\n\n"),
        ({"data": b"a\r\nb\rc"}, b"data: a\ndata: b\ndata: c\n\n"),
    ],
)
def test_an_event_has_a_line_for_each_field_and_an_empty_one_after(given: dict[str, object], bytes_: bytes) -> None:
    assert streams.format_event(**given) == bytes_  # type: ignore[arg-type]


def test_a_comment_is_skipped_by_readers() -> None:
    assert streams.format_comment() == streams.COMMENT == b":\n\n"
    assert streams.format_comment("still here") == b": still here\n\n"


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\0b"])
def test_an_id_cannot_smuggle_in_a_line(text: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        streams.format_event(id=text)
    with pytest.raises(ValueError, match="one line"):
        streams.format_comment(text)


# Readers that do not read ---------------------------------------------------------------------------


def counted(most_each: int = 100) -> tuple[Stream, Share]:
    share = Share("bytes", "unread", "max_unread", 1_000, most_each)
    return Stream(share=lambda: OwnShare(share, "ann")), share


def test_bytes_are_counted_until_the_reader_takes_them() -> None:
    stream, share = counted()
    stream.put(b"x" * 10)
    assert share.count == 0  # there is no reader
    reader = stream.attach(wake)
    stream.put(b"y" * 20)
    assert share.count == 20
    reader.take()
    assert share.count == 0
    stream.put(b"z" * 30)
    reader.leave()
    assert share.count == 0


def test_beyond_its_share_the_oldest_messages_are_dropped_but_not_the_answer() -> None:
    stream, share = counted(most_each=100)
    reader = stream.attach(wake)
    for number in range(10):
        stream.put(b"%d" % number * 30)
    stream.finish(b"answer" * 50)
    assert share.count == 300
    taken = reader.take()
    assert taken == b"data: " + b"answer" * 50 + b"\n\n" and reader.over
    assert share.count == 0


def test_events_that_are_removed_without_a_reader_do_not_change_the_count() -> None:
    share = Share("bytes", "unread", "max_unread", 1_000, 100)
    stream = Stream("1", resumable=True, max_bytes=100, share=lambda: OwnShare(share, "ann"))
    stream.attach(wake).leave()
    for _ in range(10):
        stream.put(b"x" * 60)
    assert stream.size == 60 and share.count == 0
    stream.attach(wake).leave()
    assert share.count == 0


def test_a_new_reader_takes_over_the_count_of_the_former() -> None:
    share = Share("bytes", "unread", "max_unread", 1_000, 100)
    stream = Stream("1", resumable=True, share=lambda: OwnShare(share, "ann"))
    stream.attach(wake)
    stream.put(b"x" * 10)
    assert share.count == 10
    second = stream.attach(wake)
    assert share.count == 0
    stream.put(b"y" * 20)
    assert share.count == 20
    assert second.take().count(b"data: ") == 2 and share.count == 0


def test_a_reader_takes_so_many_bytes_at_once() -> None:
    stream = Stream()
    reader = stream.attach(wake)
    for _ in range(4):
        stream.put(b"x" * (CHUNK // 2))
    stream.put(b"y" * (CHUNK * 2))
    stream.finish(b"answer")
    parts = [reader.take() for _ in range(4)]
    assert [part.count(b"data: ") for part in parts] == [2, 2, 1, 1] and reader.over
    assert parts[2].startswith(b"data: y") and parts[3] == b"data: answer\n\n"


def test_an_event_that_never_was_is_the_last_one() -> None:
    stream = Stream("1", resumable=True)
    stream.put(b"a")
    reader = stream.attach(wake, 10**17)
    stream.put(b"b")
    assert reader.take() == b"id: 1-2\ndata: b\n\n"
