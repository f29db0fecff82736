"""Which one of a session's open streams gets messages, of those that several replicas have. Does no I/O.

A stream that is opened is claimed first, for all replicas: the one that had the newest stream before sends nothing on
it any more, and hands over where it has ended. Then the new one gets all later changes, and none that another had.

What may be assumed:

- A claim is announced as a `Holder` in the log of broadcasts. All replicas receive the announcements of a session in
  the order of that log, the own ones too.
- Changes have positions in one log of changes, which are the same for all replicas. A replica may have read less of
  that log than another.
- A replica may be late to hear of a claim, may never answer, or may be dead. The store may lose announcements.

What is guaranteed:

- The newest stream is the one whose announcement is last in the log. Each replica that has read so far knows which
  one: `holder` is the other replica that has it, None if it is here.
- An announcement of this replica that it has not received itself yet (`_announced`) comes later than all that it
  receives before. So a claim of another one that it receives meanwhile is older: this replica stays the newest. The
  other one sends what this one would have begun with, until it receives that announcement and hands over again.
- A `Handover` is written before the acknowledgement of the `Holder`, to the same log. So when all have acknowledged,
  the one that claims has all positions.
- While a claim is pending, no stream of this replica gets a message. Its changes are found in the log of changes when
  the claim ends, after `find_start`: none is lost, whatever the order in which answers come.
- Where a stream begins (`Start`): after what was sent on the stream before (`is_sent`), or else at the position from
  which its client wants changes. A position up to which changes were sent counts more than one up to which they were
  not wanted. Of two of a kind the smaller one counts: a change may come twice then, but none is left out.
- Claims of one replica have growing numbers. A `Left` names the number, so one about an older claim has no effect.

What happens when it is late:

- A `Handover` comes after the claim has ended: it has no effect any more on the stream, which began where this
  replica supposed. A change that the other one sent meanwhile may come on both.
- The replica that has the newest stream is dead: `begin_again` claims an older one that is still open here, from the
  last change that this one has sent.
- The store fails: announcements may be lost, so they are forgotten (`forget_announced`), and each replica announces
  its newest stream again when the store works. The last one in the log is the newest then.
- The client of a claimed stream leaves before it gets messages: the claim ends without a position, and the stream
  that had them before goes on from where the claim would have begun.
"""

from typing import NamedTuple

__all__ = ["Start", "StreamClaims"]


class Start(NamedTuple):
    """Where the changes begin that a stream gets."""

    position: int
    is_sent: bool  # whether those before it were sent on another stream; else its client did not want them


class StreamClaims:
    """The claims for one session, as one replica knows them. Its user has a lock."""

    def __init__(self, replica: str) -> None:
        self._replica = replica
        self.holder: str | None = None
        """The other replica that has the newest stream; None if this one has it, or none has one."""
        self._number_there = 0  # of the claim of that stream
        self.number = 0
        """The number of the last claim that this replica has announced."""
        self._announced = 0  # how often this replica has announced that it has that stream, and not heard so itself
        self._pending = 0  # how many streams are claimed, and get no messages yet
        self._start = Start(0, False)

    @property
    def is_pending(self) -> bool:
        """Whether a stream is claimed, and gets no messages yet: nor does any other one here."""
        return self._pending > 0

    def begin(self, start: int, sent: int | None) -> None:
        """Claim a stream that has the changes up to `start`; `sent` is where another one here has ended, if any."""
        if self._pending:
            self.receive_start(Start(start, False))
        elif self.holder is None and sent is not None:
            self._start = Start(sent, True)
        else:
            self._start = Start(start, False)
        self._pending += 1

    def begin_again(self, start: int) -> None:
        """Claim a stream of this replica again, because one at another replica is gone."""
        self.holder, self._start = None, Start(start, True)
        self._pending += 1

    def announce(self, number: int) -> None:
        """Note that other replicas are notified of a claim, with a number that this replica uses once."""
        self.holder, self._announced, self.number = None, self._announced + 1, number

    def forget_announced(self) -> None:
        """Forget what was announced: the store may have lost it."""
        self._announced = 0

    def receive_start(self, start: Start) -> None:
        """Begin where changes were sent until then, on any stream before; or else at the first one that is wanted."""
        if start.is_sent and not self._start.is_sent:
            self._start = start
        elif start.is_sent == self._start.is_sent:
            self._start = min(start, self._start)

    def find_start(self) -> int | None:
        """The position after which a stream that is claimed gets the changes; None if another one is newer by now."""
        return self._start.position if self.holder is None else None

    def end(self, sent: int | None) -> None:
        """End a claim; `sent` is the position up to which its stream has the changes, if it gets messages now."""
        self._pending -= 1
        if sent is not None:
            self._start = Start(sent, True)

    def is_holder(self, replica: str, number: int) -> bool:
        """Whether a replica has the newest stream by a claim, and not by a later one."""
        return (self.holder, self._number_there) == (replica, number)

    def receive_holder(self, replica: str, number: int, sent: int | None) -> Start | None:
        """Take what a replica has announced, unless this one has announced the same later.

        Returns where the stream of that one begins, if another stream of this one had the changes, up to `sent`.
        """
        if replica == self._replica:
            self._announced, self.holder = max(0, self._announced - 1), None
            return None
        if self._announced:  # the other one comes first: it sends what this one would have sent, and hands over again
            return self._hand_over() if self._pending else None
        was_newest = self.holder is None
        self.holder, self._number_there = replica, number
        if not was_newest:
            return None
        if self._pending:  # nothing was sent on that one yet
            return self._hand_over()
        return None if sent is None else Start(sent, True)

    def _hand_over(self) -> Start:
        """Where a claimed stream would have begun. Another replica sends what comes after, unless it is gone."""
        start, self._start = self._start, self._start._replace(is_sent=False)
        return start
