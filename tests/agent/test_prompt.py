"""The prompt: a static part that is byte-identical for a whole call, and a view that belongs to one request."""

import abc
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, tool
from cuelight.agent import delimit, static_blocks, static_text
from cuelight.flow import course_of, hidden_mentions
from cuelight.testing import Script, calls, rehearse
from lawbook import datas, errors, rehearsing, run


class Desk(Agent):
    """You are the front desk of Harbour Vets.

    Warm, brief.
    """

    rules = ("Never promise a price.", "Ask one thing at a time.")
    knowledge = """
        Open from nine to five.
          Closed on Sundays.
    """

    stage: Literal["a", "b", "c"] = "a"
    count: int = 0
    words: str = ""

    @tool(stage="a")
    def first(self) -> None:
        """Does the first thing.

        Only once.
        """

    @tool(stage=("b", "c"), when=lambda a: a.count > 1)
    def second(self, day: str) -> None:
        """Does the second.

        Args:
            day: when.
        """

    @tool
    def move(self, to: Literal["a", "b", "c"]) -> None:
        self.stage = to
        self.count += 1

    @tool(name="say_more")
    def more(self, words: str) -> None:
        """Says more."""
        self.words = words

    def render(self) -> str:
        return f"""
            Stage {self.stage}, count {self.count}.
            {self.words}
        """


def test_the_static_blocks() -> None:
    blocks = {block.name: block.text for block in static_blocks(Desk())}
    assert list(blocks) == ["identity", "knowledge", "tools"]
    assert blocks["identity"] == (
        "You are the front desk of Harbour Vets.\n\nWarm, brief.\n\n- Never promise a price.\n"
        "- Ask one thing at a time."
    )
    assert blocks["knowledge"] == "Open from nine to five.\n  Closed on Sundays."
    assert blocks["tools"].splitlines()[1:] == [
        "- first: Does the first thing. Only once.",
        "- second: Does the second.",
        "- move: no description",
        "- say_more: Says more.",
    ]
    assert static_text(static_blocks(Desk())) == "\n\n".join(blocks.values())


def test_blocks_without_words_are_left_out() -> None:
    class Bare(Agent):
        pass

    class Tools(Agent):
        @tool
        def one(self) -> None: ...

    assert static_blocks(Bare()) == ()
    assert [block.name for block in static_blocks(Tools())] == ["tools"]


def test_the_docstring_is_that_of_the_nearest_agent_and_of_nothing_mixed_in() -> None:
    class Mixin:
        """Helpers of a developer."""

    class Night(Mixin, abc.ABC, Desk):
        pass

    class Nameless(Mixin, Agent):
        pass

    class Own(Desk):
        """You are on the night shift."""

    assert static_blocks(Night())[0].text.startswith("You are the front desk")
    assert static_blocks(Nameless()) == ()
    assert static_blocks(Own())[0].text.startswith("You are on the night shift.\n\n- Never promise")


def test_rules_may_be_one_text() -> None:
    class Strict(Agent):
        rules = "Never swear."
        knowledge = ("One.", "Two.")

    assert [block.text for block in static_blocks(Strict())] == ["Never swear.", "- One.\n- Two."]


def test_the_view_is_what_render_says_of_the_state_as_it_is() -> None:
    desk = Desk()
    assert course_of(desk).view() == ("Stage a, count 0.", ())
    desk.count = 5
    assert course_of(desk).view() == ("Stage a, count 5.", ())
    assert course_of(type("Bare", (Agent,), {"__module__": __name__})()).view() == ("", ())


def test_the_view_is_delimited_and_its_words_cannot_end_it() -> None:
    assert delimit("") == ""
    assert delimit("", "") == ""
    assert delimit("Stage a.") == "<now>\nStage a.\n</now>"
    assert delimit("Stage a.", "", "Be brief.") == "<now>\nStage a.\n\nBe brief.\n</now>"
    inside = delimit("They said </now> and </NOW><now>.").removeprefix("<now>\n").removesuffix("\n</now>")
    assert "now>" not in inside.lower()


def test_a_view_that_speaks_of_a_hidden_tool_is_noticed() -> None:
    class Told(Agent):
        stage: Literal["a", "b"] = "a"
        text: str = ""

        @tool(stage="b")
        def book(self) -> None: ...

        @tool(stage="b")
        def look_up(self) -> None: ...

        @tool
        def help(self) -> None: ...

        def render(self) -> str:
            return self.text

    told = Told()
    for text, mentions in (
        ("They want to book a room. Use `help`.", ()),
        ("Call `book`, after look_up.", ("book", "look_up")),
        ("Do not look_ups.", ()),
    ):
        told.text = text
        assert hidden_mentions(told) == mentions
    told.text, told.stage = "Call `book`, after look_up.", "b"
    assert hidden_mentions(told) == ()


async def test_the_view_stands_beside_the_newest_words_of_the_caller_and_nowhere_else() -> None:
    script = Script(calls("move", to="b"), "One.", "Two.", calls("move", to="c"), calls("move", to="a"), "Three.")
    async with rehearsing(Desk, script) as call:
        for words in ("first words", "second words", "third words"):
            await call.say(words)
        for request in call.requests:
            texts = [message["content"] or "" for message in request.messages]
            holding = [index for index, text in enumerate(texts) if "<now>" in text]
            assert len(holding) == 1
            (at,) = holding
            assert request.messages[at]["role"] == "user"
            assert not [m for m in request.messages[at + 1 :] if m["role"] == "user"]
            words, _, view = texts[at].partition("\n\n<now>\n")
            assert words in ("first words", "second words", "third words")
            assert request.view in texts[at]
            assert view.endswith("\n</now>")
            assert [m["content"] for m in request.messages[:at] if m["role"] == "user"] == [
                "first words", "second words", "third words"
            ][: len([m for m in request.messages[:at] if m["role"] == "user"])]  # fmt: skip
        assert [request.view for request in call.requests] == [
            "Stage a, count 0.", "Stage b, count 1.", "Stage b, count 1.", "Stage b, count 1.", "Stage c, count 2.",
            "Stage a, count 3.",
        ]  # fmt: skip


async def test_without_words_of_a_caller_the_view_is_a_message_of_its_own() -> None:
    class Greeter(Desk):
        def on_call(self) -> None:
            self.call.reply("Greet them.")

    async with rehearsing(Greeter, Script("Hello.", "Fine.")) as call:
        (opening,) = call.requests
        (message,) = opening.messages
        assert message["role"] == "user"
        assert message["content"] == "<now>\nStage a, count 0.\n\nGreet them.\n</now>"
        await call.say("hi")
        assert [m["role"] for m in call.requests[1].messages] == ["assistant", "user"]
        assert "Greet them" not in call.requests[1].messages[1]["content"]


async def test_the_log_holds_hashes_of_the_blocks_and_never_their_text() -> None:
    async with rehearsing(Desk, Script(calls("move", to="b"), "One.", "Two.")) as call:
        await call.say("hello")
        await call.say("again")
        changed = datas(call.log, "prompt.changed")
        assert [data["name"] for data in changed] == ["identity", "knowledge", "tools", "view", "view"]
        for data, block in zip(changed, static_blocks(Desk()), strict=False):
            assert (data["name"], data["chars"]) == (block.name, len(block.text))
            assert len(data["hash"]) == 64
        assert "Harbour Vets" not in str(datas(call.log, "prompt.changed"))


async def test_a_render_that_raises_costs_the_view_and_not_the_turn() -> None:
    class Torn(Desk):
        def render(self) -> str:
            return str(1 / self.count) if self.count < 2 else 5

    script = Script("One.", calls("move", to="b"), "Two.", calls("move", to="c"), "Three.")
    async with rehearsing(Torn, script) as call:
        for words in ("a", "b", "c"):
            await call.say(words)
        assert [request.view for request in call.requests] == ["", "", "1.0", "1.0", ""]
        told = datas(call.log, "error")
        assert [data["code"] for data in told] == ["render-raised", "render-raised"]
        assert "ZeroDivisionError" in told[0]["message"]
        assert "it gives the prompt as text, not as int" in told[1]["message"]


@given(
    walk=st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.text("xyz<>/now", max_size=6)), min_size=1, max_size=6)
)
@settings(max_examples=40, deadline=None)
def test_the_static_part_is_byte_identical_over_any_walk_of_stages(walk: list[tuple[str, str]]) -> None:
    async def rehearsal() -> None:
        items: list[Any] = []
        for to, words in walk:
            items += [[calls("move", to=to), calls("say_more", words=words)], "ok"]
        async with rehearse(Desk, Script(*items)) as call:
            for _ in walk:
                await call.say("go on")
            assert not errors(call.log)
            assert {request.static for request in call.requests} == {static_text(static_blocks(Desk()))}
            for request in call.requests:
                order = [tool.name for tool in Desk.__declaration__.tools]
                assert request.tools == [name for name in order if name in request.tools]
                assert sum((message["content"] or "").count("<now>") for message in request.messages) == 1
            id_, store = call.id, call.store
        async with rehearse(Desk, Script("still here"), store=store, resume=id_) as call:
            await call.say("and now")
            assert call.requests[0].static == static_text(static_blocks(Desk()))

    run(rehearsal())
