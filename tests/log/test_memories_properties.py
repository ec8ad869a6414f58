"""Law 12 over three memories, for any call: whole, apart, with the caller's words, and the same from the store."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight.log import CUT_BY_CALLER, History
from lawbook import check_messages

STEPS = {"a": "one", "b": "two", "also a": "one", "code": None}
STAGES = st.sampled_from(["free", "a", "b", "also a", "code"])
MEMORIES = st.sampled_from(["", "one", "two", "unknown"])

# What may happen between two entries of a reply, of a batch, or of two turns.
MOVE = st.tuples(st.just("move"), STAGES, st.booleans())
FORGET = st.tuples(st.just("forget"), MEMORIES)
SAY = st.just(("say",))
BETWEEN = st.lists(st.one_of(MOVE, MOVE, FORGET, SAY), max_size=2)

WORDS = st.tuples(st.just("words"), st.booleans())
HELD = st.tuples(st.just("held"), st.booleans())
BATCH = st.tuples(st.just("batch"), st.booleans(), st.booleans(), st.lists(BETWEEN, min_size=1, max_size=3))
REPLIES = st.lists(st.tuples(st.one_of(WORDS, HELD, BATCH), BETWEEN), max_size=4)
# How a turn ends: in its reply, with an interruption that hears a part, in a fault, or in the middle of a batch.
ENDS = st.one_of(st.just("whole"), st.floats(0, 1), st.just("broken"), st.just("batch"))
TURNS = st.lists(st.tuples(st.booleans(), REPLIES, ENDS, BETWEEN, st.none() | st.floats(0, 1)), max_size=6)


class Calling:
    """Write the entries of a call as an engine does, and know which words were spoken and heard."""

    def __init__(self) -> None:
        self.log: list[tuple[str, dict[str, Any]]] = []
        self.number = count(1)
        self.speech_id = ""
        self.open = False
        self.spoken: list[str] = []
        self.forgot = False
        """Whether anything was forgotten since the turn began, so that not all that was heard is there."""

    def entries(self, turns: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for by_caller, replies, end, after, played in turns:
            self.speech_id, self.spoken, self.forgot = f"s{next(self.number)}", [], False
            if by_caller:
                yield self.entry("turn.user", text=f"words {self.speech_id}", item_id=self.speech_id)
                self.open = True
            for reply, between in replies:
                yield from self.reply(*reply)
                yield from self.acts(between)
            yield from self.end(by_caller, end)
            if played is not None and end == "whole":
                yield self.entry("cue.heard", text=self.part(played))
            yield from self.acts(after)

    def entry(self, type_: str, **data: Any) -> tuple[str, dict[str, Any]]:
        return type_, {"speech_id": self.speech_id, **data}

    def words(self) -> str:
        return f"w{next(self.number)} w{next(self.number)}"

    def part(self, share: float) -> str:
        words = " ".join(self.spoken).split()
        return " ".join(words[: round(share * len(words))])

    def reply(self, kind: str, flag: bool, *more: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        text = self.words()
        if kind != "batch":
            held = {"held": True} if kind == "held" else {}
            yield self.entry("cue.reply", text=text, calls=[], **held)
            if kind == "words" or flag:
                self.spoken.append(text)
                yield self.entry("cue.said", by="model", text=text)
            return
        held, betweens = more
        ids = [f"c{next(self.number)}" for _ in betweens]
        named = [{"call_id": one, "name": "look"} for one in ids]
        yield self.entry("cue.reply", text=text if flag else "", calls=named, **({"held": True} if held else {}))
        if flag and not held:
            self.spoken.append(text)
            yield self.entry("cue.said", by="model", text=text)
        for one, between in zip(ids, betweens, strict=True):
            yield self.entry("tool.call", call_id=one, name="look", arguments={})
            yield from self.acts(between)
            yield self.entry("tool.result", call_id=one, name="look", output=one)

    def acts(self, between: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for act, *more in between:
            if act == "say":
                text = self.words()
                self.spoken.append(text)
                yield self.entry("cue.said", by="code", text=text)
            elif act == "forget":
                self.forgot = True
                yield self.entry("cue.forgotten", memory=more[0])
            else:
                stage, carries = more
                yield self.entry("state.changed", state={"stage": stage}, changed=["stage"])
                if carries:
                    yield self.entry("cue.crossing", to=stage, message=f"crossing {next(self.number)}")

    def end(self, by_caller: bool, end: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        if end == "batch":
            named = [{"call_id": f"c{next(self.number)}", "name": "look"} for _ in range(2)]
            yield self.entry("cue.reply", text="", calls=named)
            yield self.entry("tool.call", call_id=named[0]["call_id"], name="look", arguments={})
            return
        heard = self.part(end) if isinstance(end, float) else " ".join(self.spoken)
        yield self.entry("turn.agent", text=heard, interrupted=isinstance(end, float))
        if end != "broken":
            self.open = self.open and not by_caller
            yield self.entry("cue.delivered", attempts=1)


def seen(history: History, lists: dict[int, list[Any]]) -> dict[int, list[Any]]:
    """Collect the lists that were ever current; each stays what it is."""
    lists.setdefault(id(history.messages), history.messages)
    return lists


@settings(max_examples=300, deadline=None)
@given(TURNS)
def test_any_call_is_whole_apart_and_the_same_from_its_log(turns: list[Any]) -> None:
    calling, live, lists, log = Calling(), History(memories=STEPS), {}, []
    newest: str | None = None
    for type_, data in calling.entries(turns):
        log.append((type_, data))
        if type_ == "state.changed":
            live.stand(data["state"]["stage"])
        else:
            live.feed(type_, data)
        newest = data["text"] if type_ == "turn.user" else newest
        for messages in seen(live, lists).values():
            check_messages([message.plain() for message in messages])
        if calling.open:
            assert live.messages[live.newest_words].content == newest
        if type_ == "turn.agent" and data["interrupted"]:
            _check_heard(calling, data["text"], lists)
    rebuilt = live.again()
    for type_, data in log:
        rebuilt.feed(type_, data)
    assert rebuilt == live
    _check_apart(lists)
    if all(type_ != "cue.forgotten" for type_, _ in log):
        _check_complete(log, lists)


def _check_heard(calling: Calling, heard: str, lists: dict[int, list[Any]]) -> None:
    """What was heard stands once, in whichever memory; what was spoken and not heard stands nowhere."""
    said = [
        word
        for messages in lists.values()
        for message in messages
        if message.role == "assistant"
        for word in message.content.replace(CUT_BY_CALLER, "").split()
    ]
    words = " ".join(calling.spoken).split()
    for number, word in enumerate(words):
        if number >= len(heard.split()):
            assert word not in said
        elif not calling.forgot:
            assert said.count(word) == 1


def _check_apart(lists: dict[int, list[Any]]) -> None:
    """No message stands in two memories but the caller's words, and those stand once in each."""
    places: dict[int, set[int]] = {}
    for key, messages in lists.items():
        for message in messages:
            places.setdefault(id(message), set()).add(key)
            if len(places[id(message)]) > 1:
                assert message.content.startswith("words ")
        assert len({id(message) for message in messages}) == len(messages)
    assert len(lists) <= 3


def _check_complete(log: list[tuple[str, dict[str, Any]]], lists: dict[int, list[Any]]) -> None:
    """Every call stands once with its result, where its reply came, but for those of a batch still running."""
    called = [call["call_id"] for type_, data in log if type_ == "cue.reply" for call in data["calls"]]
    running = [data["call_id"] for type_, data in log if type_ == "tool.call"][-1:]
    settled = [message.tool_call_id for messages in lists.values() for message in messages if message.tool_call_id]
    assert len(settled) == len(set(settled))
    unsettled = called[len(settled) :]
    assert sorted(settled) == sorted(called[: len(settled)])
    assert len(unsettled) <= 2
    assert not unsettled or unsettled[:1] == running


@settings(max_examples=100, deadline=None)
@given(TURNS, st.integers(1, 4))
def test_a_memory_that_is_trimmed_begins_with_the_callers_words(turns: list[Any], exchanges: int) -> None:
    kept, all_kept = History(exchanges=exchanges, memories=STEPS), History(memories=STEPS)
    for type_, data in Calling().entries(turns):
        kept.feed(type_, data)
        all_kept.feed(type_, data)
        check_messages([message.plain() for message in kept.messages])
        begun = [message.content for message in kept.messages if message.content.startswith("words ")]
        assert len(begun) <= exchanges
        if len(kept.messages) < len(all_kept.messages):
            assert kept.messages[0].content == begun[0]
        start = len(all_kept.messages) - len(kept.messages)
        assert kept.messages == all_kept.messages[start:]
