"""The names that expressions in the golden files may use: the types of the source documents, and our own.

Sample files (`chart.png` and others) are in the directory in which a golden runs; `FILES` has their content.
"""
# ruff: noqa: F401 - imported for the expressions

import datetime
import decimal
import enum
import ipaddress
import pathlib
import uuid
from collections import namedtuple
from dataclasses import dataclass, field
from typing import TypedDict

from pydantic import BaseModel, Field

from plainmcp import Audio, File, Image, PromptResult, ResourceResult, ToolResult, full, structured, text, types
from plainmcp.types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    PromptMessage,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
PDF = b"%PDF-1.7\n"

FILES = {
    "chart.png": PNG,
    "visualization.png": PNG,
    "speech.wav": WAV,
    "summary.wav": WAV,
    "report.pdf": PDF,
    "data.csv": b"city,high\nOslo,4\n",
    "message.md": b"# Hello\n",
}

# Seed 000 ---------------------------------------------------------------------------------------


@dataclass
class MathResult:
    operation: str
    result: int
    units: str


class Person(BaseModel):
    name: str
    age: int
    email: str


@dataclass
class Config:
    version: str
    enabled: bool


@dataclass
class Address:
    street: str
    city: str


@dataclass
class User:
    name: str
    address: Address


class CustomObject:
    def __str__(self) -> str:
        return "CustomObject representation"


# Seed 001 ---------------------------------------------------------------------------------------


@dataclass
class ContextInfo:
    """Part of the wire contract of configuration_contexts_list (S001-35)."""

    name: str
    server: str
    default: bool


@dataclass
class ContextsListResult:
    """Part of the wire contract of configuration_contexts_list (S001-35)."""

    default_context: str = field(metadata={"json": "defaultContext"})
    contexts: list[ContextInfo]


@dataclass
class Nothing:
    """A struct without fields."""


# Seed 004 ---------------------------------------------------------------------------------------


class UserData(BaseModel):
    name: str
    age: int


class UserModel(BaseModel):
    """`User` in the document, where seed 000 has a dataclass of that name."""

    name: str
    age: int


@dataclass
class Product:
    id: int
    name: str


class SearchResult(TypedDict):
    query: str
    results: list[str]
    count: int


class WeatherData(BaseModel):
    temperature: float = Field(description="Temperature in Celsius")
    condition: str = Field(description="Weather condition")
    humidity: float = Field(ge=0, le=100)


# Ordinary values --------------------------------------------------------------------------------

Point = namedtuple("Point", "x y")


class Color(enum.Enum):
    RED = "red"
