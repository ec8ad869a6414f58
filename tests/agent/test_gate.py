"""The gate: which tools are visible, computed from the state, in the order they are declared; in doubt, hidden."""

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, tool
from cuelight.agent import visible
from cuelight.testing import Script, calls
from lawbook import datas, errors, rehearsing, results

STAGES = ("a", "b", "c")


class Clinic(Agent):
    """Like the example of the documentation that stages come from."""

    stage: Literal["identify", "choose", "book", "done"] = "identify"
    slots: list[str] = []
    owner: str | None = None

    @property
    def identified(self) -> bool:
        return self.owner is not None

    @tool(stage="identify")
    def find(self, name: str) -> None:
        self.owner, self.stage = name, "choose"

    @tool(stage=("choose", "book"))
    def free_slots(self) -> None:
        self.slots, self.stage = ["nine"], "book"

    @tool(stage="book", when=lambda a: len(a.slots) > 0)
    def book(self, slot: str) -> None:
        self.slots.remove(slot)

    @tool
    def help(self) -> None: ...

    @tool(when=lambda a: a.identified)
    def goodbye(self) -> None:
        self.stage = "done"


def test_stage_and_when_must_both_hold() -> None:
    clinic = Clinic()
    assert visible(clinic).names == ("find", "help")
    clinic.stage = "book"
    assert visible(clinic).names == ("free_slots", "help")
    clinic.slots.append("nine")
    clinic.owner = "Ada"
    assert visible(clinic).names == ("free_slots", "book", "help", "goodbye")
    clinic.stage = "done"
    assert visible(clinic).names == ("help", "goodbye")
    assert not visible(clinic).failures


def test_a_gate_finds_its_tools_by_name() -> None:
    gate = visible(Clinic())
    found = gate.find("find")
    assert found is not None
    assert found.function is Clinic.find
    assert gate.find("book") is None
    assert gate.find("no such tool") is None


def test_the_same_name_in_two_stages_is_two_tools() -> None:
    class Desk(Agent):
        stage: Literal["a", "b"] = "a"

        @tool(stage="a", name="confirm")
        def confirm_a(self) -> str:
            return "a"

        @tool(stage="b", name="confirm")
        def confirm_b(self, why: str) -> str:
            return "b"

    desk = Desk()
    first = visible(desk).find("confirm")
    desk.stage = "b"
    second = visible(desk).find("confirm")
    assert first is not None
    assert second is not None
    assert (first.function, second.function) == (Desk.confirm_a, Desk.confirm_b)
    assert list(second.spec.parameters["properties"]) == ["why"]


async def test_of_two_tools_of_one_name_that_of_the_stage_runs_with_its_own_arguments() -> None:
    class Desk(Agent):
        stage: Literal["a", "b"] = "a"
        ran: list[str] = []

        @tool(stage="a", name="confirm")
        def confirm_a(self) -> str:
            self.ran.append("a")
            self.stage = "b"
            return "first"

        @tool(stage="b", name="confirm", pii="why")
        def confirm_b(self, why: str) -> str:
            self.ran.append(why)
            return "second"

    script = Script(calls("confirm"), calls("confirm"), calls("confirm", why="because"), "Done.")
    async with rehearsing(Desk, script) as call:
        await call.say("go")
        assert call.agent.ran == ["a", "because"]
        told = results(call.log)
        assert [result.get("output") for result in told] == ["first", None, "second"]
        assert "`why` is missing" in told[1]["error"]
        assert [data["arguments"] for data in datas(call.log, "tool.call")] == [{}, {}, {"why": "[private]"}]


async def test_every_request_has_the_tools_of_the_moment() -> None:
    script = Script(
        calls("find", name="Ada"), calls("free_slots"), calls("book", slot="nine"), calls("goodbye"), "Bye."
    )
    async with rehearsing(Clinic, script) as call:
        await call.say("hello")
        assert [request.tools for request in call.requests] == [
            ["find", "help"],
            ["free_slots", "help", "goodbye"],
            ["free_slots", "book", "help", "goodbye"],
            ["free_slots", "help", "goodbye"],
            ["help", "goodbye"],
        ]
        assert [data["visible"] for data in datas(call.log, "tools.changed")] == [r.tools for r in call.requests]


class Doubtful(Agent):
    answer: int = 0

    @tool(when=lambda a: [lambda: True, lambda: 1 / 0, list, lambda: "yes"][a.answer]())
    def doubtful(self) -> str:
        return "ran"

    @tool
    def set(self, answer: int) -> None:
        self.answer = answer


async def test_a_when_that_raises_hides_its_tool_and_is_told_once_until_it_recovers() -> None:
    answers = (1, 1, 3, 1, 2)
    script = Script(*[item for answer in answers for item in (calls("set", answer=answer), "ok")])
    async with rehearsing(Doubtful, script) as call:
        seen = []
        for _ in answers:
            await call.say("go")
            seen.append(call.state.tools_visible)
        assert seen == [["set"], ["set"], ["doubtful", "set"], ["set"], ["set"]]
        told = datas(call.log, "error")
        assert [data["code"] for data in told] == ["when-raised", "when-raised"]
        assert told[0]["message"].startswith(
            "The `when` of tool `doubtful` raised, so the tool is hidden: ZeroDivisionEr"
        )
        assert told[0]["recoverable"]


async def test_a_when_that_raises_at_the_opening_hides_its_tool_from_the_first_request() -> None:
    async with rehearsing(Doubtful, Script(calls("doubtful"), "ok"), state={"answer": 1}) as call:
        assert call.state.tools_visible == ["set"]
        assert errors(call.log) == ["when-raised"]
        await call.say("go")
        assert call.requests[0].tools == ["set"]
        assert "doubtful" not in results(call.log)[0]["error"]


async def test_a_when_that_gives_something_to_be_awaited_hides_its_tool() -> None:
    async def ready() -> bool:
        return True

    class Desk(Agent):
        @tool(when=lambda a: ready())
        def one(self) -> None: ...

    gate = visible(Desk())
    assert gate.names == ()
    ((name, error),) = gate.failures
    assert (name, str(error)) == (
        "one", "it gave something to be awaited, which would always count as a yes; let it wait for nothing"
    )  # fmt: skip


def test_an_answer_without_a_truth_value_hides_its_tool() -> None:
    class Torn:
        def __bool__(self) -> bool:
            raise ValueError("neither")

    class Desk(Agent):
        @tool(when=lambda a: Torn())
        def one(self) -> None: ...

    assert visible(Desk()).names == ()
    assert [name for name, _ in visible(Desk()).failures] == ["one"]


def test_a_when_may_be_any_callable_of_one_argument() -> None:
    class Question:
        def __call__(self, agent: Any) -> bool:
            return bool(agent.slots)

    class Desk(Agent):
        slots: list[int] = []

        def _open(self) -> bool:
            return True

        @tool(when=_open)
        def one(self) -> None: ...

        @tool(when=Question())
        def two(self) -> None: ...

    assert visible(Desk()).names == ("one",)


# --- against a naive reading ------------------------------------------------------------------------------------------

TOOL = st.tuples(
    st.none() | st.sampled_from(STAGES) | st.lists(st.sampled_from(STAGES), min_size=1, unique=True),
    st.none() | st.integers(-2, 2) | st.just("raises"),
)


@given(tools=st.lists(TOOL, max_size=6), stage=st.sampled_from(STAGES), n=st.integers(-3, 3))
@settings(max_examples=60, deadline=None)
def test_the_gate_is_what_a_naive_reading_says(tools: list[tuple[Any, Any]], stage: str, n: int) -> None:
    def question(limit: Any) -> Any:
        if limit is None:
            return None
        if limit == "raises":
            return lambda agent: 1 / 0
        return lambda agent: agent.n > limit

    body: dict[str, Any] = {
        "__annotations__": {"stage": Literal["a", "b", "c"], "n": int},
        "stage": "a",
        "n": 0,
        "__module__": __name__,
    }
    for index, (stages, limit) in enumerate(tools):

        def method(self: Any) -> None: ...

        body[f"tool_{index}"] = tool(stage=stages, when=question(limit))(method)
    agent: Any = type("Random", (Agent,), body)()
    agent.stage, agent.n = stage, n
    expected, failing = [], []
    for index, (stages, limit) in enumerate(tools):
        in_stage = stages is None or stage in ([stages] if isinstance(stages, str) else stages)
        if in_stage and limit == "raises":
            failing.append(f"tool_{index}")
        elif in_stage and (limit is None or n > limit):
            expected.append(f"tool_{index}")
    gate = visible(agent)
    assert list(gate.names) == expected
    assert [name for name, _ in gate.failures] == failing
    assert (agent.stage, agent.n) == (stage, n)


@pytest.mark.parametrize("stages", [("b", "a"), ["a", "b"], {"a", "b"}, frozenset({"b", "a"})])
def test_stages_may_come_in_any_collection(stages: Any) -> None:
    class Desk(Agent):
        stage: Literal["a", "b", "c"] = "a"

        @tool(stage=stages)
        def one(self) -> None: ...

    assert set(Desk.__declaration__.tools[0].stages or ()) == {"a", "b"}
    assert visible(Desk()).names == ("one",)


def _yields(agent: Any) -> Any:
    yield False


async def _yields_later(agent: Any) -> Any:
    yield False


@pytest.mark.parametrize(
    "answer",
    [lambda a: _yields(a), lambda a: _yields_later(a), lambda a: (slot for slot in a.slots), lambda a: iter(a.slots)],
)
def test_a_when_that_gives_something_to_walk_hides_its_tool(answer: Any) -> None:
    class Desk(Agent):
        slots: list[str] = []

        @tool(when=answer)
        def one(self) -> None: ...

    gate = visible(Desk())
    assert not gate.names
    ((name, error),) = gate.failures
    assert name == "one"
    assert "always count as a yes" in str(error)
