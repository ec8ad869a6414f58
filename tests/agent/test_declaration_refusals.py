"""A class that could not work is refused when it is created: every fault at once, each in words that say what to do.

The wording is part of the product, so it is pinned here.
"""

import dataclasses
import enum
import functools
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, ClassVar, Final, Literal, Optional, Union

import pytest

from cuelight import Agent, CuelightError, DeclarationRefused, Limits, state, tool


def problems(make: Callable[[], Any]) -> list[str]:
    """Give what is wrong with the class that a function makes."""
    with pytest.raises(DeclarationRefused) as refused:
        make()
    return list(refused.value.problems)


class Service:
    """What no JSON Schema exists for."""


# --- the whole of it --------------------------------------------------------------------------------------------------


def test_all_problems_of_a_class_are_raised_together() -> None:
    def make() -> None:
        class Desk(Agent):
            count: int = "none"
            seen = []

            @tool(stage="late", effect="reads", timeout=-1)
            def one(self, x, y: Service) -> None: ...

            @tool(pii="phone", when=lambda: True)
            def two(self) -> None: ...

    with pytest.raises(DeclarationRefused) as refused:
        make()
    assert refused.value.owner == "Desk"
    assert refused.value.code == "declaration-refused"
    found = refused.value.problems
    assert [problem.partition(" ")[0] for problem in found] == ["field", *["tool"] * 7, "`seen`"]
    assert str(refused.value) == "Desk is refused, 9 problems:" + "".join(f"\n  - {problem}" for problem in found)


def test_one_problem_is_one_line() -> None:
    with pytest.raises(DeclarationRefused) as refused:

        class Desk(Agent):
            count: int = "none"

    assert str(refused.value) == (
        "Desk is refused: field `count` opens with 'none', which does not fit int: it must be a valid integer"
    )


def test_it_is_an_error_of_the_author_and_of_type() -> None:
    assert issubclass(DeclarationRefused, CuelightError)
    assert issubclass(DeclarationRefused, TypeError)


# --- stages -----------------------------------------------------------------------------------------------------------


def test_a_stage_on_a_class_without_one_says_the_line_to_add() -> None:
    def make() -> None:
        class ClinicaNorte(Agent):
            @tool(stage="identify")
            def find_patient(self, name: str) -> None: ...

    assert problems(make) == [
        "tool `find_patient` is for stage 'identify', but ClinicaNorte has no `stage` field, so it could never be "
        'visible. Add `stage: Literal["identify"] = "identify"` to the class, or write when=... in the place of '
        "stage=..."
    ]


def test_the_line_to_add_holds_every_stage_that_tools_name_in_their_order() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(stage=("identify", "choose"))
            def look(self) -> None: ...

            @tool
            def always(self) -> None: ...

            @tool(stage=["choose", "book"])
            def free(self) -> None: ...

    assert problems(make) == [
        "tool `look` is for stage 'identify', 'choose'; tool `free` is for stage 'choose', 'book'; but Desk has no "
        '`stage` field, so they could never be visible. Add `stage: Literal["identify", "choose", "book"] = "identify"`'
        " to the class, or write when=... in the place of stage=..."
    ]


def test_the_line_to_add_can_be_added() -> None:
    with pytest.raises(DeclarationRefused) as refused:

        class Desk(Agent):
            @tool(stage=('say "hi"', "back\\slash"))
            def look(self) -> None: ...

    (line,) = re.findall(r"Add `(.*)` to the class", str(refused.value))
    names: dict[str, Any] = {"Agent": Agent, "tool": tool, "Literal": Literal, "__name__": __name__}
    exec(
        f"class Desk(Agent):\n    {line}\n    @tool(stage=('say \"hi\"', 'back\\\\slash'))\n    def look(self): ...",
        names,
    )
    assert names["Desk"]().stage == 'say "hi"'


def test_a_stage_that_the_literal_does_not_hold() -> None:
    def make() -> None:
        class Desk(Agent):
            stage: Literal["identify", "choose"] = "identify"

            @tool(stage=("chose", "identify"))
            def near(self) -> None: ...

            @tool(stage="elsewhere")
            def far(self) -> None: ...

    assert problems(make) == [
        "tool `near` is for stage 'chose', which Desk does not have; its stages are 'identify', 'choose'; did you mean "
        "`choose`?",
        "tool `far` is for stage 'elsewhere', which Desk does not have; its stages are 'identify', 'choose'. Add "
        "'elsewhere' to the Literal, or correct the tool",
    ]


def test_a_subclass_whose_stage_drops_a_value_that_an_inherited_tool_names() -> None:
    class Desk(Agent):
        stage: Literal["identify", "choose"] = "identify"

        @tool(stage="choose")
        def choose(self) -> None: ...

    def make() -> None:
        class Night(Desk):
            stage: Literal["identify", "closed"] = "identify"

    assert problems(make) == [
        "tool `choose` is for stage 'choose', which Night does not have; its stages are 'identify', 'closed'. The tool "
        "comes from Desk: keep 'choose' in the Literal, or override the tool"
    ]


def test_a_stage_field_that_is_no_literal_of_text() -> None:
    class Stages(enum.Enum):
        OPEN = "open"
        SHUT = "shut"

    def as_text() -> None:
        class Desk(Agent):
            stage: str = "open"

            @tool(stage=("open", "shut"))
            def one(self) -> None: ...

    def as_enum() -> None:
        class Desk(Agent):
            stage: Stages = Stages.OPEN

    def as_numbers() -> None:
        class Desk(Agent):
            stage: Literal[1, 2] = 1

    def optional() -> None:
        class Desk(Agent):
            stage: Literal["open"] | None = None

    line = '`stage: Literal["open", "shut"] = "open"`'
    assert problems(as_text) == [f"field `stage` is of type str; a stage is a Literal of its values, as in {line}"]
    assert problems(as_enum) == [f"field `stage` is of type Stages; a stage is a Literal of its values, as in {line}"]
    line = '`stage: Literal["first", "second"] = "first"`'
    assert problems(as_numbers) == [
        f"field `stage` is of type Literal[1, 2]; a stage is a Literal of its values, as in {line}"
    ]
    assert problems(optional) == [
        f"field `stage` is of type Literal['open'] | None; a stage is a Literal of its values, as in {line}"
    ]


def test_a_stage_that_opens_outside_its_literal() -> None:
    def make() -> None:
        class Desk(Agent):
            stage: Literal["open", "shut"] = "opened"

    assert problems(make) == ["field `stage` opens with 'opened', which is none of its stages: 'open', 'shut'"]


def test_a_private_stage() -> None:
    def make() -> None:
        class Desk(Agent):
            stage: Literal["open", "shut"] = state("open", pii=True)

    assert problems(make) == ["field `stage`: the stage decides what may run and is shown everywhere; leave out pii"]


def test_stages_that_name_nothing() -> None:
    def make() -> None:
        class Desk(Agent):
            stage: Literal["open"] = "open"

            @tool(stage=())
            def none(self) -> None: ...

            @tool(stage=5)
            def number(self) -> None: ...

            @tool(stage=["open", ["shut"]])
            def nested(self) -> None: ...

    assert problems(make) == [
        "tool `none`: stage is empty, so it could never be visible; name a stage, or leave it out",
        "tool `number`: stage names 5; a stage is a str, one of the Literal's values",
        "tool `nested`: stage names ['shut']; a stage is a str, one of the Literal's values",
    ]


# --- names ------------------------------------------------------------------------------------------------------------


def test_two_tools_of_one_name_that_can_be_visible_together() -> None:
    def everywhere() -> None:
        class Desk(Agent):
            @tool
            def book(self) -> None: ...

            @tool(name="book", when=lambda a: True)
            def book_late(self) -> None: ...

    def in_a_stage() -> None:
        class Desk(Agent):
            stage: Literal["a", "b", "c"] = "a"

            @tool(stage=("a", "b"), name="book")
            def one(self) -> None: ...

            @tool(stage=("b", "c"), name="book")
            def two(self) -> None: ...

    def one_of_them_everywhere() -> None:
        class Desk(Agent):
            stage: Literal["a", "b"] = "a"

            @tool(name="book")
            def one(self) -> None: ...

            @tool(stage="b", name="book")
            def two(self) -> None: ...

    ending = "; give one another name with @tool(name=...), or put them in different stages"
    assert problems(everywhere) == [
        f"tools `book` and `book_late` are both called `book` and would be visible together{ending}"
    ]
    assert problems(in_a_stage) == [
        f"tools `one` and `two` are both called `book` and would be visible together in stage 'b'{ending}"
    ]
    assert problems(one_of_them_everywhere) == [
        f"tools `one` and `two` are both called `book` and would be visible together in stage 'b'{ending}"
    ]


def test_two_methods_of_one_name_in_one_class() -> None:
    def make() -> None:
        class Desk(Agent):
            stage: Literal["a", "b"] = "a"

            @tool(stage="a")
            def book(self) -> None: ...

            @tool(stage="b")
            def book(self, slot: str) -> None: ...  # noqa: F811

            @tool
            def ring(self) -> None: ...

            @tool
            def ring(self) -> None: ...  # noqa: F811

    twice = "the class defines it twice, and only the last would count; give one of the two another name, with"
    assert problems(make) == [
        f"tool `{name}`: {twice} @tool(name='{name}') where they are for different stages" for name in ("book", "ring")
    ]


def test_two_tools_of_one_name_in_different_stages_are_fine() -> None:
    class Desk(Agent):
        stage: Literal["a", "b"] = "a"

        @tool(stage="a", name="go_on")
        def one(self) -> None: ...

        @tool(stage="b", name="go_on")
        def two(self, why: str) -> None: ...

    assert [tool.name for tool in Desk.__declaration__.tools] == ["go_on", "go_on"]


@pytest.mark.parametrize("name", ["two words", "größe", "", "x" * 65, 5, "a.b"])
def test_a_name_that_models_do_not_take(name: Any) -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(name=name)
            def one(self) -> None: ...

    (problem,) = problems(make)
    assert problem.startswith("tool `one`: models take no tool called ")
    assert problem.endswith("; name it with @tool(name=...), up to 64 letters from A to Z, digits, _ and -")


def test_a_method_whose_own_name_models_do_not_take() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            def größe(self) -> None: ...

    assert problems(make) == [
        "tool `größe`: models take no tool called 'größe'; name it with @tool(name=...), up to 64 letters from A to Z, "
        "digits, _ and -"
    ]


@pytest.mark.parametrize(
    "name",
    ["call", "render", "on_call", "on_end", "on_event", "limits", "model", "rules", "knowledge", "fallback_line"],
)
def test_a_field_named_like_a_member_of_every_agent(name: str) -> None:
    def make() -> None:
        type("Desk", (Agent,), {"__annotations__": {name: str}, name: "x", "__module__": __name__})

    (problem,) = problems(make)
    setting = name in ("limits", "model", "rules", "knowledge", "fallback_line")
    assert problem == (
        f"field `{name}` has the name of a setting; to set that, leave out the annotation: `{name} = ...`"
        if setting
        else f"field `{name}` has the name of a member of every Agent; give it another name"
    )


def test_tools_and_properties_named_like_a_member_of_every_agent() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            def render(self) -> str: ...

            @property
            def call(self) -> Any: ...

            @property
            def on_call(self) -> Any: ...

    assert problems(make) == [
        "tool `render` has the name of a member of every Agent; give the method another name",
        "`call` is the name of a member of every Agent; give it another name",
        "`on_call` is a property, but a method of every Agent; write `def on_call(self)`",
    ]


def test_the_few_private_names_that_are_taken() -> None:
    def make() -> None:
        class Desk(Agent):
            _call = None

            def _cell(self) -> None: ...

    assert problems(make) == [
        "`_call` is a name of Cuelight's own; give it another one",
        "`_cell` is a name of Cuelight's own; give it another one",
    ]


def test_one_name_for_two_things() -> None:
    def make() -> None:
        class Desk(Agent):
            one: int
            two: int

            @property
            def one(self) -> int: ...

            @tool
            def two(self) -> int: ...

    assert problems(make) == [
        "field `one` is a property too; give one of them another name",
        "field `two` is a method too; give one of them another name",
    ]


def test_what_takes_the_place_of_something_inherited() -> None:
    class Desk(Agent):
        slots: list[str] = []
        notes: list[str] = []

        @tool
        def book(self) -> None: ...

    def make() -> None:
        class Night(Desk):
            def book(self) -> None: ...

            def slots(self) -> None: ...

            @property
            def notes(self) -> list[str]: ...

    assert problems(make) == [
        "`slots` is a field that Night inherits, so it cannot be a method or property; give that another name",
        "`notes` is a field that Night inherits, so it cannot be a method or property; give that another name",
        "`book` takes the place of the tool `book` of Desk, but is none; decorate it with @tool, or rename it",
    ]


# --- fields -----------------------------------------------------------------------------------------------------------


def test_a_mutable_class_attribute_without_an_annotation() -> None:
    @dataclasses.dataclass
    class Box:
        n: int = 0

    def make() -> None:
        class Desk(Agent):
            slots = []
            names = {"a"}
            box = Box()
            fine = ("a", "b")
            fine_too = Service()

    ending = "if they shall share it"
    assert problems(make) == [
        f"`{name}` is a {kind} that all calls would share and could change; write `{name}: {kind} = ...` to make it "
        f"state, of which each call has a copy, or `{name}: ClassVar[{kind}] = ...` {ending}"
        for name, kind in (("slots", "list"), ("names", "set"), ("box", "Box"))
    ]


def test_a_field_without_an_annotation() -> None:
    def make() -> None:
        class Desk(Agent):
            owner = state("", pii=True)

    assert problems(make) == ["field `owner` has no annotation; write its type, as in `owner: str = state(...)`"]


def test_a_field_without_a_value_to_open_with() -> None:
    def make() -> None:
        class Desk(Agent):
            owner: str
            slots: list[int] = state(pii=True)

    assert problems(make) == [
        "field `owner` has no value to open with; write one, `owner: str = ...`, or let it be None, "
        "`owner: str | None = None`",
        "field `slots` has no value to open with; write one, `slots: list[int] = ...`, or let it be None, "
        "`slots: list[int] | None = None`",
    ]


def test_values_that_do_not_fit_their_fields() -> None:
    def make() -> None:
        class Desk(Agent):
            count: int = "5"
            names: list[str] = ["a", 5]
            price: float = float("nan")
            tags: list[str] = list
            pair: tuple[int, int] = [1, 2]
            long: int = "x" * 100

    shown = "'" + "x" * 56 + "..."
    assert problems(make) == [
        "field `count` opens with '5', which does not fit int: it must be a valid integer",
        "field `names` opens with ['a', 5], which does not fit list[str]: item 1 must be a valid string",
        "field `price` opens with nan, which does not fit float: it must be a valid number",
        "field `tags` opens with <class 'list'>, which does not fit list[str]: it must be a valid list; write the "
        "value itself, which is copied for each call",
        "field `pair` opens with [1, 2], which does not fit tuple[int, int]: it must be a valid tuple",
        f"field `long` opens with {shown}, which does not fit int: it must be a valid integer",
    ]


NO_SCHEMA = (
    "for which no JSON Schema exists; use a builtin, a dataclass, a TypedDict, an Enum, a Literal or a pydantic model"
)


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (Service, "Service"),
        (list[Service], "list[Service]"),
        (dict[str, Service | None], "dict[str, Service | None]"),
        (Callable[[int], str], "Callable[[int], str]"),
        (Iterator[int], "Iterator[int]"),
        (Iterable[int], "Iterable[int]"),
        (AsyncIterator[int], "AsyncIterator[int]"),
        (type[int], "type[int]"),
        (type, "type"),
        (range, "range"),
        (re.Match[str], "Match[str]"),
    ],
)
def test_what_has_no_schema_is_refused(annotation: Any, name: str) -> None:
    def field() -> None:
        type("Desk", (Agent,), {"__annotations__": {"it": annotation}, "it": None, "__module__": __name__})

    def parameter() -> None:
        class Desk(Agent):
            @tool
            def one(self, it: annotation) -> None: ...

    assert problems(field) == [f"field `it` is of type {name}, {NO_SCHEMA}, or call it `_it` if it is no state"]
    assert problems(parameter) == [f"tool `one`: parameter `it` is of type {name}, {NO_SCHEMA}"]


def test_an_annotation_that_cannot_be_read() -> None:
    def make() -> None:
        class Desk(Agent):
            owner: "Missing | None" = None  # noqa: F821

            @tool
            def one(self, it: "list[Missing]") -> None: ...  # noqa: F821

    ending = "define or import what it names before the class, not only under TYPE_CHECKING"
    assert problems(make) == [
        f"field `owner`: its annotation cannot be read (name 'Missing' is not defined); {ending}",
        f"tool `one`: the type of parameter `it` cannot be read (name 'Missing' is not defined); {ending}",
    ]


def test_options_of_a_field_that_mean_nothing() -> None:
    def make() -> None:
        class Desk(Agent):
            a: int = state(0, visibility="everyone")
            b: int = state(0, pii="yes")
            c: int = state(0, was=5)
            d: int = state(0, pii=True, visibility="public")

    assert problems(make) == [
        "field `a`: visibility is 'everyone'; write 'tenant' or 'public'",
        "field `b`: pii is 'yes'; a field is private as a whole, so write True or False",
        "field `c`: was is 5; write the old names, as in was=('old_name',)",
        "field `d`: it is both private and public; write pii=True or visibility='public'",
    ]


def test_old_names_that_cannot_be_mapped() -> None:
    def make() -> None:
        class Desk(Agent):
            a: int = state(0, was="b")
            b: int = 0
            c: int = state(0, was="old")
            d: int = state(0, was=("older", "old"))

    assert problems(make) == [
        "field `a`: was names `b`, which is a field still; a renamed one is gone",
        "field `d`: was names `old`, which field `c` was too; only one can be",
    ]


def test_properties_that_could_not_be_state() -> None:
    def make() -> None:
        class Desk(Agent):
            @functools.cached_property
            def one(self) -> int:
                return 1

            @property
            async def two(self) -> int:
                return 2

            @property
            @tool
            def three(self) -> int:
                return 3

    assert problems(make) == [
        "`one` is a cached_property, which keeps what the state once was; write @property",
        "property `two` is async; it is read whenever the state is, so let it wait for nothing",
        "`three` is both a property and a tool; leave out one of the two",
    ]


# --- tools ------------------------------------------------------------------------------------------------------------


def test_parameters_that_a_model_could_not_give() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            def one(self, x, /, y: int, *rest: int, **more: int) -> None: ...

            @tool
            def two() -> None: ...

            @tool
            def three(self, x) -> None: ...

    by_name = "cannot be given by name, as a model gives every argument; name each one"
    assert problems(make) == [
        f"tool `one`: parameter `x` {by_name}",
        f"tool `one`: parameter `rest` {by_name}",
        f"tool `one`: parameter `more` {by_name}",
        "tool `two`: it takes no `self`; write it as a method",
        "tool `three`: parameter `x` has no type; annotate it, as in `x: str`",
    ]


def test_defaults_that_do_not_fit_their_parameters() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            def one(self, name: str = None, count: int = "5", tags: list[int] = ["a"]) -> None: ...  # noqa: B006, RUF013

    assert problems(make) == [
        "tool `one`: parameter `name` is None unless it is given; write `name: str | None = None`",
        "tool `one`: parameter `count` has the default '5', which does not fit int: it must be a valid integer",
        "tool `one`: parameter `tags` has the default ['a'], which does not fit list[int]: item 0 must be a valid "
        "integer",
    ]


def test_a_docstring_that_describes_what_is_no_parameter() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            def one(self, phone: str) -> None:
                """Looks somebody up.

                Args:
                    phon: their number.
                """

    assert problems(make) == [
        "tool `one`: its docstring describes `phon`, which is no parameter; did you mean `phone`?"
    ]


def test_what_is_no_method() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            @staticmethod
            def one(x: int) -> None: ...

            @staticmethod
            @tool
            def two(x: int) -> None: ...

            @classmethod
            @tool
            def three(cls) -> None: ...

            four = tool(functools.partialmethod(print))

            @tool
            def five(self) -> Iterator[int]:
                yield 1

            @tool
            async def six(self) -> AsyncIterator[int]:
                yield 1

    assert problems(make) == [
        "tool `one`: it is a staticmethod; write it as a method with self",
        "tool `two`: it is a staticmethod; write it as a method with self",
        "tool `three`: it is a classmethod; write it as a method with self",
        "tool `four`: it is a partialmethod; write it as a method with self",
        "tool `five`: it yields; a tool has one result, so let it return",
        "tool `six`: it yields; a tool has one result, so let it return",
    ]


def test_what_cannot_be_marked_at_all() -> None:
    with pytest.raises(DeclarationRefused, match=r"^@tool is refused: it stands above a property; write it above a "):
        tool(property(lambda self: 1))
    with pytest.raises(DeclarationRefused, match=r"^@tool is refused: it was given 'book'; give a tool another name "):
        tool("book")
    with pytest.raises(TypeError, match="unexpected keyword argument 'stages'"):
        tool(stages="open")


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), True, "5", 10**400])
def test_a_timeout_out_of_range(timeout: Any) -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(timeout=timeout)
            def one(self) -> None: ...

    (problem,) = problems(make)
    assert problem.startswith("tool `one`: timeout is ")
    assert problem.endswith("; write a positive number of seconds")


@pytest.mark.parametrize("preview", [0, -1, True, 1.5, "5"])
def test_a_preview_out_of_range(preview: Any) -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(preview=preview)
            def one(self) -> list[int]: ...

    assert problems(make) == [f"tool `one`: preview is {preview!r}; write how many rows the model reads, 1 or more"]


def test_a_preview_of_what_is_no_list() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(preview=3)
            def one(self) -> dict[str, int]: ...

    assert problems(make) == ["tool `one`: preview counts the rows of a list, and dict[str, int] is none; leave it out"]


def test_an_effect_that_is_none() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(effect="delete")
            def one(self) -> None: ...

    assert problems(make) == ["tool `one`: effect is 'delete'; write 'read', 'write' or 'irreversible'"]


async def _ask_later(agent: Any, slot: str) -> str:
    return slot


@pytest.mark.parametrize(
    ("confirm", "problem"),
    [
        ("", "confirm is empty; write what the caller is asked"),
        (True, "confirm is True; write the question, as in confirm='Shall I book {slot}?'"),
        (
            "Shall I book {}?",
            "confirm is no template: each place in it has a name, as in {slot}; write the question, as in "
            "confirm='Shall I book {slot}?'",
        ),
        (
            "Shall I book {slt}?",
            "confirm names {slt}, which is no argument and no field; did you mean `slot`?; there are slot, people",
        ),
        (_ask_later, "confirm is async; it is asked while nothing else happens, so let it wait for nothing"),
        (lambda agent: "", "confirm takes other arguments than the tool; write `def question(self, slot)`"),
    ],
)
def test_a_question_that_could_not_be_put(confirm: Any, problem: str) -> None:
    def make() -> None:
        class Desk(Agent):
            people: int = 2

            @tool(confirm=confirm)
            def book(self, slot: str) -> None: ...

    assert problems(make) == [f"tool `book`: {problem}"]


@pytest.mark.parametrize("confirm", ["Shall I book {slot} for {people}?", "Shall I book {slot.upper}?", "Shall I?"])
def test_a_question_over_arguments_and_state(confirm: str) -> None:
    class Desk(Agent):
        people: int = 2

        @tool(confirm=confirm)
        def book(self, slot: str) -> None: ...

    assert Desk.__declaration__.tools[0].spec.confirm == confirm


def test_the_answering_tool_has_a_name_of_its_own() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool
            def answer_confirmation(self) -> None: ...

    assert problems(make) == [
        "tool `answer_confirmation`: `answer_confirmation` is the tool by which a model says what the caller "
        "confirmed; rename yours"
    ]


class _AsyncQuestion:
    async def __call__(self, agent: Any) -> bool:
        return True


async def _async_question(agent: Any) -> bool:
    return True


async def _async_answers(agent: Any) -> AsyncIterator[bool]:
    yield True


@pytest.mark.parametrize(
    "when", [_async_question, _AsyncQuestion(), _async_answers, functools.partial(_async_question)]
)
def test_an_async_when(when: Any) -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(when=when)
            def one(self) -> None: ...

    assert problems(make) == [
        "tool `one`: when is async; it is asked before every request, so let it read the state and wait for nothing"
    ]


@pytest.mark.parametrize(
    ("annotation", "named", "reason"),
    [
        (Optional, "Optional", ""),
        (Union, "Union", ""),
        (Literal, "Literal", ""),
        (Literal[()], "Literal[]", ""),
        ((int, str), "(<class 'int'>, <class 'str'>)", ""),
        ({"a": int}, "{'a': <class 'int'>}", ""),
        (Final, "Final", " (Final is for attributes; write the type of the value)"),
        (Final[int], "Final[int]", " (Final is for attributes; write int)"),
        (ClassVar[int], "ClassVar[int]", " (ClassVar is for attributes; write int)"),
    ],
)
def test_a_parameter_whose_annotation_is_no_type(annotation: Any, named: str, reason: str) -> None:
    def one(self: Any, x: Any) -> None: ...

    one.__annotations__["x"] = annotation

    def make() -> None:
        type("Desk", (Agent,), {"one": tool(one), "count": "none", "__annotations__": {"count": int}})

    field, parameter = problems(make)
    assert field.startswith("field `count` opens with")
    assert parameter == (
        f"tool `one`: parameter `x` is of type {named}, for which no JSON Schema exists{reason}; use a builtin, a "
        "dataclass, a TypedDict, an Enum, a Literal or a pydantic model"
    )


def _yielding_question(agent: Any) -> Iterator[bool]:
    yield False


class _YieldingQuestion:
    def __call__(self, agent: Any) -> Iterator[bool]:
        yield False


@pytest.mark.parametrize("when", [_yielding_question, _YieldingQuestion(), functools.partial(_yielding_question)])
def test_a_when_that_yields(when: Any) -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(when=when)
            def one(self) -> None: ...

    assert problems(make) == [
        "tool `one`: when yields, and a generator always counts as a yes; let it return whether the tool is visible"
    ]


def test_a_when_that_cannot_be_asked() -> None:
    def make() -> None:
        class Desk(Agent):
            @tool(when="slots")
            def one(self) -> None: ...

            @tool(when=lambda: True)
            def two(self) -> None: ...

            @tool(when=lambda a, b: True)
            def three(self) -> None: ...

            @tool(when=bool)
            def fine(self) -> None: ...

    assert problems(make) == [
        "tool `one`: when is 'slots'; write a question to the agent, as in when=lambda a: a.slots",
        "tool `two`: when takes one argument, the agent, as in when=lambda a: a.slots",
        "tool `three`: when takes one argument, the agent, as in when=lambda a: a.slots",
    ]


def test_pii_that_names_nothing() -> None:
    @dataclasses.dataclass
    class Owner:
        name: str
        phones: list[str]

    def make() -> None:
        class Desk(Agent):
            @tool(pii=("nam", "result.name"))
            def one(self, name: str) -> Owner | None: ...

            @tool(pii=("result.phone", "result.phones.mobile"))
            def two(self) -> list[Owner]: ...

            @tool(pii=5)
            def three(self) -> None: ...

            @tool(pii=("", 5))
            def four(self) -> None: ...

            @tool(pii="result")
            def five(self, result: str) -> None: ...

            @tool(pii="result.")
            def six(self) -> Owner: ...

    part = "no such part"
    which = "which is no parameter of it, nor 'result' or a path in it such as 'result.phone'"
    assert problems(make) == [
        f"tool `one`: pii names 'nam', {which}; did you mean `name`?",
        f"tool `two`: pii names 'result.phone', but list[Owner] has {part}",
        f"tool `two`: pii names 'result.phones.mobile', but list[Owner] has {part}",
        "tool `three`: pii is 5; write the names of parameters, as in pii=('phone',)",
        f"tool `four`: pii names '', {which}",
        f"tool `four`: pii names 5, {which}",
        "tool `five`: pii names `result`, which is a parameter and the result; rename the parameter",
        f"tool `six`: pii names 'result.', but Owner has {part}",
    ]


# --- settings and hooks -----------------------------------------------------------------------------------------------


def test_settings_that_are_none() -> None:
    def make() -> None:
        class Desk(Agent):
            limits = 5
            model = 7
            rules = ("a", 5)
            knowledge: ClassVar[Any] = {"a": 1}
            fallback_line = " "

    assert problems(make) == [
        "`limits` is 5; write a Limits, as in `limits = Limits(tool_s=10)`",
        "`model` is 7; write the model's name, as in `model = 'openai:gpt-5'`, or None",
        "`rules` is ('a', 5); write one text, or a tuple of texts",
        "`knowledge` is {'a': 1}; write one text, or a tuple of texts",
        "`fallback_line` is ' '; write a line that can be spoken",
    ]


def test_settings_as_they_are_written() -> None:
    class Desk(Agent):
        limits = Limits(tool_s=5)
        model = "openai:gpt-5"
        rules = ("Be kind.", "Be brief.")
        knowledge: ClassVar[str] = "Open from nine to five."
        fallback_line = "Sorry?"

    assert Desk().limits.tool_s == 5
    assert not Desk.__declaration__.fields


def test_hooks_that_could_not_be_called() -> None:
    def make() -> None:
        class Desk(Agent):
            async def render(self) -> str:
                return ""

            def on_event(self, name: str) -> None: ...

            on_call = 5

            @staticmethod
            def on_end(reason: str) -> None: ...

    found = problems(make)
    assert found[0] == (
        "`render` is async, but asked before every request, so it may wait for nothing; write `def render(self)`"
    )
    assert found[1] == "`on_event` is called with other arguments than it takes; write `def on_event(self, name, data)`"
    assert found[2] == "`on_call` is 5, but a method of every Agent; write `def on_call(self)`"
    assert found[3].endswith(", but a method of every Agent; write `def on_end(self, reason)`")


def test_hooks_may_be_async_and_take_more() -> None:
    class Desk(Agent):
        async def on_call(self) -> None: ...

        async def on_event(self, name: str, data: dict[str, Any], more: int = 0) -> None: ...

        def on_end(self, *args: Any) -> None: ...

    Desk()


def test_limits_that_are_no_positive_numbers() -> None:
    with pytest.raises(DeclarationRefused) as refused:
        Limits(model_requests=0, tool_s=float("inf"), identical_calls=True, exchanges=1.5, turn_s="5")
    assert refused.value.problems == (
        "`model_requests` is 0; write a positive integer",
        "`identical_calls` is True; write a positive integer",
        "`tool_s` is inf; write a positive number",
        "`turn_s` is '5'; write a positive number",
        "`exchanges` is 1.5; write a positive integer",
    )


# --- instances --------------------------------------------------------------------------------------------------------


def test_the_base_itself_makes_no_instances() -> None:
    with pytest.raises(CuelightError, match="Agent is a base: subclass it"):
        Agent()


def test_a_dataclass_decorator_is_refused() -> None:
    @dataclasses.dataclass
    class Desk(Agent):
        count: int = 0

    with pytest.raises(DeclarationRefused, match="it is decorated with @dataclass; leave that out"):
        Desk()


def test_arguments_without_an_init_are_refused_not_ignored() -> None:
    class Desk(Agent):
        count: int = 0

    for arguments, options in (((1,), {}), ((), {"count": 1})):
        with pytest.raises(CuelightError, match="Desk has no __init__ and takes no arguments"):
            Desk(*arguments, **options)
