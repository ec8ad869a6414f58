"""What a class has that inherits, mixes in, overrides: Python's own rules hold, for fields, tools and properties."""

import abc
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar

import pytest

from cuelight import Agent, DeclarationRefused, UndeclaredField, state, tool
from cuelight.agent import visible


def tools_of(cls: type[Agent]) -> list[str]:
    return [tool.name for tool in cls.__declaration__.tools]


def fields_of(cls: type[Agent]) -> list[str]:
    return list(cls.__declaration__.fields)


class Desk(Agent):
    """The desk."""

    stage: Literal["open", "shut"] = "open"
    count: int = 1
    slots: list[str] = ["nine"]

    @property
    def busy(self) -> bool:
        return self.count > 3

    @tool(stage="open")
    def book(self, slot: str) -> str:
        """Books."""
        return f"{slot} of {self.count}"

    @tool
    def close(self) -> None:
        self.stage = "shut"


# --- what is state and what is not ------------------------------------------------------------------------------------


def test_public_annotated_attributes_are_fields_and_nothing_else_is() -> None:
    class Everything(Agent):
        a: int = 1
        b: str | None = None
        c: list[int] = state([1], pii=True)
        optional: str | None
        _private: int = 2
        SHARED: ClassVar[list[int]] = [1]
        BARE: ClassVar = 5
        FIXED: Final = "x"
        FIXED_TOO: Final[int] = 5
        constant = 7
        words = ("a", "b")

        def method(self) -> None: ...

        class Inner: ...

    assert fields_of(Everything) == ["a", "b", "c", "optional"]
    assert Everything().optional is None
    assert Everything.SHARED == [1]


def test_a_stage_without_a_value_opens_at_its_first() -> None:
    class Bare(Agent):
        stage: Literal["first", "second"]

    class Later(Agent):
        stage: Literal["first", "second"] = "second"

    assert Bare().stage == "first"
    assert Later().stage == "second"


def test_slots_of_a_class_may_be_named_like_fields() -> None:
    class Slotted(Agent):
        __slots__ = ("_service", "count")
        count: int | None

        def __init__(self) -> None:
            self._service = "s"

    slotted = Slotted()
    slotted.count = 5
    assert (slotted.count, slotted._service) == (5, "s")


# --- inheritance ------------------------------------------------------------------------------------------------------


def test_a_subclass_has_the_fields_tools_and_properties_of_its_base_first() -> None:
    class Night(Desk):
        bell: bool = False

        @tool
        def ring(self) -> None: ...

    assert fields_of(Night) == ["stage", "count", "slots", "bell"]
    assert tools_of(Night) == ["book", "close", "ring"]
    assert list(Night.__declaration__.derived) == ["busy"]
    night = Night()
    night.count = 5
    assert night.busy
    assert fields_of(Desk) == ["stage", "count", "slots"]


def test_a_subclass_gives_an_inherited_field_another_opening_value() -> None:
    class Night(Desk):
        count = 9
        slots: list[str] = ["ten"]

    class Later(Night):
        count = 10

    assert (Desk().count, Night().count, Later().count) == (1, 9, 10)
    assert (Desk().slots, Later().slots) == (["nine"], ["ten"])
    assert fields_of(Later) == ["stage", "count", "slots"]


def test_a_new_opening_value_keeps_what_the_field_was_told() -> None:
    class Private(Agent):
        name: str = state("", pii=True, was="called")
        other: str = state("x", visibility="public")

    class Sub(Private):
        name = "Ada"
        other = state(pii=True)

    name, other = Sub.__declaration__.fields["name"], Sub.__declaration__.fields["other"]
    assert (name.pii, name.was, Sub().name) == (True, ("called",), "Ada")
    assert (other.pii, other.visibility, Sub().other) == (True, "tenant", "x")


def test_an_inherited_field_stays_one() -> None:
    with pytest.raises(TypeError, match="`count` is a field that Night inherits, so it cannot be a constant"):

        class Night(Desk):
            count: ClassVar[int] = 5


def test_a_new_opening_value_must_fit() -> None:
    with pytest.raises(TypeError, match="field `count` opens with 'many', which does not fit int"):

        class Night(Desk):
            count = "many"


def test_a_subclass_changes_the_type_of_a_field() -> None:
    class Night(Desk):
        count: int | None = None

    assert Night().count is None
    Desk().count = 2


def test_a_subclass_may_have_more_stages_or_fewer_that_no_tool_needs() -> None:
    class More(Desk):
        stage: Literal["open", "shut", "night"] = "night"

    class Fewer(Desk):
        stage: Literal["open"] = "open"

        @tool
        def close(self) -> None: ...

    assert More().stage == "night"
    assert visible(More()).names == ("close",)
    assert visible(Fewer()).names == ("book", "close")


def test_an_overridden_tool_keeps_its_place_and_runs_the_new_code() -> None:
    class Night(Desk):
        @tool(stage="shut")
        def book(self, slot: str, why: str = "") -> str:
            """Books at night."""
            return super().book(slot) + why

    assert tools_of(Night) == ["book", "close"]
    (book, _) = Night.__declaration__.tools
    assert book.stages == ("shut",)
    assert list(book.arguments.parameters) == ["slot", "why"]
    assert book.spec.description == "Books at night."
    assert Night().book("ten", "!") == "ten of 1!"


def test_an_overriding_tool_without_a_docstring_is_described_by_the_one_it_overrides() -> None:
    class Day(Agent):
        @tool
        def book(self, slot: str, why: str) -> None:
            """Books a slot.

            Args:
                slot: its name.
                why: the reason.
            """

    class Night(Day):
        @tool
        def book(self, slot: str) -> None: ...  # type: ignore[override]

    class Late(Night):
        @tool
        def book(self, slot: str) -> None: ...  # type: ignore[override]

    class Own(Day):
        @tool
        def book(self, slot: str) -> None:  # type: ignore[override]
            """Books at once."""

    for cls in (Night, Late):
        (book,) = cls.__declaration__.tools
        assert book.spec.description == "Books a slot."
        assert book.spec.parameters["properties"] == {"slot": {"type": "string", "description": "its name."}}
    (book,) = Own.__declaration__.tools
    assert book.spec.description == "Books at once."
    assert book.spec.parameters["properties"] == {"slot": {"type": "string"}}


def test_a_property_takes_the_place_of_an_inherited_one_and_may_be_made_a_field() -> None:
    class Night(Desk):
        @property
        def busy(self) -> bool:
            return True

    class Plain(Desk):
        busy: bool = False

    class Bare(Desk):
        busy: bool | None

    assert Night().busy is True
    for cls, opening in ((Plain, False), (Bare, None)):
        assert cls().busy is opening
        assert "busy" in cls.__declaration__.fields
        assert "busy" not in cls.__declaration__.derived


def test_a_class_that_declares_nothing_is_as_its_base() -> None:
    class Same(Desk):
        pass

    assert Same.__declaration__.fields is not None
    assert tools_of(Same) == tools_of(Desk)
    assert Same().book("nine") == "nine of 1"


# --- mixing in --------------------------------------------------------------------------------------------------------


class Notes:
    """Takes notes; a plain class."""

    notes: list[str] = []

    @property
    def noted(self) -> bool:
        return bool(self.notes)

    @tool(stage="open")
    def note(self, text: str) -> None:
        """Notes."""
        self.notes.append(text)


def test_a_plain_class_gives_fields_tools_and_properties() -> None:
    class Night(Notes, Desk):
        pass

    assert set(fields_of(Night)) == {"stage", "count", "slots", "notes"}
    assert tools_of(Night) == ["book", "close", "note"]
    assert set(Night.__declaration__.derived) == {"busy", "noted"}
    one, other = Night(), Night()
    one.note("hello")
    assert one.noted
    assert not other.noted
    assert Notes.notes == []


def test_what_a_mixed_in_class_declares_wrongly_is_refused_and_says_where() -> None:
    class Bad:
        seen = []

        @tool
        def one(self, x) -> None: ...

    with pytest.raises(TypeError) as refused:

        class Night(Bad, Desk):
            pass

    assert "tool `one` of Bad: parameter `x` has no type" in str(refused.value)
    assert "`seen` is a list that all calls would share" in str(refused.value)


def test_a_plain_class_may_leave_the_opening_value_of_its_field_to_the_class_it_is_mixed_into() -> None:
    class Counted:
        count: int
        total: int

    class Halls(Counted, Agent):
        count: int = 1
        total = 2

    assert (Halls().count, Halls().total) == (1, 2)
    assert fields_of(Halls) == ["count", "total"]

    class Held(Agent):
        count: int = 3
        total: int = 4

    class Both(Held, Counted):
        pass

    assert (Both().count, Both().total) == (3, 4)
    with pytest.raises(DeclarationRefused, match="`total` has no value to open with") as refused:

        class Half(Counted, Agent):
            count = 1
            total: int

    assert len(refused.value.problems) == 1


def test_a_mixed_in_tool_that_names_a_stage_the_class_lacks() -> None:
    with pytest.raises(TypeError, match="The tool comes from Notes: keep 'open' in the Literal, or override the tool"):

        class Night(Notes, Agent):
            stage: Literal["dark"] = "dark"


def test_the_order_of_bases_decides_as_it_does_in_python() -> None:
    class Base(Agent):
        x: int = 1

        @tool
        def who(self) -> str:
            return "base"

    class Left(Base):
        x = 2

    class Right(Base):
        y: int = 0

        @tool
        def who(self) -> str:
            return "right"

    class Both(Right, Left):
        pass

    class Other(Left, Right):
        pass

    assert (Both().x, Other().x) == (2, 2)
    assert (Both().who(), Other().who()) == ("right", "right")
    for cls in (Both, Other):
        assert cls.__declaration__.tools[0].function is Right.who
        assert cls.__declaration__.fields["x"] is cls.x

    class Mixin:
        x = 7

    class Mixed(Mixin, Base):
        pass

    class Under(Base, Mixin):
        pass

    assert (Mixed().x, Under().x) == (7, 1)


def _look(self: Any, slot: str = "") -> str:
    """Looks."""
    return slot


def test_a_function_from_elsewhere_is_a_tool_under_the_name_it_has_in_the_class() -> None:
    class Night(Agent):
        look = tool(name="look_again")(_look)

        @tool
        def other(self) -> None: ...

    look, other = Night.__declaration__.tools
    assert (look.name, look.method, other.name) == ("look_again", "look", "other")
    assert look.spec.description == "Looks."


def test_a_function_that_makes_methods_may_use_a_name_again() -> None:
    made = []
    for word in ("a", "b"):

        @tool(name=word)
        def say(self: Any) -> None: ...

        made.append(say)
    cls = type("Night", (Agent,), {"one": made[0], "two": made[1], "__module__": __name__})
    assert tools_of(cls) == ["a", "b"]


def test_abstract_and_generic_classes() -> None:
    T = TypeVar("T")

    class Shop(Agent, abc.ABC, Generic[T]):
        basket: list[str] = []

        @property
        @abc.abstractmethod
        def total(self) -> int: ...

    class Bakery(Shop[int]):
        @property
        def total(self) -> int:
            return len(self.basket)

    with pytest.raises(TypeError, match="abstract"):
        Shop()
    bakery = Bakery()
    bakery.basket.append("loaf")
    assert bakery.total == 1


def test_a_class_takes_keywords_of_its_bases() -> None:
    class Registered(Agent):
        known: ClassVar[dict[str, type]] = {}

        def __init_subclass__(cls, slug: str, **rest: Any) -> None:
            super().__init_subclass__(**rest)
            cls.known[slug] = cls

    class Bakery(Registered, slug="bakery"):
        n: int = 1

    assert Registered.known == {"bakery": Bakery}
    assert fields_of(Bakery) == ["n"]


# --- instances --------------------------------------------------------------------------------------------------------


def test_services_come_in_through_an_init_without_super() -> None:
    class Served(Agent):
        name: str = "nobody"
        seen: list[str] = []

        def __init__(self, registry: dict[str, str], *, first: str) -> None:
            self._registry = registry
            self.name = registry[first]
            self.seen.append(first)

    served = Served({"a": "Ada"}, first="a")
    assert (served.name, served.seen, served._registry) == ("Ada", ["a"], {"a": "Ada"})
    with pytest.raises(UndeclaredField):
        served.registry = {}


def test_class_access_gives_the_field_itself() -> None:
    assert repr(Desk.count) == "<field count: int>"
    assert repr(Desk.__declaration__.tools[0]) == "<tool book>"
    with pytest.raises(AttributeError, match=r"Desk.count is state and cannot be deleted; write a value."):
        del Desk().count
