"""The types of fields and of arguments: what fits, what comes back, what the model is told."""

import dataclasses
import datetime as dt
import enum
import json
import typing
import uuid
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Optional, Required, TypeVar, Union

import pydantic
import pytest
import typing_extensions

from cuelight import Agent, NotAStage, WrongType, state, tool
from cuelight.agent import Stateful
from cuelight.testing import Script, raw_call, rehearse
from tests.agent import postponed


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    S = 1
    L = 3


class Word(enum.StrEnum):
    YES = "yes"
    NO = "no"


class Bits(enum.Flag):
    A = 1
    B = 2


@dataclasses.dataclass
class Slot:
    id: str
    day: dt.date
    vet: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Diary:
    slots: list[Slot]
    by_day: dict[str, Slot] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(eq=False)
class Unequal:
    n: int
    of: dt.date | None = None


@dataclasses.dataclass
class Computed:
    n: int
    double: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.double = self.n * 2


class Old(typing.TypedDict):
    name: str
    born: NotRequired[dt.date]


class OldLoose(typing.TypedDict, total=False):
    name: Required[str]
    owner: Old


class New(typing_extensions.TypedDict):
    name: str
    parent: NotRequired["New"]


class Owner(pydantic.BaseModel):
    name: str
    phone: str | None = None
    pets: list["Pet"] = []


class Pet(pydantic.BaseModel):
    kind: Literal["cat", "dog"]
    born: dt.date


class Aliased(pydantic.BaseModel):
    first_name: str = pydantic.Field(alias="firstName")


class Named(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)
    first_name: str = pydantic.Field(validation_alias="firstName")


class Extra(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    n: int = 0


class Total(pydantic.BaseModel):
    n: int = 0

    @pydantic.computed_field
    @property
    def double(self) -> int:
        return self.n * 2


class Card(pydantic.BaseModel):
    kind: Literal["card"] = "card"
    number: str


class Cash(pydantic.BaseModel):
    kind: Literal["cash"] = "cash"
    amount: Decimal


class Point(NamedTuple):
    x: int
    y: int = 0


T = TypeVar("T")


@dataclasses.dataclass
class Box(typing.Generic[T]):
    item: T


DAY = dt.date(2026, 1, 31)
MOMENT = dt.datetime(2026, 1, 31, 9, 30, tzinfo=dt.UTC)
ID = uuid.UUID("6f9619ff-8b86-d011-b42d-00c04fc964ff")

# An annotation, and values of it.
TYPES: list[tuple[Any, list[Any]]] = [
    (str, ["", "a", "ü", "\x00", '"\\']),
    (int, [0, -5, 2**63, 10**100]),
    (float, [0.0, 1.5, 1e300, -0.0, 5e-324]),
    (bool, [True, False]),
    (None, [None]),
    (bytes, [b"ab"]),
    (Optional[str], ["a", None]),  # noqa: UP045
    (str | None, ["a", None]),
    (int | str, [5, "5"]),
    (Union[int, float], [5, 5.5, 5.0]),  # noqa: UP007
    (Literal["a", 1, None], ["a", 1, None]),
    (Colour, [Colour.RED]),
    (Size, [Size.S]),
    (Word, [Word.YES]),
    (list[Colour | None], [[Colour.RED, None]]),
    (dt.date, [DAY]),
    (dt.time, [dt.time(9, 30), dt.time(9, 30, 1, 5, tzinfo=dt.UTC)]),
    (dt.datetime, [MOMENT, dt.datetime(2026, 1, 31)]),  # noqa: DTZ001
    (dt.timedelta, [dt.timedelta(days=1, microseconds=5), -dt.timedelta(hours=3)]),
    (Decimal, [Decimal("1.50"), Decimal("-0")]),
    (uuid.UUID, [ID]),
    (Path, [Path("/a/b")]),
    (list, [[], [1, "a", None, {"b": [1.5]}]]),
    (dict, [{}, {"a": {"b": [1]}}]),
    (list[int], [[], [1, 2]]),
    (dict[str, list[int]], [{}, {"a": [1]}]),
    (dict[int, str], [{1: "a"}]),
    (dict[dt.date, Slot], [{DAY: Slot("a", DAY)}]),
    (dict[Word, int], [{Word.YES: 1}]),
    (tuple[int, str], [(1, "a")]),
    (tuple[int, ...], [(), (1, 2)]),
    (set[str], [set(), {"b", "a", "c"}]),
    (frozenset[int], [frozenset({3, 1})]),
    (list[set[str]], [[{"b", "a"}, set()]]),
    (OrderedDict[str, int], [OrderedDict(b=1, a=2)]),
    (Counter[str], [Counter("aab")]),
    (Sequence[int], [[1, 2]]),
    (Mapping[str, int], [{"a": 1}]),
    (Slot, [Slot("a", DAY, tags=["x"])]),
    (Slot | None, [None, Slot("a", DAY)]),
    (list[Slot], [[Slot("a", DAY), Slot("b", DAY, "v")]]),
    (Diary, [Diary([Slot("a", DAY)], {"x": Slot("b", DAY)})]),
    (Unequal, [Unequal(5, DAY)]),
    (Computed, [Computed(2)]),
    (Box[int], [Box(5)]),
    (Old, [{"name": "a"}, {"name": "a", "born": DAY}]),
    (OldLoose | None, [None, {"name": "a", "owner": {"name": "b", "born": DAY}}]),
    (list[Old], [[{"name": "a"}]]),
    (New, [{"name": "a", "parent": {"name": "b"}}]),
    (Owner, [Owner(name="a", pets=[Pet(kind="cat", born=DAY)])]),
    (Aliased, [Aliased(firstName="a")]),
    (Named, [Named(first_name="a")]),
    (Extra, [Extra(n=1, other=2)]),
    (Total, [Total(n=2)]),
    (Card | Cash, [Card(number="5"), Cash(amount=Decimal("5.00"))]),
    (Annotated[Card | Cash, pydantic.Field(discriminator="kind")], [Card(number="5"), Cash(amount=Decimal(5))]),
    (Point, [Point(1), Point(1, 2)]),
    (Annotated[int, pydantic.Field(ge=0, le=5)], [0, 5]),
    (Annotated[str, "a note for readers"], ["a"]),
    (pydantic.JsonValue, [None, {"a": [1, "b", None]}]),
    (Any, [None, 1, "a", [1, {"a": None}], True]),
    (object, [None, 1, [1]]),
    (complex, [1j]),
]
CASES = [
    pytest.param(annotation, value, id=f"{annotation!r}-{n}"[:60])
    for annotation, values in TYPES
    for n, value in enumerate(values)
]


def agent_of(annotation: Any, opening: Any) -> type[Agent]:
    """Make an agent with a field and a tool of a type."""

    class Holder(Agent):
        it: annotation = state(opening)

        @tool
        def give(self, it: annotation) -> None:
            self._given = it

        @tool
        def again(self) -> None:
            self._read = self.it

        @tool
        def write(self) -> None:
            self.it = self._new

    return Holder


@pytest.mark.parametrize(("annotation", "value"), CASES)
async def test_a_value_comes_back_from_the_state_as_it_was(annotation: Any, value: Any) -> None:
    opened = agent_of(annotation, value)().it
    assert_same(opened, value)
    async with rehearse(agent_of(annotation, value), Script(raw_call("again", ""), "ok")) as call:
        await call.say("go")
        assert_same(call.agent._read, value)
        assert_same(call.agent.it, value)
        json.dumps(call.state.app_state)


@pytest.mark.parametrize(("annotation", "value"), CASES)
async def test_a_value_comes_back_from_the_log_as_it_was(annotation: Any, value: Any) -> None:
    other = next((v for a, values in TYPES if a is annotation for v in values if v != value), value)
    holder = agent_of(annotation, other)

    def make() -> Agent:
        made = holder()
        made._new = value
        return made

    async with rehearse(make, Script(raw_call("write", "{}"), "ok")) as call:
        await call.say("go")
        id_, store = call.id, call.store
    async with rehearse(make, Script(), store=store, resume=id_) as call:
        assert not call.state.errors
        assert_same(call.agent.it, value)


@pytest.mark.parametrize(("annotation", "value"), CASES)
async def test_a_model_gives_a_value_in_its_json_form(annotation: Any, value: Any) -> None:
    holder = agent_of(annotation, value)
    shown = json.loads(pydantic.TypeAdapter(Any).dump_json(value, by_alias=True, round_trip=True))
    if isinstance(value, Named):
        shown = {"firstName": value.first_name}
    if isinstance(value, Computed):
        shown = {"n": value.n}
    async with rehearse(holder, Script(raw_call("give", json.dumps({"it": shown})), "ok")) as call:
        await call.say("go")
        assert not call.state.errors, call.state.errors
        assert call.state.tools[0].status == "done", call.state.tools[0]
        assert_same(call.agent._given, value)


def assert_same(one: Any, other: Any) -> None:
    """Assert that two values are equal, and of the same type all the way down where that can be seen."""
    assert type(one) is type(other)
    if isinstance(other, Unequal):
        assert vars(one) == vars(other)
    else:
        assert one == other
        assert repr(one) == repr(other) or not isinstance(other, float | Decimal)
    if isinstance(other, list | tuple):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)


# --- what does not fit ------------------------------------------------------------------------------------------------

MISFITS: list[tuple[Any, Any, Any, str]] = [
    (int, 0, "5", "it must be a valid integer"),
    (int, 0, 5.0, "it must be a valid integer"),
    (int, 0, True, "it must be a valid integer"),
    (float, 0.0, True, "it must be a valid number"),
    (float, 0.0, "1.5", "it must be a valid number"),
    (float, 0.0, float("inf"), "it must be a valid number"),
    (float | None, None, float("nan"), "it is not a finite number, so it has no JSON form"),
    (str, "", 5, "it must be a valid string"),
    (str, "", "\ud800", "it has no JSON form"),
    (bool, False, 1, "it must be a valid boolean"),
    (dt.date, DAY, "2026-01-31", "it must be a valid date"),
    (dt.date, DAY, MOMENT, "it must be a valid date"),
    (dt.datetime, MOMENT, DAY, "it must be a valid datetime"),
    (Decimal, Decimal(1), 1.5, "it must be an instance of Decimal"),
    (Colour, Colour.RED, "red", "it must be an instance of Colour"),
    (uuid.UUID, ID, str(ID), "it must be an instance of UUID"),
    (Literal["a"], "a", "b", "it must be 'a'"),
    (list[int], [], (1,), "it must be a valid list"),
    (list[int], [], [1, "2"], "item 1 must be a valid integer"),
    (list[float], [], [1.0, float("nan")], "item 1 must be a valid number"),
    (tuple[int, int], (1, 2), [1, 2], "it must be a valid tuple"),
    (set[int], set(), [1], "it must be a valid set"),
    (Slot, Slot("a", DAY), {"id": "a", "day": DAY}, "it must be an instance of Slot"),
    (Slot, Slot("a", DAY), Slot("a", "2026-01-31"), "day would be read back as date, not as str"),
    (Slot, Slot("a", DAY), Slot("a", "tomorrow"), "day must be a valid date"),
    (Slot, Slot("a", DAY), Slot(5, DAY), "id must be a valid string"),
    (Owner, Owner(name="a"), {"name": "a"}, "it would be read back as Owner, not as dict"),
    (Old, {"name": "a"}, {"name": "a", "nmae": "b"}, "nmae would not be read back"),
    (Old, {"name": "a"}, {}, "name Field required"),
    (Old, {"name": "a"}, {"name": 5}, "name must be a valid string"),
    (Point, Point(1), (1, 2), "it would be read back as Point, not as tuple"),
    (dt.date | str, "", "2026-01-31", "it would be read back as date, not as str"),
    (dict, {}, {"day": DAY}, "day would be read back as str, not as date"),
    (dict, {}, {1: "a"}, "item 1 would not be read back"),
    (list, [], [(1, 2)], "item 0 would be read back as list, not as tuple"),
    (Any, None, {1, 2}, "it would be read back as list, not as set"),
    (Any, None, object(), "it has no JSON form"),
    (Any, None, float("nan"), "it is not a finite number, so it has no JSON form"),
    (Sequence[int], [], (1, 2), "it would be read back as list, not as tuple"),
    (dict[str, int], {}, Counter("a"), "it would be read back as dict, not as Counter"),
    (pydantic.SecretStr | None, None, pydantic.SecretStr("abcd"), "it would be read back as another value"),
    (Annotated[int, pydantic.Field(ge=0)], 0, -1, "it must be greater than or equal to 0"),
    (Bits, Bits.A, 1, "it must be an instance of Bits"),
]


@pytest.mark.parametrize(("annotation", "opening", "value", "detail"), MISFITS, ids=lambda v: repr(v)[:30])
def test_what_does_not_fit_or_would_not_come_back_is_refused_where_it_is_written(
    annotation: Any, opening: Any, value: Any, detail: str
) -> None:
    holder = agent_of(annotation, opening)()
    before = holder.it
    with pytest.raises(WrongType) as refused:
        holder.it = value
    assert refused.value.field == "it"
    assert refused.value.got == type(value).__name__
    assert f"refused: {detail}" in str(refused.value)
    assert holder.it is before or holder.it == before


@pytest.mark.parametrize(
    ("annotation", "value", "where"),
    [
        (list[int], [7, "a"], "item 1 must be a valid integer"),
        (list[list[int]], [[], [1, "a"]], "item 1.1 must be a valid integer"),
        (list[dict[str, int]], [{"a": "b"}], "item 0.a must be a valid integer"),
        (dict[str, list[int]], {"a": ["b"]}, "a.0 must be a valid integer"),
        (list[float], [1.0, float("nan")], "item 1 must be a valid number"),
    ],
)
def test_the_place_of_a_fault_in_a_list_is_told_as_an_item_not_as_a_bare_number(
    annotation: Any, value: Any, where: str
) -> None:
    holder = agent_of(annotation, annotation())()
    with pytest.raises(WrongType) as refused:
        holder.it = value
    assert f"refused: {where}" in str(refused.value)


def test_a_value_with_a_cycle_is_refused() -> None:
    holder = agent_of(list, [])()
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(WrongType, match="it has no JSON form"):
        holder.it = cycle


def test_numbers_and_enum_members_may_stand_for_what_they_are() -> None:
    for annotation, opening, value, read in ((float, 0.0, 5, 5.0), (str, "", Word.YES, "yes"), (int, 0, Size.L, 3)):
        holder = agent_of(annotation, opening)()
        holder.it = value
        assert (holder.it, type(holder.it)) == (read, annotation)


def test_a_validator_of_the_author_may_refuse_and_may_break() -> None:
    def positive(value: int) -> int:
        if value < 0:
            raise ValueError("must be positive")
        if value > 100:
            raise ZeroDivisionError
        return value

    holder = agent_of(Annotated[int, pydantic.AfterValidator(positive)], 1)()
    with pytest.raises(WrongType, match="refused: it must be positive"):
        holder.it = -1
    with pytest.raises(WrongType, match="a validator of it raised ZeroDivisionError"):
        holder.it = 101


# --- annotations as text ----------------------------------------------------------------------------------------------


async def test_annotations_may_all_be_text() -> None:
    script = Script(
        [
            raw_call("keep", '{"later": {"when": "2026-01-31"}, "inner": {"n": 5}}'),
            raw_call("date_of", '{"date": "2026-02-01"}'),
        ],
        "ok",
    )
    async with rehearse(postponed.Desk, script) as call:
        await call.say("go")
        assert call.agent.later == postponed.Later(DAY)
        assert call.agent.date == dt.date(2026, 2, 1)
        assert [run.output for run in call.state.tools] == [None, "2026-02-01"]
    fields = postponed.Desk.__declaration__.fields
    assert list(fields) == ["stage", "date", "later", "inner"]


async def test_optional_keys_of_a_typeddict_stay_optional_where_annotations_are_text() -> None:
    visit = {"name": "Rex", "day": "2026-05-01"}
    script = Script(
        raw_call("keep", json.dumps({"stay": visit})),
        raw_call("keep", json.dumps({"stay": {"name": "Rex", "age": "old"}})),
        "Kept.",
    )
    async with rehearse(postponed.Kennel, script) as call:
        await call.say("keep Rex")
        assert call.agent.pet == {"name": "Rex"}
        assert call.agent.stay == {"name": "Rex", "day": dt.date(2026, 5, 1)}
        kept, refused = call.state.tools
        assert kept.status == "done"
        assert "`stay.day` is missing" in str(refused.error)
        assert "`stay.age` must be an integer" in str(refused.error)


async def test_types_local_to_a_function_are_found() -> None:
    cls, slot = postponed.make_desk()
    async with rehearse(cls, Script(raw_call("take", '{"slot": {"id": "a"}}'), "ok")) as call:
        await call.say("go")
        assert call.agent.slots == [slot("a")]
    (take,) = cls.__declaration__.tools
    assert take.none_is_null


def test_names_of_callers_that_do_not_enclose_the_class_are_not_found() -> None:
    assert postponed.make_from_outside()().later is None


def test_a_subclass_elsewhere_needs_none_of_the_names_of_its_base() -> None:
    cls, slot = postponed.make_desk()

    class Night(cls):
        bell: bool = False

    night = Night()
    night.slots.append(slot("b"))
    assert night.slots == [slot("b")]
    assert [tool.name for tool in Night.__declaration__.tools] == ["take"]


def test_a_named_alias_stands_for_what_it_names() -> None:
    Stages = typing_extensions.TypeAliasType("Stages", Literal["open", "shut"])  # noqa: N806
    Maybe = typing_extensions.TypeAliasType("Maybe", str | None)  # noqa: N806

    class Desk(Agent):
        stage: Stages
        again: Annotated[Maybe, "a note"] = None

        @tool(stage="shut")
        def look(self, it: Stages = "open") -> Maybe: ...

    assert (Desk().stage, Desk().again) == ("open", None)
    (look,) = Desk.__declaration__.tools
    assert look.none_is_null
    assert look.spec.parameters["properties"]["it"]["default"] == "open"
    with pytest.raises(NotAStage):
        Desk().stage = "ajar"


def test_names_in_an_annotation_written_as_text_inside_a_type() -> None:
    class Desk(Agent):
        pets: "list[Pet]" = []
        more: list["Pet"] = []
        nested: dict[str, "list[Pet | None]"] = {}

    desk = Desk()
    desk.nested = {"a": [Pet(kind="cat", born=DAY), None]}
    with pytest.raises(WrongType):
        desk.more = [Owner(name="a")]


# --- TypedDicts -------------------------------------------------------------------------------------------------------


class Node(typing.TypedDict):
    name: str
    children: NotRequired[list["Node"]]


def test_a_typed_dict_that_holds_itself_says_where_to_import_it_from() -> None:
    import sys

    if sys.version_info >= (3, 12):

        class Fine(Agent):
            root: Node | None = None

        return
    with pytest.raises(TypeError, match="it holds itself; import TypedDict from typing_extensions"):

        class Tree(Agent):
            root: Node | None = None


def test_a_typed_dict_inside_a_dataclass() -> None:
    import sys

    @dataclasses.dataclass
    class Held:
        old: Old

    def make() -> type[Stateful]:
        class Desk(Agent):
            held: Held | None = None

        return Desk

    if sys.version_info >= (3, 12):
        make()
        return
    with pytest.raises(TypeError, match="a TypedDict in it must come from typing_extensions"):
        make()


# --- what the model is told -------------------------------------------------------------------------------------------


def schema_of(*annotations: Any, doc: str = "") -> dict[str, Any]:
    """Give the JSON Schema of a tool with parameters of these types."""
    names = "abcdefgh"[: len(annotations)]
    space: dict[str, Any] = {f"T{name}": annotation for name, annotation in zip(names, annotations, strict=True)}
    exec(f"def it(self, {', '.join(f'{name}: T{name}' for name in names)}): ...", space)
    space["it"].__doc__ = doc
    cls = type("Desk", (Agent,), {"it": tool(space["it"]), "__module__": __name__})
    return dict(cls.__declaration__.tools[0].spec.parameters)


def test_the_schema_says_what_the_signature_says() -> None:
    class Desk(Agent):
        @tool
        def book(
            self,
            slot: Slot,
            colour: Colour,
            day: dt.date,
            how: Literal["phone", "web"] = "web",
            *,
            note: str | None = None,
            size: Size = Size.L,
            until: dt.date = DAY,
            tags: list[str] = [],  # noqa: B006
        ) -> None:
            """Books a slot.

            Takes what is free.

            Args:
                slot: the slot,
                    as it was offered.
                note (str): what the vet should know: everything.

            Returns nothing.
            """

    (book,) = Desk.__declaration__.tools
    assert book.spec.description == "Books a slot.\n\nTakes what is free.\n\nReturns nothing."
    assert book.spec.parameters == {
        "$defs": {
            "Colour": {"enum": ["red", "blue"], "type": "string"},
            "Size": {"enum": [1, 3], "type": "integer"},
            "Slot": {
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string"},
                    "day": {"format": "date", "type": "string"},
                    "vet": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                    "tags": {"items": {"type": "string"}, "type": "array"},
                },
                "required": ["id", "day"],
                "type": "object",
            },
        },
        "additionalProperties": False,
        "properties": {
            "slot": {"$ref": "#/$defs/Slot", "description": "the slot, as it was offered."},
            "colour": {"$ref": "#/$defs/Colour"},
            "day": {"format": "date", "type": "string"},
            "how": {"enum": ["phone", "web"], "type": "string", "default": "web"},
            "note": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "description": "what the vet should know: everything.",
                "default": None,
            },
            "size": {"$ref": "#/$defs/Size", "default": 3},
            "until": {"format": "date", "type": "string", "default": "2026-01-31"},
            "tags": {"items": {"type": "string"}, "type": "array", "default": []},
        },
        "required": ["slot", "colour", "day"],
        "type": "object",
    }


def test_a_parameter_called_title_or_properties_is_kept() -> None:
    class Desk(Agent):
        @tool
        def book(self, title: str, properties: dict[str, int], default: Literal["title"] = "title") -> None: ...

    properties = Desk.__declaration__.tools[0].spec.parameters["properties"]
    assert list(properties) == ["title", "properties", "default"]
    assert properties["title"] == {"type": "string"}
    assert properties["default"] == {"const": "title", "type": "string", "default": "title"}


def test_a_tool_without_parameters() -> None:
    class Desk(Agent):
        @tool
        def ring(self) -> None: ...

    assert Desk.__declaration__.tools[0].spec.parameters == {
        "additionalProperties": False,
        "properties": {},
        "type": "object",
    }


def test_an_enum_or_a_literal_is_never_just_a_string() -> None:
    properties = schema_of(Word | None, Literal["a", 1], Optional[Colour], Annotated[Word, "note"])  # noqa: UP045
    assert json.dumps(properties).count('"enum"') == 3
    properties = properties["properties"]
    assert properties["a"]["anyOf"] == [{"$ref": "#/$defs/Word"}, {"type": "null"}]
    assert properties["b"] == {"enum": ["a", 1]}


@pytest.mark.parametrize(
    ("annotation", "null"),
    [
        (str | None, True),
        (Optional[Slot], True),  # noqa: UP045
        (Literal["a", None], True),
        (Annotated[str | None, "x"], True),
        (Any, True),
        (None, False),
        (str, False),
        (Literal["a"], False),
    ],
)
def test_none_is_a_result_where_the_annotation_has_it_beside_another_type(annotation: Any, null: bool) -> None:
    class Desk(Agent):
        @tool
        def one(self) -> annotation: ...

        @tool
        def two(self): ...

        @tool
        def three(self) -> "Missing | None": ...  # noqa: F821

        @tool
        def four(self) -> "Missing": ...  # noqa: F821

    assert [tool.none_is_null for tool in Desk.__declaration__.tools] == [null, False, True, False]
