"""Arguments as a model writes them: strict, refused in a few words that name where, and never with what was given."""

import dataclasses
import datetime as dt
import enum
import json
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

import pydantic
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cuelight import Agent, tool
from cuelight.agent import BadArguments, parse_object
from cuelight.testing import Script, raw_call, rehearse
from lawbook import refusals


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Pet(pydantic.BaseModel):
    kind: Literal["cat", "dog"]
    born: dt.date
    weight: float = 1.0


class Card(pydantic.BaseModel):
    kind: Literal["card"]
    number: str


class Cash(pydantic.BaseModel):
    kind: Literal["cash"]
    amount: Decimal


class Loose(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    n: int = 0


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Owner:
    name: str
    pets: list[Pet] = dataclasses.field(default_factory=list)
    born: dt.date | None = None


def even(value: int) -> int:
    if value % 2:
        raise ValueError(f"must be even, and {value} is odd")
    return value


def polite(value: str) -> str:
    if value != "please":
        raise ValueError("must be polite")
    return value


def broken(value: str) -> str:
    raise ZeroDivisionError(value)


class Desk(Agent):
    """Takes everything."""

    @tool
    def text(self, name: str) -> None: ...

    @tool
    def number(self, n: int, x: float = 0.0) -> None: ...

    @tool
    def flag(self, on: bool) -> None: ...

    @tool
    def times(self, day: dt.date, at: dt.time, moment: dt.datetime, lasting: dt.timedelta) -> None: ...

    @tool
    def choice(self, colour: Colour, how: Literal["phone", "web"]) -> None: ...

    @tool
    def money(self, amount: Decimal) -> None: ...

    @tool
    def owner(self, owner: Owner) -> None: ...

    @tool
    def owners(self, owners: list[Owner]) -> None: ...

    @tool
    def by_name(self, ages: dict[str, int]) -> None: ...

    @tool
    def by_day(self, ages: dict[dt.date, int]) -> None: ...

    @tool
    def either(self, it: int | list[str] | None) -> None: ...

    @tool
    def pay(self, pay: Card | Cash) -> None: ...

    @tool
    def tagged(self, pay: Annotated[Card | Cash, pydantic.Field(discriminator="kind")]) -> None: ...

    @tool
    def loose(self, loose: Loose, owner: Owner | None = None) -> None: ...

    @tool
    def point(self, point: Point, pair: tuple[int, str] = (1, "a")) -> None: ...

    @tool
    def limited(
        self, n: Annotated[int, pydantic.Field(ge=1, le=12)] = 1, s: Annotated[str, pydantic.Field(max_length=3)] = ""
    ) -> None: ...

    @tool
    def checked(
        self,
        n: Annotated[int, pydantic.AfterValidator(even)] = 0,
        s: Annotated[str, pydantic.AfterValidator(polite)] = "please",
    ) -> None: ...

    @tool
    def breaks(self, s: Annotated[str, pydantic.AfterValidator(broken)]) -> None: ...

    @tool
    def many(self, a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> None: ...

    @tool
    def nothing(self) -> None: ...

    @tool
    def anything(self, it: Any = None, more: dict[str, Any] | None = None) -> None: ...

    @tool
    def defaults(self, tags: list[str] = [], owner: Owner = Owner("Ada")) -> None:  # noqa: B006, B008
        tags.append("seen")
        owner.name = "changed"
        self._tags = tags


TOOLS = {tool.name: tool for tool in Desk.__declaration__.tools}


def check(name: str, text: str) -> dict[str, Any]:
    """Do what the engine does with the text of a call."""
    arguments = TOOLS[name].arguments
    parse_object(text, arguments)
    return arguments.check(text if text.strip() else "{}")


def refusal(name: str, text: str) -> str:
    with pytest.raises(BadArguments) as refused:
        check(name, text)
    said = str(refused.value)
    assert said.startswith("Nothing was done: ")
    return said.removeprefix("Nothing was done: ").removesuffix(". Correct the arguments and call again.")


# --- what is wrong, and where -----------------------------------------------------------------------------------------

DATE = "a date, as in 2026-01-31"
REFUSED = [
    ("text", {"name": 5}, "`name` must be a string, not a number"),
    ("text", {"name": None}, "`name` must be a string, not null"),
    ("text", {"name": ["a"]}, "`name` must be a string, not an array"),
    ("text", {}, "`name` is missing"),
    ("text", {"nmae": "a"}, "`name` is missing; `nmae` is no argument of this tool, which takes `name`"),
    ("text", {"name": "a", "x" * 100: 1}, f"`{'x' * 40}` is no argument of this tool, which takes `name`"),
    ("nothing", {"it": 1}, "`it` is no argument of this tool, which takes none"),
    ("number", {"n": "5"}, "`n` must be an integer, not a string"),
    ("number", {"n": 5.0}, "`n` must be an integer, not a number"),
    ("number", {"n": True}, "`n` must be an integer, not true or false"),
    ("number", {"n": {}}, "`n` must be an integer, not an object"),
    ("number", {"n": 1, "x": "1.5"}, "`x` must be a number, not a string"),
    ("number", {"n": 1, "x": None}, "`x` must be a number, not null; leave it out to have its default"),
    ("flag", {"on": "true"}, "`on` must be true or false, not a string"),
    ("flag", {"on": 1}, "`on` must be true or false, not a number"),
    (
        "times",
        {"day": "31.1.2026", "at": "half past nine", "moment": "2026-01-31", "lasting": "1 h"},
        f"`day` must be {DATE}; `at` must be a time of day, as in 09:30; `moment` must be a date and time, as in "
        "2026-01-31T09:30:00; `lasting` must be a duration, as in PT1H30M",
    ),
    (
        "times",
        {"day": 20260131, "at": 5, "moment": 1_700_000_000, "lasting": 3600},
        f"`day` must be {DATE}, not a number; `at` must be a time of day, as in 09:30, not a number; `moment` must be "
        "a date and time, as in 2026-01-31T09:30:00, not a number; `lasting` must be a duration, as in PT1H30M, not a "
        "number",
    ),
    ("choice", {"colour": "green", "how": "fax"}, "`colour` must be 'red' or 'blue'; `how` must be 'phone' or 'web'"),
    ("choice", {"colour": "RED", "how": "web"}, "`colour` must be 'red' or 'blue'"),
    ("money", {"amount": "lots"}, "`amount` must be a decimal number"),
    ("money", {"amount": True}, "`amount` must be a decimal number, not true or false"),
    ("owner", {"owner": "Ada"}, "`owner` must be an object, not a string"),
    ("owner", {"owner": {}}, "`owner.name` is missing"),
    ("owner", {"owner": {"name": "Ada", "nmae": 5}}, "`owner.nmae` is not known there; did you mean `name`?"),
    (
        "owner",
        {"owner": {"name": "Ada", "pets": [{"kind": "cow", "born": "2026-01-31"}]}},
        "`owner.pets.0.kind` must be 'cat' or 'dog'",
    ),
    (
        "owner",
        {"owner": {"name": "Ada", "pets": [{"kind": "cat", "born": "x", "weight": "5"}]}},
        f"`owner.pets.0.born` must be {DATE}; `owner.pets.0.weight` must be a number, not a string",
    ),
    (
        "owner",
        {"owner": {"name": "Ada", "pets": [{"kind": "cat", "born": "2026-01-31", "wieght": 5}]}},
        "`owner.pets.0.wieght` is not known there; did you mean `weight`?",
    ),
    (
        "owners",
        {"owners": [{"name": "a"}, {"name": 5}, 7]},
        "`owners.1.name` must be a string, not a number; `owners.2` must be an object, not a number",
    ),
    ("by_name", {"ages": {"Ada Byrne": "old"}}, "`ages.*` must be an integer, not a string"),
    ("by_name", {"ages": []}, "`ages` must be an object, not an array"),
    ("by_day", {"ages": {"tomorrow": 5}}, f"`ages.*` must be {DATE}"),
    ("either", {"it": "5"}, "`it` must be an integer or an array, not a string"),
    ("either", {"it": ["a", 5]}, "`it` must be an integer, not an array; `it.1` must be a string, not a number"),
    ("pay", {"pay": {"kind": "card"}}, "`pay.number` is missing; `pay.kind` must be 'cash'; `pay.amount` is missing"),
    ("pay", {"pay": 5}, "`pay` must be an object, not a number"),
    ("tagged", {"pay": {"kind": "card"}}, "`pay.number` is missing"),
    ("tagged", {"pay": {"kind": "secret-kind"}}, "`pay` must have 'kind' as one of 'card', 'cash'"),
    ("tagged", {"pay": {}}, "`pay` must have 'kind'"),
    ("loose", {"loose": {"n": "5", "more": 1}}, "`loose.n` must be an integer, not a string"),
    ("point", {"point": [1, "2"]}, "`point.1` must be an integer, not a string"),
    (
        "point",
        {"point": 5, "pair": [1, 2]},
        "`point` must be an array, not a number; `pair.1` must be a string, not a number",
    ),
    (
        "limited",
        {"n": 13, "s": "long"},
        "`n` must be less than or equal to 12; `s` string should have at most 3 characters",
    ),
    ("checked", {"n": 77}, "`n` does not fit"),
    ("checked", {"s": "now"}, "`s` must be polite"),
    ("checked", {"s": "Polite"}, "`s` does not fit"),
    ("breaks", {"s": "a"}, "the arguments do not fit"),
    ("many", {"a": 1}, "`b` is missing; `c` is missing; `d` is missing; `e` is missing; `f` is missing; and 1 more"),
    ("many", {}, "`a` is missing; `b` is missing; `c` is missing; `d` is missing; `e` is missing; and 2 more"),
]


@pytest.mark.parametrize(("name", "arguments", "said"), REFUSED)
def test_what_is_wrong_is_said_in_few_words(name: str, arguments: dict[str, Any], said: str) -> None:
    assert refusal(name, json.dumps(arguments)) == said


SCHEMA = '{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object","additionalProperties":false}'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "the arguments are not valid JSON"),
        ('{"name": "a"', "the arguments are not valid JSON"),
        ("{'name': 'a'}", "the arguments are not valid JSON"),
        ('{"name": "a"} thanks', "the arguments are not valid JSON"),
        ('{"name": NaN}', "the arguments are not valid JSON"),
        ('{"name": Infinity}', "the arguments are not valid JSON"),
        ('{"name": 1e999}', "the arguments are not valid JSON"),
        ('{"name": "\\ud800"}', "the arguments are not valid JSON"),
        ('{"name": "\ud800"}', "the arguments are not valid JSON"),
        ("[" * 100_000, "the arguments are not valid JSON"),
        ("", "the call has no arguments"),
        (" \n", "the call has no arguments"),
        ("null", "the arguments are no JSON object"),
        ('["Ada"]', "the arguments are no JSON object"),
        ('"Ada"', "the arguments are no JSON object"),
        ("5", "the arguments are no JSON object"),
        ('{"name": "Ada", "name": "Eve"}', "the arguments name something twice"),
        ('{"name": {"a": 1, "a": 2}}', "the arguments name something twice"),
        ('{"name" : "Ada", "name"\n: "Eve"}', "the arguments name something twice"),
        ('{"name": "Ada", "n\\u0061me": "Eve"}', "the arguments name something twice"),
    ],
)
def test_what_is_no_object_is_answered_with_the_schema(text: str, fault: str) -> None:
    said = refusal("text", text)
    assert said.startswith(f"{fault}. Call again with one JSON object of this schema: {{")
    assert json.loads(said.partition("schema: ")[2]) == json.loads(SCHEMA)
    assert "Ada" not in said


def test_for_a_tool_that_does_not_exist_there_is_no_schema() -> None:
    assert parse_object("", None) == {}
    assert parse_object('{"a": 1}', None) == {"a": 1}
    with pytest.raises(
        BadArguments, match=r"^Nothing was done: the arguments are not valid JSON. Call again with one "
    ):
        parse_object("{", None)


@pytest.mark.parametrize("text", ["", "  ", "{}", "{ }"])
def test_no_text_is_an_empty_object_where_nothing_is_required(text: str) -> None:
    assert check("nothing", text) == {}
    assert check("anything", text) == {}


def test_what_looks_like_a_name_said_twice_but_is_not() -> None:
    text = '{"it": {"a": "x\\": 1, \\"a", "b": {"a": "\\":"}}, "more": {"it": 1}}'
    assert check("anything", text) == json.loads(text)


def test_a_big_integer_is_an_integer_and_a_giant_one_is_refused() -> None:
    assert check("number", f'{{"n": {10**30}}}') == {"n": 10**30}
    assert refusal("number", f'{{"n": {"9" * 5000}}}').startswith("the arguments are not valid JSON")


def test_null_is_given_where_the_type_has_it() -> None:
    assert check("either", '{"it": null}') == {"it": None}


def test_extra_properties_of_a_class_that_takes_them_are_kept() -> None:
    (loose,) = check("loose", '{"loose": {"n": 1, "more": [1]}}').values()
    assert loose.more == [1]


# --- in a call --------------------------------------------------------------------------------------------------------


async def test_a_refused_call_does_not_run_and_the_model_reads_why() -> None:
    script = Script(raw_call("text", '{"name": 5}'), "Sorry?")
    async with rehearse(Desk, script) as call:
        reply = await call.say("hello")
        assert reply.text == "Sorry?"
        (run,) = call.state.tools
        assert run.error == (
            "Nothing was done: `name` must be a string, not a number. Correct the arguments and call again."
        )
        assert call.requests[1].messages[-1]["content"] == run.error
        assert refusals(call.log) == [("text", "bad arguments")]
        assert not call.state.errors


async def test_a_default_that_can_be_changed_in_place_is_new_in_each_call() -> None:
    script = Script([raw_call("defaults", "{}"), raw_call("defaults", "{}")], "ok", raw_call("defaults", ""), "ok")
    async with rehearse(Desk, script) as call:
        for _ in range(2):
            await call.say("go")
            assert call.agent._tags == ["seen"]
    default = TOOLS["defaults"].arguments.parameters["owner"].default
    assert default.name == "Ada"


# --- any JSON whatsoever ----------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["name", "n", "x", "on", "day", "at", "colour", "how", "amount", "owner", "owners", "pets", "kind", "born",
     "weight", "ages", "it", "pay", "number", "loose", "point", "pair", "s", "a", "b", "tags", "more", "moment",
     "lasting"]
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS
    | st.sampled_from(["2026-01-31", "09:30", "2026-01-31T09:30:00Z", "PT1H", "red", "web", "card", "cat", "1.5"])
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
TEXTS = JSON.map(json.dumps) | st.dictionaries(WORDS, JSON, max_size=4).map(json.dumps) | st.text(max_size=40)
ADAPTERS = {
    name: {
        parameter.name: pydantic.TypeAdapter(parameter.annotation) for parameter in tool.arguments.parameters.values()
    }
    for name, tool in TOOLS.items()
}


@given(name=st.sampled_from(sorted(TOOLS)), text=TEXTS)
@example(name="owner", text='{"owner": {"name": "Ada", "pets": [{"kind": "cat", "born": "2026-01-31"}]}}')
@example(name="number", text='{"n": 5, "x": 5}')
@example(name="by_name", text='{"ages": {"": 0}}')
@example(name="anything", text='{"it": {"it": []}}')
@settings(max_examples=500, deadline=None)
def test_any_text_gives_values_that_fit_or_bad_arguments(name: str, text: str) -> None:
    try:
        values = check(name, text)
    except BadArguments as refused:
        said = str(refused)
        assert said.startswith("Nothing was done: ")
        assert said.count(";") <= 10
        return
    given = json.loads(text) if text.strip() else {}
    assert set(values) >= set(given)
    for parameter in TOOLS[name].arguments.parameters.values():
        if parameter.name in values:
            adapter = ADAPTERS[name][parameter.name]
            assert adapter.validate_python(values[parameter.name], strict=True) is not None or (
                values[parameter.name] is None
            )
        else:
            assert not parameter.required


SECRET = "zq7Xsecret"


@given(name=st.sampled_from(sorted(set(TOOLS) - {"choice"})), data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_refusal_never_repeats_a_value(name: str, data: st.DataObject) -> None:
    leaves = st.just(SECRET) | st.none() | st.integers(max_value=3)
    value = st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS | st.just(SECRET), inner, max_size=3),
        max_leaves=8,
    )  # fmt: skip
    given_ = data.draw(st.dictionaries(WORDS, value, max_size=4))
    try:
        check(name, json.dumps(given_))
    except BadArguments as refused:
        said = str(refused)
        # The name of something that is not known is said, as the model must know which; a value never is.
        assert SECRET not in said.replace(f".{SECRET}` is not known", "")
