"""The names that files in `hints` may use without an import: types of the standard library, of supported packages,
and our own.
"""
# ruff: noqa: F401, UP035 - imported for the files, which name deprecated ones too

import collections
import dataclasses
import enum
import json
import typing
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from functools import partial
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from pathlib import Path, PurePath, PurePosixPath
from typing import (
    Annotated,
    Any,
    Dict,
    Final,
    Generic,
    List,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    Set,
    Tuple,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
)
from uuid import UUID

import attrs
import msgspec
import numpy
import pandas
import pydantic
import typing_extensions
from msgspec import Meta, Struct
from pydantic import BaseModel, ConfigDict, Field, RootModel

from plainmcp import Audio, Context, File, Image, ToolResult, types
