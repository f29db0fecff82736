"""Which stream of a session gets messages, of those that several replicas have."""

from plainmcp.replicas.claims import Start, StreamClaims


def test_a_stream_begins_where_those_of_other_replicas_have_ended() -> None:
    claims = StreamClaims("own")
    claims.begin(5, None)
    claims.announce(1)
    claims.receive_start(Start(6, False))  # of a stream that was opened a moment ago, and got nothing yet
    assert claims.find_start() == 5
    claims.receive_start(Start(4, False))
    assert claims.find_start() == 4
    claims.receive_start(Start(7, True))  # what was sent is not sent again
    assert claims.find_start() == 7
    claims.receive_start(Start(3, False))
    claims.receive_start(Start(8, True))  # better twice than never
    assert claims.find_start() == 7


def test_streams_that_are_claimed_at_once_begin_one_after_the_other() -> None:
    claims = StreamClaims("own")
    claims.begin(5, None)
    claims.begin(4, None)
    assert claims.find_start() == 4 and claims.is_pending
    claims.end(9)
    assert claims.find_start() == 9 and claims.is_pending
    claims.end(None)  # its client has left
    assert claims.find_start() == 9 and not claims.is_pending


def test_who_announced_last_has_the_newest_stream() -> None:
    one, other = StreamClaims("one"), StreamClaims("other")
    for claims in (one, other):
        claims.begin(5, None)
        claims.announce(1)
    # The log has the claim of the first one before that of the other.
    assert [one.receive_holder("one", 1, None), other.receive_holder("one", 1, None)] == [None, Start(5, False)]
    assert one.receive_holder("other", 1, None) == Start(5, False)  # nothing was sent on that one yet
    assert other.receive_holder("other", 1, None) is None
    assert (one.holder, one.find_start()) == ("other", None)
    assert (other.holder, other.find_start()) == (None, 5)


def test_a_stream_that_had_the_changes_hands_over_its_position_once() -> None:
    claims = StreamClaims("own")
    claims.begin(5, None)
    claims.end(8)
    assert claims.receive_holder("another", 1, 9) == Start(9, True)
    assert claims.receive_holder("a third", 1, 9) is None
    claims.begin_again(9)
    assert (claims.holder, claims.find_start()) == (None, 9)


def test_a_claim_that_the_store_has_lost_does_not_count_for_ever() -> None:
    claims = StreamClaims("own")
    claims.announce(1)
    assert claims.receive_holder("another", 1, None) is None and claims.holder is None
    claims.forget_announced()
    claims.receive_holder("another", 1, None)
    assert claims.holder == "another"


def test_a_stream_that_was_announced_first_sends_what_a_later_one_would_have_sent() -> None:
    """Each has its place in the log before it knows of the other one, and only one may send the same change."""
    first, later = StreamClaims("first"), StreamClaims("later")
    later.begin(5, 5)  # a stream there had the changes up to 5, and none since
    later.announce(1)
    first.begin(7, None)
    first.announce(1)
    first.receive_holder("first", 1, None)
    start = later.receive_holder("first", 1, None)
    assert start == Start(5, True) and later.holder is None
    first.receive_start(start)
    assert first.find_start() == 5
    first.end(9)
    handed_over = first.receive_holder("later", 1, 9)
    assert handed_over == Start(9, True) and first.holder == "later"
    later.receive_start(handed_over)
    later.receive_holder("later", 1, None)
    assert later.find_start() == 9
