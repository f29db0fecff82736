"""What replicas share, in Redis or Valkey: needs the extra `plainmcp[redis]`, which is loaded when it is used."""

from .redis_store import RedisStore
from .urls import SCHEMES

__all__ = ["SCHEMES", "RedisStore"]
