"""Law 12 where steps have memories of their own: what goes where, what goes along, and what is forgotten."""

from collections.abc import Mapping
from typing import Any

import pytest

from cuelight.log import CUT_BY_CALLER, CUT_BY_FAULT, History

# "free" is in no memory of its own; "code" is a step of code alone; "first" and "second" share one.
STEPS: Mapping[str, str | None] = {"ask": "asking", "first": "shared", "second": "shared", "code": None}


class Call:
    """Feed a history as an engine does, and keep what a store would."""

    def __init__(self, history: History | None = None) -> None:
        self.history = history or History(memories=STEPS)
        self.log: list[tuple[str, dict[str, Any]]] = []
        self.speech_id = ""

    def feed(self, type_: str, **data: Any) -> "Call":
        self.log.append((type_, data))
        self.history.feed(type_, data)
        return self

    def user(self, text: str, speech_id: str, **more: Any) -> "Call":
        self.speech_id = speech_id
        return self.feed("turn.user", speech_id=speech_id, text=text, metrics={}, **more)

    def reply(self, text: str, *called: str, **more: Any) -> "Call":
        named = [{"call_id": call_id, "name": "look"} for call_id in called]
        reply = {"speech_id": self.speech_id, "request": 1, "text": text, "calls": named, "finish": "stop", **more}
        return self.feed("cue.reply", **reply)

    def said(self, text: str, by: str = "code") -> "Call":
        return self.feed("cue.said", speech_id=self.speech_id, by=by, text=text)

    def result(self, call_id: str) -> "Call":
        self.feed("tool.call", call_id=call_id, name="look", arguments={}, speech_id=self.speech_id)
        return self.feed("tool.result", call_id=call_id, name="look", output=f"result of {call_id}")

    def move(self, stage: str) -> "Call":
        """Move as a running call does; the log that is read later holds the whole state."""
        self.log.append(("state.changed", {"state": {"stage": stage}, "changed": ["stage"]}))
        self.history.stand(stage)
        return self

    def crossing(self, message: str) -> "Call":
        return self.feed("cue.crossing", **{"from": "a", "to": "b"}, message=message)

    def forget(self, memory: str) -> "Call":
        return self.feed("cue.forgotten", memory=memory)

    def delivered(self) -> "Call":
        return self.feed("cue.delivered", speech_id=self.speech_id, attempts=1)

    def cut(self, heard: str) -> "Call":
        return self.feed("turn.agent", speech_id=self.speech_id, text=heard, interrupted=True, metrics={})

    @property
    def now(self) -> list[str]:
        """What is in the memory that is current, after a look at whether the log alone gives the same."""
        rebuilt = self.history.again()
        for type_, data in self.log:
            rebuilt.feed(type_, data)
        assert rebuilt == self.history
        return [message.content for message in self.history.messages]

    def of(self, stage: str) -> list[str]:
        """What the memory of a step holds, looked at between turns."""
        later = Call(self.history.again())
        for type_, data in self.log:
            later.feed(type_, **data)
        later.feed("cue.delivered", speech_id=self.speech_id, attempts=1)
        return later.move(stage).now


def test_steps_without_a_memory_of_their_own_share_the_calls() -> None:
    call = Call().user("hello", "s1").reply("Hi.").move("free").reply("Still.").move("another")
    assert call.now == ["hello", "Hi.", "Still."]


def test_steps_of_one_memory_share_it() -> None:
    call = Call().move("first").user("hello", "s1").reply("Hi.").move("second")
    assert call.now == ["hello", "Hi."]


def test_the_callers_newest_words_go_along_and_nothing_else_does() -> None:
    call = Call().user("older", "s1").reply("Yes?").delivered()
    call.user("newest", "s2").reply("", "c1").result("c1").move("ask")
    assert call.now == ["newest"]
    assert call.history.newest_words == 0
    assert call.reply("What is it?").now == ["newest", "What is it?"]
    assert call.of("free") == ["older", "Yes?", "newest", "", "result of c1"]


def test_the_words_go_into_a_memory_once_a_turn() -> None:
    call = Call().user("hello", "s1").move("ask").reply("Hm.").move("free").move("ask")
    assert call.now == ["hello", "Hm."]
    assert call.move("free").now == ["hello"]


def test_the_same_words_of_another_turn_are_other_words() -> None:
    call = Call().user("yes", "s1").move("ask").reply("Hm.").move("free").delivered()
    call.user("yes", "s2").move("ask")
    assert call.now == ["yes", "Hm.", "yes"]
    assert call.history.newest_words == 2


def test_what_a_transition_says_follows_the_words() -> None:
    call = Call().user("hello", "s1").move("ask").crossing("They want a boat.")
    assert call.now == ["hello", "They want a boat."]
    assert call.history.newest_words == 0
    assert call.of("free") == ["hello"]


@pytest.mark.parametrize("words", [True, False], ids=["after a turn", "before any turn"])
def test_a_move_between_turns_brings_no_words(words: bool) -> None:
    call = Call().user("hello", "s1").reply("Hi.").delivered() if words else Call()
    call.move("ask").crossing("The system moved them.")
    assert call.now == ["The system moved them."]
    call.user("what?", "s2")
    assert call.now == ["The system moved them.", "what?"]
    assert call.history.newest_words == 1


def test_the_reply_of_an_event_ends_no_turn_of_the_callers() -> None:
    call = Call().user("hello", "s1").feed("cue.delivered", speech_id="another", attempts=0).move("ask")
    assert call.now == ["hello"]


def test_a_turn_that_broke_off_is_open_until_its_message_is_answered() -> None:
    broken = Call().user("hello", "s1", item_id="m1").reply("Hm.").feed("turn.agent", speech_id="s1", interrupted=False)
    assert broken.move("ask").now == ["hello"]
    broken.feed("cue.delivered", speech_id="s2", message_id="m1", attempts=1).move("first")
    assert broken.now == []


def test_a_step_of_code_alone_leaves_whichever_is_current() -> None:
    call = Call().move("ask").user("hello", "s1").move("code").said("One moment.")
    assert call.now == ["hello", "One moment."]
    assert call.of("free") == []


def test_a_batch_stands_where_its_reply_came_whenever_it_settles() -> None:
    call = Call().user("hello", "s1").reply("Let me look.", "c1", "c2").result("c1").move("ask").said("Moved.")
    assert call.now == ["hello", "Moved."]
    call.result("c2").reply("So.")
    assert call.now == ["hello", "Moved.", "So."]
    assert call.of("free") == ["hello", "Let me look.", "result of c1", "result of c2"]


def test_what_a_tool_says_follows_its_result() -> None:
    call = Call().move("ask").user("hello", "s1").reply("", "c1").said("Looking.").result("c1")
    assert call.now == ["hello", "", "result of c1", "Looking."]


def test_a_batch_that_breaks_off_is_settled_before_the_next_reply_of_the_same_turn() -> None:
    call = Call().user("hello", "s1").reply("", "c1").reply("Sorry.")
    assert [message.role for message in call.history.messages] == ["user", "assistant", "tool", "assistant"]
    assert "not known" in call.now[2]


# --- interruptions ----------------------------------------------------------------------------------------------------

EVERYTHING = "one two three four five six"


@pytest.mark.parametrize(
    ("heard", "of_the_call", "of_ask"),
    [
        ("", ["hello", "", "result of c1"], ["hello"]),
        ("one", ["hello", f"one {CUT_BY_CALLER}", "result of c1"], ["hello"]),
        ("one two three", ["hello", "one two", "result of c1"], ["hello", f"three {CUT_BY_CALLER}"]),
        ("one two three four five", ["hello", "one two", "result of c1", f"five {CUT_BY_CALLER}"],
         ["hello", "three four"]),
        (EVERYTHING, ["hello", "one two", "result of c1", f"five six {CUT_BY_CALLER}"], ["hello", "three four"]),
        (f"{EVERYTHING} seven", ["hello", "one two", "result of c1", "five six", f"seven {CUT_BY_CALLER}"],
         ["hello", "three four"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("during", [True, False], ids=["in the turn", "while it is played"])
def test_lines_in_two_memories_are_cut_in_the_order_spoken(
    heard: str, of_the_call: list[str], of_ask: list[str], during: bool
) -> None:
    call = Call().user("hello", "s1").reply("one two", "c1").result("c1")
    call.move("ask").reply("three four").move("free").reply("five six")
    if during:
        call.cut(heard)
    else:
        call.feed("turn.agent", speech_id="s1", text=EVERYTHING, interrupted=False).delivered()
        call.move("ask").feed("cue.heard", speech_id="s1", text=heard)
        if "seven" in heard:  # an afterword of which nothing is written is no reply
            of_the_call = [*of_the_call[:3], "five six"]
    assert (call.of("free"), call.of("ask")) == (of_the_call, of_ask)


def test_words_beside_calls_that_are_still_running_are_cut_as_well() -> None:
    call = Call().user("hello", "s1").reply("one two", "c1").said("three").cut("one").result("c1")
    assert call.now == ["hello", f"one {CUT_BY_CALLER}", "result of c1"]


def test_lines_that_were_forgotten_count_as_spoken() -> None:
    call = Call().user("hello", "s1").reply("one two").move("ask").forget("").reply("three four").cut("one two three")
    assert call.now == ["hello", f"three {CUT_BY_CALLER}"]
    assert call.of("free") == []


def test_an_interruption_cuts_its_own_turn_alone() -> None:
    call = Call().move("ask").user("hello", "s1").reply("one two").delivered()
    call.user("more", "s2").move("free").reply("three").move("ask").cut("")
    assert call.now == ["hello", "one two", "more"]
    assert call.of("free") == ["more"]


def test_what_was_heard_of_an_earlier_turn_comes_too_late() -> None:
    call = Call().user("hello", "s1").reply("one two").delivered().user("more", "s2")
    assert call.feed("cue.heard", speech_id="s1", text="one").now == ["hello", "one two", "more"]


# --- forgetting -------------------------------------------------------------------------------------------------------


def test_forgetting_empties_that_memory_alone() -> None:
    call = Call().user("hello", "s1").reply("Hi.").move("ask").reply("Hm.").delivered()
    assert call.forget("").now == ["hello", "Hm."]
    assert call.of("free") == []
    assert call.forget("asking").now == []


def test_the_words_that_a_turn_answers_stay() -> None:
    call = Call().move("ask").user("older", "s1").reply("Yes?").delivered().user("newest", "s2").forget("asking")
    assert call.now == ["newest"]
    assert call.history.newest_words == 0
    assert call.reply("Hm.").move("free").move("ask").now == ["newest", "Hm."]


def test_a_batch_of_the_memory_that_is_current_settles_after_it_is_forgotten() -> None:
    call = Call().user("hello", "s1").reply("one", "c1").said("two").forget("").result("c1")
    assert call.now == ["hello", "one", "result of c1", "two"]


def test_a_batch_goes_with_its_memory_once_that_is_left() -> None:
    call = Call().user("hello", "s1").reply("one", "c1").said("two").move("ask").forget("").result("c1").said("three")
    assert call.now == ["hello", "three"]
    assert call.of("free") == []


def test_words_come_again_into_a_memory_that_was_forgotten() -> None:
    call = Call().user("hello", "s1").move("ask").reply("Hm.").move("free").forget("asking").move("ask")
    assert call.now == ["hello"]
    assert call.history.newest_words == 0


def test_forgetting_what_nobody_remembers_changes_nothing() -> None:
    assert Call().user("hello", "s1").forget("asking").forget("no such").now == ["hello"]


# --- replies that are held --------------------------------------------------------------------------------------------


def test_the_words_of_a_held_reply_are_those_that_are_said_of_it() -> None:
    call = Call().user("hello", "s1").reply('{"kind": "fever"}', held=True)
    assert call.now == ["hello"]
    assert call.said("It is a fever.", "model").now == ["hello", "It is a fever."]
    assert call.cut("It is").now == ["hello", f"It is {CUT_BY_CALLER}"]


def test_a_held_reply_that_is_dropped_leaves_nothing() -> None:
    call = Call().user("hello", "s1").reply("one", held=True).move("ask").reply("two").said("two", "model")
    assert call.now == ["hello", "two"]
    assert call.of("free") == ["hello"]


def test_what_is_said_of_a_held_reply_goes_where_the_call_has_moved() -> None:
    call = Call().user("hello", "s1").reply("one", held=True).move("ask").said("one", "model")
    assert call.now == ["hello", "one"]
    assert call.of("free") == ["hello"]


def test_a_held_reply_of_another_turn_is_over() -> None:
    call = Call().user("hello", "s1").reply("one", held=True).delivered().user("more", "s2").said("two", "model")
    assert call.now == ["hello", "more"]


def test_the_words_of_a_held_reply_stand_with_its_calls_and_were_not_spoken() -> None:
    call = Call().user("hello", "s1").reply("one", "c1", held=True).result("c1").reply("two three").cut("two")
    assert call.now == ["hello", "one", "result of c1", f"two {CUT_BY_CALLER}"]


def test_a_reply_that_is_not_held_is_in_the_history_once() -> None:
    assert Call().user("hello", "s1").reply("one", held=False).said("one", "model").now == ["hello", "one"]
    assert Call().user("hello", "s1").reply("one", cut=True).now == ["hello", f"one {CUT_BY_FAULT}"]


# --- the history as a whole -------------------------------------------------------------------------------------------


def test_each_memory_keeps_its_own_exchanges() -> None:
    call = Call(History(exchanges=4, memories=STEPS))
    for number in range(9):
        call.move("free").user(f"words {number}", f"s{number}").reply("Hm.")
        if number % 2:
            call.move("ask").reply("Well?")
            assert call.history.messages[call.history.newest_words].content == f"words {number}"
        call.delivered()
    assert call.of("free") == [text for number in range(5, 9) for text in (f"words {number}", "Hm.")]
    assert call.of("ask") == [text for number in (1, 3, 5, 7) for text in (f"words {number}", "Well?")]


def test_what_was_forgotten_counts_for_no_exchange() -> None:
    call = Call(History(exchanges=3)).user("0", "s0").user("1", "s1").delivered().forget("")
    for number in range(3):
        call.user(f"words {number}", f"t{number}")
    assert call.now == ["words 0", "words 1", "words 2"]


def test_asking_ahead_sees_the_memory_that_is_current() -> None:
    call = Call().user("hello", "s1").move("ask").reply("Hm.").delivered()
    ahead = call.history.ahead("well?")
    assert [message.content for message in ahead.messages] == ["hello", "Hm.", "well?"]
    assert ahead.newest_words == 2
    assert call.now == ["hello", "Hm."]
    ahead.stand("free")
    assert [message.content for message in ahead.messages] == ["well?"]


def test_a_memory_keeps_one_list() -> None:
    call = Call(History(exchanges=2, memories=STEPS)).move("ask").user("one", "s1")
    messages = call.history.messages
    call.user("two", "s2").user("three", "s3").move("free").move("ask").forget("asking").delivered().forget("asking")
    assert call.history.messages is messages


def test_histories_differ_by_any_memory_and_by_which_is_current() -> None:
    def history(*stages: str) -> History:
        call = Call()
        for stage in stages:
            call.move(stage)
        return call.user("hello", "s1").delivered().move("free").history

    assert history("ask") == history("ask")
    assert history("ask") != history("first")
    assert Call().user("hello", "s1").history != Call().crossing("hello").history
    standing = history("ask")
    standing.stand("ask")
    assert standing != history("ask")


@pytest.mark.parametrize("memories", [None, {}, {"code": None}, {"code": None, "a": ""}])
def test_without_memories_the_state_is_not_looked_at(memories: Mapping[str, str | None] | None) -> None:
    history = History(memories=memories)
    assert "state.changed" not in history.projections
    history.feed("turn.user", {"speech_id": "s1", "text": "hello"})
    history.stand("code")
    history.stand("a")
    history.stand(None)
    assert len(history.messages) == 1


@pytest.mark.parametrize("stage", [None, 3, ["ask"], {"ask": 1}])
def test_a_state_whose_stage_is_no_step_stands_in_the_calls_own_memory(stage: Any) -> None:
    call = Call().move("ask").user("hello", "s1").delivered()
    call.history.feed("state.changed", {"state": {"stage": stage}, "changed": []})
    assert call.history.messages == []
