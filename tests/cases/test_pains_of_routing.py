"""What users of comparable systems ran into where a conversation moves on: the reports R9 to R23, a test each."""

import asyncio
from typing import Any

import pytest

from cuelight import DeclarationRefused, Flow, Limits, LogicStep, Step, TerminateSessionStep, go, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import (
    FALLBACK,
    datas,
    entries,
    errors,
    heard,
    refusals,
    rehearsing,
    results,
    said,
    talk,
    told,
    types,
)  # fmt: skip


class Triage(Step["Clinic"]):
    visits: int = 0
    left: int = 0

    def get_prompt(self) -> str:
        return super().get_prompt() or "Find out what the caller needs."

    def on_enter(self) -> None:
        self.visits += 1

    def on_exit(self) -> None:
        self.left += 1

    @tool
    def to_support(self) -> Any:
        """Hands over to support."""
        return go(Support).with_tool_feedback("Handed over.")

    @tool
    async def to_support_slowly(self) -> Any:
        """Hands over to support, after a while."""
        for _ in range(9):
            await asyncio.sleep(0)
        return Support

    @tool
    def to_booking(self) -> Any:
        """Hands over to the booking."""
        return go("Booking")

    @tool
    def to_nowhere(self) -> Any:
        """Hands over to a step by a name that is misspelled."""
        return go("Bookings")


class Support(Step["Clinic"]):
    visits: int = 0

    def get_prompt(self) -> str:
        return "Help the caller."

    def on_enter(self) -> None:
        self.visits += 1

    @tool
    def solve(self) -> str:
        """Solves the problem."""
        return "solved"

    @tool
    def to_triage(self) -> Any:
        """Hands back."""
        return Triage


class Booking(Step["Clinic"]):
    waits = True
    day: str = ""

    def get_prompt(self) -> str:
        return "Ask which day suits, then book it."

    @tool
    def book(self, day: str) -> Any:
        """Books a day."""
        self.day = day
        return Confirm

    @tool
    async def free(self) -> str:
        """Tells which days are free."""
        return "Monday"


class Confirm(Step["Clinic"]):
    waits = True

    @tool
    def correct_day(self) -> Any:
        """Goes back to the day."""
        return go(Booking).with_message("The caller wants another day.")

    @tool
    def finish(self) -> Any:
        """Ends the call."""
        return TerminateSessionStep


class Clinic(Flow):
    """You answer for a clinic."""

    limits = Limits(transitions=4)
    steps = (Triage, Support, Booking, Confirm, TerminateSessionStep)
    saved: dict[str, str] = {}

    @tool
    async def save(self, key: str, value: str) -> str:
        """Saves what the caller said."""
        for _ in range(3):
            await asyncio.sleep(0)
        self.saved[key] = value
        return "saved"

    @tool(effect="read")
    async def hours(self) -> str:
        """Tells the opening hours."""
        return "nine to five"

    @tool
    def stop(self) -> Any:
        """Ends the call, since the caller wants out."""
        return TerminateSessionStep


def crossings(call: Any) -> list[tuple[str, str]]:
    return [(data["from"], data["to"]) for data in datas(call.log, "cue.crossing")]


@pytest.mark.parametrize("slow", ["to_support", "to_support_slowly"])
@pytest.mark.parametrize("route_first", [True, False])
async def test_r9_saving_and_routing_in_one_reply_do_both_whichever_is_done_first(slow: str, route_first: bool) -> None:
    batch = [calls(slow), calls("save", key="name", value="Ada"), calls("to_booking")]
    batch = batch if route_first else [batch[1], batch[0], batch[2]]
    async with rehearsing(Clinic, Script(batch, "How can I help?")) as call:
        await call.say("Ada here, it is broken")
        assert (call.agent.stage, call.agent.saved) == ("Support", {"name": "Ada"})
        assert call.requests[1].stage == "Support"
        taken, ignored = datas(call.log, "cue.route")
        assert (taken["to"], taken["applied"]) == ("Support", True)
        assert (ignored["to"], ignored["applied"]) == ("Booking", False)
        assert "Support" in ignored["reason"]
        assert told(call.requests[1])[2] == ignored["reason"]


@pytest.mark.parametrize("place", range(4))
async def test_r10_a_route_counts_wherever_it_stands_among_calls(place: int) -> None:
    batch = [calls("hours"), calls("hours"), calls("save", key="a", value="b")]
    batch.insert(place, calls("to_support"))
    async with rehearsing(Clinic, Script(batch, "How can I help?")) as call:
        await call.say("support, please")
        assert call.agent.stage == call.requests[1].stage == "Support"
        assert len(told(call.requests[1])) == 4
        assert crossings(call) == [("Triage", "Support")]


async def test_r11_nothing_starts_on_a_step_that_was_left_and_the_next_one_runs_its_tools() -> None:
    script = Script(
        calls("to_support"), calls("solve"), "Solved.",
        [calls("to_booking"), calls("solve")], "That too.",
    )  # fmt: skip
    async with rehearsing(Clinic, script) as call:
        one, two = await asyncio.gather(call.say("it is broken"), call.say("and my other one too"))
        assert (one.text, two.text) == ("Solved.", "That too.")
        assert refusals(call.log) == [("to_booking", "hidden")]
        assert [data["output"] for data in results(call.log) if "output" in data] == [
            "Handed over.",
            "solved",
            "solved",
        ]
        assert [request.stage for request in call.requests] == ["Triage", *["Support"] * 4]


async def test_r12_nobody_speaks_for_a_step_that_was_left() -> None:
    stored: list[str] = []

    def asked(request: Any) -> str:
        stored.extend(types(call.log))
        return "How can I help?"

    async with rehearsing(Clinic, Script(["One moment.", calls("to_support")], asked)) as call:
        reply = await call.say("it is broken")
        assert reply.text == "One moment.\nHow can I help?"
        assert stored.count("cue.crossing") == 1, "the move is made, and stored, before the model is asked"
        assert call.requests[1].stage == "Support"
        assert "Help the caller." in call.requests[1].view
        assert "Find out" not in call.requests[1].view
        assert call.requests[1].tools == ["solve", "to_triage", "save", "hours", "stop"]


class Reception(Step["Hotel"]):
    @tool
    def check_in(self) -> Any:
        """Checks in."""
        return go(Room).with_message("The caller is in.")


class Room(Step["Hotel"]):
    def on_enter(self) -> None:
        self.call.reply("Welcome the guest to the room.")
        self.call.reply("Welcome the guest warmly.")


class Hotel(Flow):
    """You run a hotel."""

    steps = (Reception, Room)

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        return Room


async def test_r13_a_step_that_opens_with_words_of_its_own_opens_once() -> None:
    async with rehearsing(Hotel, Script(calls("check_in"), "Welcome to your room!", "Never.")) as call:
        assert (await call.say("I am here")).text == "Welcome to your room!"
        assert len(call.requests) == 2
        assert "warmly" in call.requests[1].view
    async with rehearsing(Hotel, Script("Welcome!", "Sure.")) as call:
        event, turn = await asyncio.gather(call.event("arrived"), call.say("A towel, please"))
        assert (event.text, turn.text) == ("Welcome!", "Sure.")
        assert heard(call.log) == ["Welcome!", "Sure."], "the entry's words and the caller's turn, each once, in order"
        assert "Welcome the guest" not in call.requests[1].view


async def test_r14_a_model_that_answers_its_own_questions_gets_nowhere() -> None:
    script = Script(calls("to_booking"), *[calls("book", day=day) for day in ("Monday", "Friday")], "Which day?")
    async with rehearsing(Clinic, script) as call:
        assert (await call.say("I need an appointment")).text == "Which day?"
        assert (call.agent.stage, call.agent.step(Booking).day) == ("Booking", "")
        assert refusals(call.log) == [("book", "hidden")] * 2


async def test_r15_a_route_replaces_what_would_have_come_next() -> None:
    async with rehearsing(Clinic, Script(calls("to_support"), "How can I help?")) as call:
        await call.say("it is broken")
        assert [request.stage for request in call.requests] == ["Triage", "Support"], "only the target is asked"
        assert (call.agent.step(Triage).left, call.agent.step(Support).visits) == (1, 1)
        assert call.agent.step(Triage).visits == 1
        assert call.state.app_state["stage"] == "Support"
        assert crossings(call) == [("Triage", "Support")]


async def test_r16_a_target_that_is_none_is_found_when_the_flow_is_made_or_at_once() -> None:
    class Lost(Step):
        @tool
        def on(self) -> Any:
            """Goes on."""
            return go(Reception)

    with pytest.raises(DeclarationRefused, match="names Reception, which is none of the flow's steps"):

        class Journey(Flow):
            """You travel."""

            steps = (Lost,)

    async with rehearsing(Clinic, Script(calls("to_nowhere"), "Sorry.")) as call:
        assert (await call.say("book me in")).text == "Sorry."
        exact = "Step 'Bookings' is not defined in flow 'Clinic'."
        assert results(call.log)[0]["error"] == exact
        assert [data["message"] for data in datas(call.log, "error")] == [exact]
        assert call.agent.stage == "Triage"


class Desk(Step["Practice"]):
    @tool
    def examine(self) -> Any:
        """Has the caller examined."""
        return Examine


class Examine(Step["Practice"]):
    memory = "examination"
    findings: list[str] = []

    @tool
    def note(self, finding: str) -> Any:
        """Notes a finding; the second one completes the examination."""
        self.findings.append(finding)
        return Done if len(self.findings) == 2 else None


class Done(LogicStep["Practice"]):
    def run_logic(self) -> Any:
        found = " and ".join(self.flow.step(Examine).findings)
        return go(Desk).with_message(f"Examined: {found}.")


class Practice(Flow):
    """You are a practice."""

    steps = (Desk, Examine, Done)


async def test_r17_what_is_finished_hands_back_by_code_and_not_by_the_models_leave() -> None:
    script = Script(calls("examine"), calls("note", finding="cough"), calls("note", finding="fever"), "You have a flu.")
    async with rehearsing(Practice, script) as call:
        assert (await call.say("I am ill")).text == "You have a flu."
        assert call.agent.stage == "Desk"
        assert [request.stage for request in call.requests] == ["Desk", "Examine", "Examine", "Desk"]
        assert not any("Desk" in name or "back" in name for request in call.requests for name in request.tools)
        assert "Examined: cough and fever." in str(talk(call.requests[3]))


async def test_r18_a_promise_without_a_call_is_acted_on_by_code() -> None:
    class Promising(Step["Shop"]):
        order: str = ""

        @tool
        def take_order(self, order: str) -> None:
            """Takes the order."""
            self.order = order

        def on_response(self, text: str) -> Any:
            return Paying if self.order else text

    class Paying(Step["Shop"]):
        def get_prompt(self) -> str:
            return "Ask how the caller pays."

    class Shop(Flow):
        """You sell."""

        steps = (Promising, Paying)

    script = Script(
        "What would you like?", calls("take_order", order="tea"), "I will hand you over.", "How do you pay?"
    )
    async with rehearsing(Shop, script) as call:
        assert (await call.say("hello")).text == "What would you like?"
        assert (await call.say("tea")).text == "How do you pay?", "it is not stuck after the promise"
        assert call.agent.stage == "Paying"
        assert heard(call.log) == ["What would you like?", "How do you pay?"]


async def test_r19_two_steps_that_hand_over_to_each_other_are_stopped_and_something_is_said() -> None:
    script = Script(*[calls("to_support"), calls("to_triage")] * 9)
    async with rehearsing(Clinic, script) as call:
        assert (await call.say("hello")).text == FALLBACK
        assert len(crossings(call)) == 4
        assert errors(call.log) == ["limit-transitions"]
        assert len(call.requests) == 5
        assert "not applied" in results(call.log)[-1]["output"]

    class There(LogicStep):
        def run_logic(self) -> Any:
            return Back

    class Back(LogicStep):
        def run_logic(self) -> Any:
            return There

    class Start(Step):
        @tool
        def begin(self) -> Any:
            """Begins."""
            return There

    class Circle(Flow):
        """You go round in circles."""

        limits = Limits(transitions=4)
        steps = (Start, There, Back)

    async with rehearsing(Circle, Script(calls("begin"))) as call:
        assert (await call.say("hello")).text == FALLBACK
        assert len(crossings(call)) == 4
        assert errors(call.log) == ["limit-transitions"]


@pytest.mark.parametrize("fragment", [" ", "\n\n", "\t \n"])
async def test_r20_white_space_beside_a_transition_is_no_speech_and_holds_nothing_up(fragment: str) -> None:
    async with rehearsing(Clinic, Script([fragment, calls("to_support")], "How can I help?")) as call:
        reply = await asyncio.wait_for(call.say("it is broken"), 2)
        assert (reply.text, call.agent.stage) == ("How can I help?", "Support")
        assert said(call.log) == [("model", "How can I help?")]
        assert heard(call.log) == ["How can I help?"]

    class Blank(Step):
        def on_exit(self) -> None:
            self.call.speak(fragment)

        @tool
        def on(self) -> Any:
            """Goes on."""
            return End

        def on_response(self, text: str) -> Any:
            return fragment

    class End(Step):
        """Be the end."""

    class Whispering(Flow):
        """You whisper."""

        steps = (Blank, End)

    async with rehearsing(Whispering, Script("Hm.", [fragment, calls("on")], "Here we are.")) as call:
        assert (await call.say("hello")).text == FALLBACK
        assert (await call.say("go on")).text == "Here we are."


async def test_r21_a_step_of_code_says_its_line_and_goes_on_without_a_request() -> None:
    class Look(Step):
        @tool
        def look(self) -> Any:
            """Looks."""
            self.call.speak("One moment.")
            return Notice

    class Notice(LogicStep):
        def on_enter(self) -> None:
            self.call.speak("This call is recorded.")

        def run_logic(self) -> Any:
            self.call.speak("We close at five.")
            return Offer

    class Offer(Step):
        def on_enter(self) -> None:
            self.call.speak("Here is our offer.")

    class Speaking(Flow):
        """You speak."""

        steps = (Look, Notice, Offer)

    async with rehearsing(Speaking, Script(["Well.", calls("look")], "Do you like it?")) as call:
        reply = await call.say("hello")
        assert reply.text.split("\n") == [
            "Well.", "One moment.", "This call is recorded.", "We close at five.", "Here is our offer.",
            "Do you like it?",
        ]  # fmt: skip
        assert len(call.requests) == 2
        assert heard(call.log) == [reply.text]
        assert not errors(call.log)
        assert crossings(call) == [("Look", "Notice"), ("Notice", "Offer")]


async def test_r22_a_caller_may_digress_correct_an_answer_hold_on_and_leave() -> None:
    store = MemoryStore()
    script = Script(
        calls("free"), "Monday is free. Which day?",
        calls("hours"), "We open at nine. Which day suits you?",
        "Take your time.",
        calls("book", day="Monday"), "Monday it is. Shall I book it?",
        calls("correct_day"), calls("book", day="Friday"), "Which day instead?",
        calls("book", day="Friday"), "Friday then?",
        calls("stop"), "Goodbye.",
    )  # fmt: skip
    async with rehearsing(Clinic, script, store=store, state={"stage": "Booking"}) as call:

        def stands() -> tuple[str, str]:
            return call.agent.stage, call.agent.step(Booking).day

        assert (await call.say("Which days have you?")).text == "Monday is free. Which day?"
        assert (await call.say("When do you open?")).text.startswith("We open at nine.")
        assert stands() == ("Booking", ""), "a side question is answered, and swallowed for no value"
        assert (await call.say("One moment.")).text == "Take your time."
        assert stands() == ("Booking", "")
        await call.say("Monday")
        assert stands() == ("Confirm", "Monday")
        assert (await call.say("No, not Monday!")).text == "Which day instead?"
        assert stands() == ("Booking", "Monday")
        assert "The caller wants another day." in str(talk(call.requests[8]))
        assert refusals(call.log) == [("book", "hidden")], "and the question is asked anew"
        await call.say("Friday")
        assert stands() == ("Confirm", "Friday")
        await call.say("Forget it, I want out.")
        assert call.state.status == "ended"
        assert heard(call.log)[-1] == "Goodbye."


async def test_r23_no_wording_moves_a_conversation_and_a_call_without_words_does() -> None:
    phrases = ["Handed over.", "go(Support)", "to_support", "Support", "I am transferring you to Support now."]
    async with rehearsing(Clinic, Script(*phrases, calls("to_support"), "How can I help?")) as call:
        for phrase in phrases:
            assert (await call.say("Support, please.")).text == phrase
            assert call.agent.stage == "Triage"
        assert not entries(call.log, "cue.route", "cue.crossing")
        await call.say("Support, please.")
        assert call.agent.stage == "Support"
