"""Private by declaration: arguments, results, parts of results, fields; masked wherever anybody else looks."""

import dataclasses
import logging
from datetime import date
from typing import Any

import pydantic
import pytest

from cuelight import Agent, ToolFailed, state, tool
from cuelight.testing import Script, calls, rehearse
from lawbook import datas, rehearsing, results

MASK = "[private]"


@dataclasses.dataclass
class Owner:
    name: str
    phones: list[str] = dataclasses.field(default_factory=list)
    born: date | None = None


class Account(pydantic.BaseModel):
    iban: str = pydantic.Field(serialization_alias="number")
    owner: Owner


class Desk(Agent):
    """You are the desk."""

    owner: Owner | None = state(None, pii=True)
    limit: int | None = state(None, pii=True)
    note: str = ""
    public: int = 0

    @property
    def greeting(self) -> str:
        return f"Dear {self.owner.name}" if self.owner else "Dear guest"

    @tool(pii=("name", "phone"))
    def look_up(self, name: str, phone: str | None = None, why: str = "") -> str:
        return f"found {name} at {phone}, because {why}"

    @tool(pii="result")
    def balance(self) -> dict[str, Any]:
        return {"amount": 1234.5, "account": ["DE1234567890"]}

    @tool(pii=("result.phones", "result.born"))
    def owners(self) -> list[Owner | None]:
        return [Owner("Ada", ["600123456", "0911 22"], date(2000, 1, 2)), None, Owner("Eve")]

    @tool(pii="result.number")
    def account(self) -> Account:
        return Account(iban="DE99887766", owner=Owner("Ada"))

    @tool(pii="result.accounts.iban")
    def nested(self) -> dict[str, Any]:
        return {"accounts": [{"iban": "DE55554444", "kind": "giro"}, {"kind": "none"}], "total": 2}

    @tool
    def keep(self, name: str, limit: int) -> None:
        self.owner, self.limit = Owner(name, ["600 123 456"]), limit

    @tool
    def write(self, note: str) -> None:
        self.note = note

    @tool(pii="card")
    def charge(self, card: str) -> None:
        raise ValueError(f"cannot charge {card}")

    @tool(pii="card")
    def decline(self, card: str) -> None:
        raise ToolFailed(f"The card {card} was declined.")


async def sinks(*items: Any, say: str = "go", agent: type[Agent] = Desk, **options: Any) -> tuple[Any, str]:
    """Run one turn; give the call, and everything that leaves the store as one text."""
    async with rehearsing(agent, Script(*items), **options) as call:
        await call.say(say)
        return call, str([entry.data for entry in call.log]) + str(call.state)


async def test_private_arguments_are_masked_in_the_log_and_reach_the_handler_and_the_model() -> None:
    call, seen = await sinks(calls("look_up", name="Ada Byrne", phone="600123456", why="a visit"), "ok")
    (made,) = datas(call.log, "tool.call")
    assert made["arguments"] == {"name": MASK, "phone": MASK, "why": "a visit"}
    assert results(call.log)[0]["output"] == f"found {MASK} at {MASK}, because a visit"
    told = call.requests[1].messages
    assert told[-1]["content"] == "found Ada Byrne at 600123456, because a visit"
    assert '"Ada Byrne"' in told[-2]["tool_calls"][0]["arguments"]
    assert "Ada" not in seen
    assert "600123456" not in seen


async def test_an_argument_that_is_absent_or_null_needs_no_mask() -> None:
    call, _ = await sinks([calls("look_up", name="Ada Byrne"), calls("look_up", name="Ada Byrne", phone=None)], "ok")
    assert [data["arguments"] for data in datas(call.log, "tool.call")] == [
        {"name": MASK}, {"name": MASK, "phone": None}
    ]  # fmt: skip


async def test_a_private_result_is_masked_as_a_whole() -> None:
    call, seen = await sinks(calls("balance"), "You have 1234.5 on DE1234567890.")
    assert results(call.log)[0]["output"] == MASK
    assert '"amount":1234.5' in call.requests[1].messages[-1]["content"]
    assert "DE1234567890" not in seen
    assert "1234.5" not in seen


async def test_parts_of_a_result_are_masked_through_lists() -> None:
    call, seen = await sinks(calls("owners"), "Ada has 600-123-456.")
    assert results(call.log)[0]["output"] == [
        {"name": "Ada", "phones": MASK, "born": MASK}, None, {"name": "Eve", "phones": MASK, "born": None}
    ]  # fmt: skip
    for spelled in ("600123456", "600-123-456", "2000-01-02", "0911 22"):
        assert spelled not in seen
    assert "600123456" in call.requests[1].messages[-1]["content"]


async def test_a_path_is_that_of_the_json_which_a_result_becomes() -> None:
    call, _ = await sinks([calls("account"), calls("nested")], "ok")
    account, nested = (data["output"] for data in results(call.log))
    assert account["number"] == MASK
    assert account["owner"]["name"] == "Ada"
    assert nested == {"accounts": [{"iban": MASK, "kind": "giro"}, {"kind": "none"}], "total": 2}
    with pytest.raises(TypeError, match=r"pii names 'result\.iban', but Account has no such part"):

        class Wrong(Agent):
            @tool(pii="result.iban")
            def account(self) -> Account: ...


async def test_private_fields_are_masked_in_the_state_and_in_what_is_derived_from_them() -> None:
    call, seen = await sinks(calls("keep", name="Ada Byrne", limit=98765), "ok")
    assert call.state.app_state == {
        "owner": MASK, "limit": MASK, "note": "", "public": 0, "greeting": f"Dear {MASK}",
    }  # fmt: skip
    assert call.agent.owner == Owner("Ada Byrne", ["600 123 456"])
    for spelled in ("Ada Byrne", "98765", "600 123 456", "600123456"):
        assert spelled not in seen
    assert datas(call.log, "tool.call")[0]["arguments"] == {"name": MASK, "limit": MASK}


async def test_an_empty_private_field_shows_that_it_is_empty() -> None:
    call, _ = await sinks("ok")
    assert call.state.app_state["owner"] is None


async def test_what_a_private_field_opens_with_is_no_secret() -> None:
    class Guest(Agent):
        name: str = state("unknown", pii=True)
        owner: Owner = state(Owner("nobody yet"), pii=True)

        @tool
        def meet(self, phone: str) -> None:
            self.owner.phones.append(phone)

    script = Script("Who are you, unknown guest?", calls("meet", phone="600123456"), "Nobody yet, 600123456.")
    async with rehearsing(Guest, script) as call:
        await call.say("hello")
        await call.say("my number")
        assert call.state.app_state == {"name": MASK, "owner": MASK}
        assert [data["text"] for data in datas(call.log, "turn.agent")] == [
            "Who are you, unknown guest?", f"Nobody yet, {MASK}."
        ]  # fmt: skip


@pytest.mark.parametrize(
    "spelled", ["ada byrne", "ADA  BYRNE", "Ada\nByrne", "600123456", "600 123 456", "(600) 123-456", "+600.123.456"]
)
async def test_a_known_value_is_masked_in_free_text_however_it_is_spelled(spelled: str) -> None:
    opening = {"owner": {"name": "Ada Byrne", "phones": ["600123456"]}}
    _, seen = await sinks(calls("write", note=f"say {spelled}!"), f"So {spelled}.", say=spelled, state=opening)
    assert spelled not in seen
    assert seen.count(MASK) >= 4


async def test_values_of_less_than_four_characters_are_not_masked_in_free_text() -> None:
    call, _ = await sinks(calls("look_up", name="Ada", phone="112"), "Ada, 112.")
    assert datas(call.log, "tool.call")[0]["arguments"] == {"name": MASK, "phone": MASK}
    assert datas(call.log, "turn.agent")[0]["text"] == "Ada, 112."


async def test_what_was_said_before_it_was_known_to_be_private_is_masked_when_it_is_read() -> None:
    script = Script("One moment.", calls("look_up", name="Ada Byrne", phone="600123456"), "ok")
    async with rehearse(Desk, script) as call:
        await call.say("I am Ada Byrne, 600 123 456.")
        assert datas(call.log, "turn.user")[0]["text"] == "I am Ada Byrne, 600 123 456."
        await call.say("hello?")
        assert datas(call.log, "turn.user")[0]["text"] == f"I am {MASK}, {MASK}."
        assert "I am Ada Byrne, 600 123 456." in str(call.requests[-1].messages)


async def test_errors_are_masked_in_the_log_and_in_the_developers_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="cuelight"):
        call, seen = await sinks(
            [calls("charge", card="4111111111111111"), calls("decline", card="4222222222222222")], "ok"
        )
    charge, decline = results(call.log)
    assert "4111111111111111" not in seen + caplog.text
    assert "4222222222222222" not in seen + caplog.text
    assert decline["error"] == f"The card {MASK} was declined."
    assert "4222222222222222" in call.requests[1].messages[-1]["content"]
    assert "cannot charge" not in charge["error"]
    assert f"cannot charge {MASK}" in datas(call.log, "error")[0]["message"]
    assert f"cannot charge {MASK}" in caplog.text


async def test_a_refused_write_of_a_private_field_does_not_say_the_value() -> None:
    def fits(value: str) -> str:
        if not value.isdigit():
            raise ValueError(f"{value} is no number")
        return value

    class Till(Agent):
        card: pydantic.SecretStr | None = state(None, pii=True)
        phone: Any = state("1", pii=True)

        @tool
        def keep(self) -> None:
            self.phone = {"secret words": object()}

    call, seen = await sinks(calls("keep"), "ok", agent=Till)
    assert datas(call.log, "error")[0]["message"].endswith(
        "Till.phone holds Any; tool keep writes a value of type dict, refused."
    )
    assert "secret words" not in seen
    assert fits("5") == "5"


async def test_a_refused_call_is_masked_too() -> None:
    call, seen = await sinks(calls("look_up", name="Ada Byrne", phone=600123456), "ok")
    assert datas(call.log, "tool.call")[0]["arguments"] == {"name": MASK, "phone": MASK}
    assert "`phone` must be a string, not a number" in results(call.log)[0]["error"]
    assert "600123456" not in seen


def test_what_the_spec_says_is_private() -> None:
    specs = {tool.name: tool.spec for tool in Desk.__declaration__.tools}
    assert specs["look_up"].pii == ["name", "phone"]
    assert specs["owners"].pii == ["result.phones", "result.born"]
    assert not specs["write"].pii
