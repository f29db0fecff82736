"""Who may call: verifiers of tokens and keys, for `server.asgi(auth=…)`, `server.wsgi(auth=…)` and `run(auth=…)`.

A verifier is a function `verify(token)` that returns a Principal, or None for a token that is not valid; it may be
`async def`, and raises if it cannot find out. Or it is an object with such a method, as the classes here are.
"""

from .introspection import Introspection
from .jwt import JWT
from .keys import Keys
from .principal import Principal, Unavailable

__all__ = ["JWT", "Introspection", "Keys", "Principal", "Unavailable"]
