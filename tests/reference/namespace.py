"""The names that the expressions on the page of values use; the page shows this file from here on."""
# mypy: disable-error-code=import-untyped
# pyright: reportUnusedImport=false, reportMissingTypeStubs=false
# ruff: noqa: F401 - imported for the expressions

import re
from collections import ChainMap, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from email import message_from_string
from enum import Enum
from fractions import Fraction
from http.cookies import SimpleCookie
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple, TypedDict
from uuid import UUID
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import attrs
import msgspec
import networkx
import numpy
import pandas
import polars
import pydantic

from plainmcp import Audio, File, Image, PromptResult, ResourceResult, ToolResult, full, structured, text

WEATHER = pandas.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "high": [4.0, 18.0, None], "day": [1, 1, 2]})
PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "


@dataclass
class Forecast:
    city: str
    high: float
    low: float


@dataclass
class Pod:
    name: str
    restarts: int


@dataclass
class Pods:
    items: list[Pod]
    next_page: str | None


class Person(pydantic.BaseModel):
    name: str
    born: date


class Reading(msgspec.Struct):
    value: int
    unit: str | None


class Weather(TypedDict):
    high: float


class Point(NamedTuple):
    x: int
    y: int


class Sky(Enum):
    CLEAR = "clear"


@attrs.define
class Plant:
    name: str


class Engine:
    """Of no kind that is known."""

    def __str__(self) -> str:
        return "an engine"
