"""Write a golden and its cassette from a stored call."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import msgspec

from cuelight.agent import Agent
from cuelight.engine import make_agent
from cuelight.errors import BadInput
from cuelight.flow import Course, Flow, course_of
from cuelight.log import Record
from cuelight.models.cassette import Cassette
from cuelight.testing.goldens.layout import as_yaml
from cuelight.testing.goldens.opened import opened_in
from cuelight.testing.goldens.reading import GoldenFile
from cuelight.testing.goldens.replaying import Replies
from cuelight.testing.goldens.running import for_golden, run_golden
from cuelight.testing.goldens.shape import Expect, Golden
from cuelight.testing.goldens.standins import StandIns, private_values, seed_of
from cuelight.testing.goldens.stretches import Stretch, stretches
from cuelight.testing.goldens.telling import Teller

__all__ = ["GoldenDraft", "golden_from", "record_draft"]

_AUTHORS = ('{"type":"static"', '{"type":"tool"')  # how the lines begin
_GIVEN = {"tool.call": "arguments", "event.received": "data", "state.changed": "state"}
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class GoldenDraft:
    """Hold a golden that was made from a call, and what its model replied.

    Attributes:
        golden: plain JSON, in the order in which it is written.
        head: what its file says of it in a comment.
        replies: what the model replied. They are in the golden itself where it called tools that there are not, as a
            golden may name such a tool only beside the reply that made it up.
        kept: how many private values are written as they are.
        erased: whether the call's private values were erased, so that their masks are what is written.
        looks_up: whether the agent's code was given stand-ins, which it may look up and not find.
        stand_ins: what stands in for private values.
    """

    golden: dict[str, Any]
    head: str
    replies: Replies = field(repr=False)
    kept: int
    erased: bool
    looks_up: bool
    stand_ins: StandIns = field(repr=False)

    @property
    def replaced(self) -> int:
        """How many private values have stand-ins."""
        return len(self.stand_ins)

    @property
    def has_cassette(self) -> bool:
        """Whether the model's replies belong into a cassette."""
        return "model" not in self.golden

    @property
    def text(self) -> str:
        """The golden as YAML."""
        return as_yaml(self.golden, self.head)

    def betrayed_in(self, cassette: Path) -> list[int]:
        """Give the lines of its cassette that hold private values after all: the agent's own code has given them.

        What the author wrote, the static part of the prompt and the tools, is passed over.
        """
        lines = cassette.read_text(encoding="utf-8").splitlines()
        return [
            number for number, line in enumerate(lines, 1)
            if not line.startswith(_AUTHORS) and self.stand_ins.text(line) != line
        ]  # fmt: skip


async def golden_from(
    records: Sequence[Record],
    make: Callable[..., Agent],
    *,
    name: str | None = None,
    agent: str | None = None,
    upto: int | None = None,
    keep_private: bool = False,
) -> GoldenDraft:
    """Make a golden from the log of a call.

    It says what the caller said and what happened outside, and expects what code decided: the tools that ran, with what
    they were given and gave, refusals, routes, errors, stages, code's own lines and the end. The words of the model are
    its replies. What differs from run to run, ids and readings of clocks, is not expected.

    The agent is opened once in a rehearsal, to see whether the call was opened in a state of its own.

    Args:
        records: the whole log; private values are replaced also where an entry came before anybody knew.
        make: the agent's class, or a function that makes an instance.
        name: what the golden is called; None calls it as the call.
        agent: what the golden shall name as its agent; None names none.
        upto: the last entry that is wanted; the turn that holds it is the last one.
        keep_private: whether to write private values as they are.

    Raises:
        NoSuchEntry: the call has no entry `upto`.
        BadInput: something happened that a golden cannot bring about, or nothing did.
        AuthorError: the agent cannot be made.
    """
    parts = stretches(records, upto)
    if not parts:
        raise BadInput("The call has no entries that a golden could be made from.")
    opened = parts[0].entries[0]
    today = datetime.fromtimestamp(opened.data.get("started_at", opened.ts)).astimezone().date()
    factory = for_golden(make, Golden(name="", turns=[], today=today.isoformat()))
    course = course_of(make_agent(factory))
    private = private_values(records)
    stand_ins = StandIns() if keep_private else _stand_ins(private, records, course, today.year)
    replies = Replies(parts, stand_ins)
    noon = datetime.combine(today, time(12), UTC).timestamp()
    state = await opened_in(factory, replies.script(), noon, parts[0], stand_ins)
    call = stand_ins.text(opened.call or "a call")
    golden: dict[str, Any] = {"name": call if name is None else name, **({} if agent is None else {"agent": agent})}
    if state:
        golden["state"] = state["stage"] if list(state) == ["stage"] else state
    golden |= {"today": today.isoformat(), **_turns(parts, course, stand_ins)}
    refused = {check["refused"] for turn in golden["turns"] for check in turn["then"] if "refused" in check}
    if refused - {tool.name for tool in course.tools}:
        golden["model"] = replies.written()
    has_cassette, kept = "model" not in golden, len(private) if keep_private else 0
    return GoldenDraft(
        golden=golden,
        head=_head(call, opened.ts, parts[-1].entries[-1].seq, kept=bool(kept), has_cassette=has_cassette),
        replies=replies,
        kept=kept,
        looks_up=_looks_up(parts, stand_ins),
        erased=any(record.entry.type == "cue.erased" for record in records),
        stand_ins=stand_ins,
    )


async def record_draft(
    draft: GoldenDraft, read: GoldenFile, make: Callable[..., Agent], cassette: Path, again: str
) -> None:
    """Record the cassette of a golden that was made from a call: its turns run, and nothing is judged.

    Args:
        draft: the golden.
        read: the same, read from its file.
        make: the agent's class, or a function that makes an instance.
        cassette: where to record it.
        again: how to make it anew, a command first.

    Raises:
        GoldenRefused: when it names what the agent does not have any more; then nothing is recorded.
        NotSetUp: when the file cannot be written.
    """
    turns = [msgspec.structs.replace(turn, then=[]) for turn in read.golden.turns]
    golden = msgspec.structs.replace(read.golden, turns=turns, expect=Expect(no_errors=False))
    recording = Cassette.record(cassette, draft.replies.script(), again=again)
    await run_golden(msgspec.structs.replace(read, golden=golden), make, recording)
    recording.save()


def _turns(parts: Sequence[Stretch], course: Course, stand_ins: StandIns) -> dict[str, Any]:
    """Write the turns of a golden, and what it expects of the whole.

    Raises:
        BadInput: there are none.
    """
    teller = Teller(stand_ins, "step" if isinstance(course.agent, Flow) else "stage")
    turns = [turn for part in parts if (turn := teller.turn(part)) is not None]
    if not turns:
        raise BadInput("Nothing was said in the call, and nothing happened in it that a golden could expect.")
    expect = {
        "tools": [check["tool"] for turn in turns for check in turn["then"] if "tool" in check],
        "never_without_yes": _guarded(parts, course),
    }
    expect = {name: tools for name, tools in expect.items() if tools}
    return {"turns": turns, **({"expect": expect} if expect else {})}


def _guarded(parts: Sequence[Stretch], course: Course) -> list[str]:
    """Name the tools that were called in a call and never run without the caller's yes.

    A name that stands for a tool that asks in one step, and for one that does not in another, is none of them.
    """
    free = {tool.name for tool in course.tools if tool.confirm is None}
    guarded = {tool.name for tool in course.tools} - free
    called = (entry.data["name"] for part in parts for entry in part.entries if entry.type == "tool.call")
    return [name for name in dict.fromkeys(called) if name in guarded]


def _looks_up(parts: Sequence[Stretch], stand_ins: StandIns) -> bool:
    """Tell whether code was given a stand-in: in its state, by an event or in a call, but for one that never ran."""
    entries = [(part, entry) for part in parts for entry in part.entries]
    asked, granted = (
        {entry.data["call_id"] for _, entry in entries if entry.type == kind}
        for kind in ("confirm.request", "confirm.granted")
    )
    return any(
        part.member(entry, _GIVEN[entry.type], stand_ins) != entry.data[_GIVEN[entry.type]] for part, entry in entries
        if entry.type in _GIVEN and entry.data.get("call_id") not in asked - granted
    )  # fmt: skip


def _head(call: str, opened_at: float, last: int, *, kept: bool, has_cassette: bool) -> str:
    at = datetime.fromtimestamp(opened_at).astimezone()
    private = "Private values are written as they were." if kept else "Private values are stand-ins."
    return (
        f"Made by `cuelight golden from` from call {call} of {at:%Y-%m-%d %H:%M}, entries 1 to {last}.\n"
        f"{private} What the model replied is {'in the cassette beside this file' if has_cassette else 'at the end'}."
    )


def _stand_ins(private: Sequence[str], records: Sequence[Record], course: Course, year: int) -> StandIns:
    return StandIns(private, seed=seed_of(records), year=year, words=_words_of(course), choices=_choices_of(course))


# --- what the author wrote --------------------------------------------------------------------------------------------


def _words_of(course: Course) -> set[str]:
    return {word.lower() for block in course.blocks() for word in _WORD.findall(block.text)}


def _choices_of(course: Course) -> set[str]:
    return {choice for tool in course.tools for choice in _choices_in(tool.arguments.schema)}


def _choices_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        listed = [*schema["enum"]] if isinstance(schema.get("enum"), list) else []
        yield from (str(choice) for choice in [*listed, *([schema["const"]] if "const" in schema else [])])
    for inner in schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list) else ():
        yield from _choices_in(inner)
