"""What a client receives for rows that SQLModel and SQLAlchemy have forgotten after a commit (V33)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import StaticPool
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column
from sqlmodel import Field, Session, SQLModel, create_engine, select

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

pytestmark = pytest.mark.slow


class Named(SQLModel):
    name: str


class Hero(Named, table=True):
    id: int | None = Field(default=None, primary_key=True)
    secret: str = "hunter2"


class Shown(Named):
    id: int


class Base(MappedAsDataclass, DeclarativeBase):
    """The classes of SQLAlchemy alone."""


class Town(Base):
    __tablename__ = "town"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    name: Mapped[str]


class Team(BaseModel):
    best: Hero
    others: list[Named] = []


class Loose(BaseModel):
    it: Any


@dataclass
class Trip:
    hero: Hero


@pytest.fixture
def session() -> Iterator[Session]:
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    SQLModel.metadata.create_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        yield session
    engine.dispose()


def saved(session: Session, one: Any = None) -> Any:
    """An object after a commit, when it has none of its fields."""
    made = Hero(name="Ada") if one is None else one
    session.add(made)
    session.commit()
    assert "name" not in vars(made)
    return made


def detached(session: Session, one: Any = None) -> Any:
    """One that has no session to load them any more."""
    made = saved(session, one)
    session.expunge(made)
    return made


ADA = {"name": "Ada", "id": 1, "secret": "hunter2"}
NAMED = {"name": "Ada"}

# The return hint, what is made of a row, its JSON, and the path of the row in it.
Case = tuple[Any, Callable[[Any], Any], Any, str]
CASES: list[Case] = [
    (None, lambda row: row, ADA, "$"),
    (Hero, lambda row: row, ADA, "$"),
    (Shown, lambda row: row, {"name": "Ada", "id": 1}, "$"),
    (Named, lambda row: row, NAMED, "$"),
    (list[Hero], lambda row: [row], [ADA], "$[0]"),
    (None, lambda row: [row, 1], [ADA, 1], "$[0]"),
    (None, lambda row: {"a": [row]}, {"a": [ADA]}, "$.a[0]"),
    (None, lambda row: {"a": row, "b": {1}}, {"a": ADA, "b": [1]}, "$.a"),
    (Trip, lambda row: Trip(row), {"hero": ADA}, "$.hero"),
    (None, lambda row: Trip(row), {"hero": ADA}, "$.hero"),
    (Team, lambda row: Team.model_construct(best=row, others=[row]), {"best": ADA, "others": [NAMED]}, "$.best"),
    (None, lambda row: Loose(it=[{"x": (row,)}]), {"it": [{"x": [ADA]}]}, "$.it[0].x[0]"),
    (Loose, lambda row: Loose(it=Trip(row)), {"it": {"hero": ADA}}, "$.it.hero"),
]
every_case = pytest.mark.parametrize(("hint", "around", "form", "path"), CASES)


def served(hint: Any, make: Callable[[], Any]) -> Server:
    server = Server("rows")

    def row() -> Any:
        return make()

    row.__annotations__ = {} if hint is None else {"return": hint}
    server.tool(row)
    server.resource("row://1")(row)
    server.prompt(row)
    return server


@every_case
def test_a_row_after_a_commit_is_read_again(
    session: Session, hint: Any, around: Callable[[Any], Any], form: Any, path: str
) -> None:
    """V33"""
    row = saved(session)
    server = served(hint, lambda: around(row))
    for revision in REVISIONS:
        client = Client(server, revision)
        for ask, named in ((client.call, "row"), (client.read, "row://1"), (client.get_prompt, "row")):
            session.expire_all()
            result = ask(named)
            assert not result.get("isError") and '"name": "Ada"' in str(result), result
        session.expire_all()
        data = client.call("row").get("structuredContent")
        if client.revision.structured != "none":
            assert data == (form if isinstance(form, dict) else {"result": form})


@every_case
def test_a_row_that_cannot_be_read_again_is_refused_with_its_path(
    session: Session, hint: Any, around: Callable[[Any], Any], form: Any, path: str
) -> None:
    """V33"""
    row = detached(session)
    reason = "Hero is expired and cannot be read (DetachedInstanceError); refresh it before returning it"
    text = f"The result of row was not valid and is withheld: {path}: {reason}"
    for revision in REVISIONS:
        result = Client(served(hint, lambda: around(row)), revision).call("row")
        assert result["isError"] and result["content"] == [{"type": "text", "text": text}]


def test_a_row_of_sqlalchemy_that_is_a_dataclass_is_refused_in_the_same_way(session: Session) -> None:
    """V33"""
    town = saved(session, Town(name="Oslo"))
    assert Client(served(None, lambda: town)).call("row")["structuredContent"] == {"id": 1, "name": "Oslo"}
    gone = detached(session, Town(name="Rome"))
    reason = "$.it: Town is expired and cannot be read (DetachedInstanceError); refresh it before returning it"
    assert Client(served(None, lambda: {"it": gone})).call("row")["content"][0]["text"].endswith(reason)


def test_a_row_that_is_gone_is_refused(session: Session) -> None:
    """V33"""
    row = saved(session)
    session.connection().exec_driver_sql("delete from hero")
    reason = "$: Hero is expired and cannot be read (ObjectDeletedError); refresh it before returning it"
    assert Client(served(None, lambda: row)).call("row")["content"][0]["text"].endswith(reason)


def test_a_row_that_is_there_in_part_is_read_whole_and_in_the_order_of_its_fields(session: Session) -> None:
    """V33"""
    row = saved(session)
    assert row.name == "Ada"
    session.expire(row, ["name"])
    text = '{"name": "Ada", "id": 1, "secret": "hunter2"}'
    assert Client(served(None, lambda: row)).call("row")["content"] == [{"type": "text", "text": text}]


def test_rows_that_are_new_or_just_read_are_sent_as_they_are(session: Session) -> None:
    """V33"""
    saved(session)
    new = Client(served(Hero, lambda: Hero(name="Bob"))).call("row")["structuredContent"]
    assert new == {"name": "Bob", "id": None, "secret": "hunter2"}
    read = Client(served(list[Hero], lambda: session.exec(select(Hero)).all())).call("row")["structuredContent"]
    assert read == {"result": [ADA]}
