"""A step that was renamed: open calls still stand in it, with its state and its history."""

from typing import Any

import pytest

from cuelight import DeclarationRefused, Flow, Step, go, tool
from cuelight.testing import MemoryStore, Script, calls
from lawbook import errors, rehearsing


def shop(name: str, **more: Any) -> type[Flow]:
    async def record(self: Any, fault: str) -> Any:
        self.save_state(fault=fault)
        return go(name)

    fields = {"__annotations__": {"slot": str}, "slot": "", "memory": "diary", **more}
    offer = type(name, (Step,), {"__module__": __name__, **fields})
    ask = type(
        "Ask", (Step,), {"__module__": __name__, "__annotations__": {"fault": str}, "fault": "", "record": tool(record)}
    )
    return type("Shop", (Flow,), {"__module__": __name__, "__doc__": "You mend bicycles.", "steps": (ask, offer)})


async def test_an_open_call_stands_in_the_step_under_its_new_name() -> None:
    store = MemoryStore()
    async with rehearsing(shop("Offer"), Script(calls("record", fault="chain"), "When?"), store=store) as call:
        await call.say("My chain is off")
        assert call.agent.stage == "Offer"
    renamed = shop("OfferSlot", was=("Offer",))
    async with rehearsing(renamed, Script("Friday it is."), store=store, resume=call.id) as call:
        assert (call.agent.stage, errors(call.log)) == ("OfferSlot", [])
        await call.say("Friday")
        assert [message["content"] for message in call.requests[0].messages] == ["My chain is off", "When?", "Friday"]


def test_a_name_that_another_step_has_is_no_old_one() -> None:
    with pytest.raises(DeclarationRefused, match="`was` names Ask, which is another step's name"):
        shop("OfferSlot", was=("Ask",))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"limits": 3}, "`limits` is a setting of the flow; write it there"),
        ({"rules": ("Be brief.",)}, "`rules` is a setting of the flow; write it there"),
        ({"was": "Offer"}, "`was` is 'Offer'; write the names it had"),
    ],
)
def test_a_setting_that_nothing_would_read_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(DeclarationRefused, match=words):
        shop("Offer", **settings)


def test_a_field_may_have_the_name_of_the_flows_setting() -> None:
    class Car(Step):
        model: str = ""

    assert "model" in Car.__declaration__.fields
