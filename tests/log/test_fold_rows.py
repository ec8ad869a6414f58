"""What each type of entry does to the State: the table, row by row."""

import json
from typing import Any

import pytest

import saturated
from cuelight import wire
from cuelight.log import reduce

Log = list[tuple[str, dict[str, Any]]]

CALLER = {"phone": "+34600100200", "name": "Ada"}
LINE = {"channel": "phone", "from": "+34600100200", "to": "+34910000000", "caller": CALLER}
ON_THE_LINE = {"channel": "phone", "from": "+34600100200", "to": "+34910000000", "caller": CALLER}
ROUTE = {"channel": "phone", "number": None}
BY = {"id": "su_1"}
OPENED = ("room.opened", {"name": "room", "sid": "RM_1", "channel": "phone"})
ROOM: dict[str, Any] = {"name": "room", "sid": "RM_1", "participants": [], "caller": None}
ASKED = ("attention.requested", {"reason": "angry", "wait_s": 30})
ATTENTION = {"reason": "angry", "wait_s": 30, "status": "open", "asked_at": 101, "by": None}
CALLED = ("tool.call", {"call_id": "c1", "name": "book", "arguments": {"n": 1}})
RUN = {"call_id": "c1", "name": "book", "arguments": {"n": 1}, "status": "running", "seq": 1}
RESULT = {"call_id": "c1", "name": "book"}
YES = {"tool": "book", "call_id": "c1", "audience": "aa"}
CONFIRM = ("confirm.request", {**YES, "arguments": {}, "phrase": "Shall I?", "ttl_s": 60})
PENDING = {**YES, "phrase": "Shall I?", "status": "pending"}
METRICS = {"user": {"transcription_delay": 0.5}, "agent": {"e2e_latency": 1}}
USER_TURN = {"speech_id": "s1", "text": "hello", "metrics": METRICS["user"]}
AGENT_TURN = {"speech_id": "s1", "text": "hi", "interrupted": False, "metrics": METRICS["agent"]}


def joined(identity: str, kind: str = "listener", **more: Any) -> tuple[str, dict[str, Any]]:
    return "participant.joined", {"identity": identity, "kind": kind, "attributes": {}, **more}


def seat(identity: str, joined_at: int, kind: str = "listener", **more: Any) -> dict[str, Any]:
    return {"identity": identity, "kind": kind, "joined_at": joined_at, "speaking": False, "attributes": {}, **more}


def delta(text: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "agent.transcript", {"speech_id": "s1", "text": text, "final": False, **more}


def measured(kind: str) -> tuple[Log, dict[str, Any]]:
    """Measure something twice: both are kept, in order."""
    first: dict[str, Any] = saturated.ENTRIES[f"metrics.{kind}"][0]
    lists: dict[str, list[Any]] = {name: [] for name in saturated.STATE["metrics"]}
    second = {name: value for name, value in first.items() if name != "metadata"}
    return [(f"metrics.{kind}", first), (f"metrics.{kind}", second)], {"metrics": {**lists, kind: [first, second]}}


# What happened, and the fields of the State that are then not those of an empty log. Entry n has seq n and ts 100 + n.
ROWS: list[tuple[Log, dict[str, Any]]] = [
    ([("agent.configured", {"changed": ["voice"]})], {}),
    ([("agent.registered", {"routes": [ROUTE], "app": "ap"})], {"routes": [ROUTE]}),
    ([("agent.state", {"state": "thinking"})], {"agent_state": "thinking"}),
    # agent.transcript
    ([delta("Hel"), delta("lo")], {"live": {"user": None, "agent": "Hello"}}),
    ([delta("one", start=0.5), delta("two", start=0.9)], {"live": {"user": None, "agent": "one two"}}),
    ([delta("one"), delta("two", end=0.9)], {"live": {"user": None, "agent": "onetwo"}}),
    ([delta("one "), delta("two", start=0.9)], {"live": {"user": None, "agent": "one two"}}),
    ([delta("one"), delta("\u2003two", start=0.9)], {"live": {"user": None, "agent": "one\u2003two"}}),
    ([delta("one\x85"), delta("two", start=0.9)], {"live": {"user": None, "agent": "one\x85two"}}),
    ([delta("one\ufeff"), delta("two", start=0.9)], {"live": {"user": None, "agent": "one\ufeff two"}}),
    ([delta("one\x1f"), delta("two", start=0.9)], {"live": {"user": None, "agent": "one\x1f two"}}),
    ([delta("one"), delta("", start=0.9), delta("two")], {"live": {"user": None, "agent": "onetwo"}}),
    ([delta("", start=0), delta("one", start=0)], {"live": {"user": None, "agent": "one"}}),
    ([delta("")], {"live": {"user": None, "agent": ""}}),
    ([delta("one"), ("agent.transcript", {"speech_id": "s1", "text": "one", "final": True})], {}),
    # attention
    ([ASKED], {"attention": ATTENTION}),
    (
        [ASKED, ("attention.answered", {"ok": True, "by": BY})],
        {"attention": {**ATTENTION, "status": "answered", "by": BY}},
    ),
    ([ASKED, ("attention.answered", {"ok": False, "by": None})], {"attention": {**ATTENTION, "status": "lapsed"}}),
    (
        [ASKED, ("attention.answered", {"ok": True, "by": BY}), ("attention.answered", {"ok": False, "by": None})],
        {"attention": {**ATTENTION, "status": "lapsed"}},
    ),
    ([("attention.answered", {"ok": True, "by": BY})], {}),
    ([ASKED, ASKED], {"attention": {**ATTENTION, "asked_at": 102}}),
    # the call
    ([("call.dialing", LINE)], {**ON_THE_LINE, "status": "dialing", "direction": "outbound"}),
    ([("call.ringing", {**LINE, "route": ROUTE})], {**ON_THE_LINE, "status": "ringing", "direction": "inbound"}),
    (
        [("call.started", {**LINE, "direction": "inbound", "started_at": 5})],
        {**ON_THE_LINE, "status": "active", "direction": "inbound", "started_at": 5},
    ),
    (
        [("call.ringing", {**LINE, "route": ROUTE}), ("call.dialing", {**LINE, "caller": None, "to": "+1"})],
        {**ON_THE_LINE, "status": "dialing", "direction": "outbound", "caller": None, "to": "+1"},
    ),
    (
        [delta("hi"), ("call.ended", {"reason": "busy", "ended_by": "caller", "ended_at": 9, "duration_s": 4})],
        {"status": "ended", "ended_at": 9, "end_reason": "busy"},
    ),
    (
        [ASKED, ("call.ended", {"reason": "busy", "ended_by": "caller", "ended_at": 9, "duration_s": 4})],
        {"status": "ended", "ended_at": 9, "end_reason": "busy", "attention": {**ATTENTION, "status": "lapsed"}},
    ),
    (
        [
            ASKED,
            ("attention.answered", {"ok": True, "by": BY}),
            ("call.ended", {"reason": "busy", "ended_by": "caller", "ended_at": 9, "duration_s": 4}),
        ],
        {
            "status": "ended",
            "ended_at": 9,
            "end_reason": "busy",
            "attention": {**ATTENTION, "status": "answered", "by": BY},
        },
    ),
    ([("call.line", {"held": True, "muted": False})], {"held": True}),
    ([("call.line", {"held": True, "muted": True}), ("call.line", {"held": False, "muted": True})], {"muted": True}),
    ([("call.score", {"judges": [], "judge_calls": 0})], {}),
    (
        [("call.summary", saturated.ENTRIES["call.summary"][0])],
        {"usage": saturated.USAGE, "cost": {"eur": 0.12}, "outcome": "booked", "end_reason": "drained"},
    ),
    (
        [
            ("call.ended", {"reason": "busy", "ended_by": "caller", "ended_at": 9, "duration_s": 4}),
            ("call.summary", saturated.ENTRIES["call.summary"][0]),
        ],
        {
            "status": "ended",
            "ended_at": 9,
            "usage": saturated.USAGE,
            "cost": {"eur": 0.12},
            "outcome": "booked",
            "end_reason": "busy",
        },
    ),
    # transfers
    (
        [("call.transferred", {"to": "+1", "ok": True})],
        {"transfer": {"to": "+1", "mode": None, "status": "done", "by": "agent"}},
    ),
    (
        [("call.transferred", {"to": "+1", "mode": "warm", "ok": False, "error": "busy"})],
        {"transfer": {"to": "+1", "mode": "warm", "status": "failed", "by": "agent"}},
    ),
    (
        [("supervisor.transferred", {"by": BY, "to": "+2", "mode": "cold"})],
        {"transfer": {"to": "+2", "mode": "cold", "status": "requested", "by": "supervisor"}},
    ),
    (
        [("supervisor.transferred", {"by": BY, "to": "+2"}), ("call.transferred", {"to": "+3", "ok": True})],
        {"transfer": {"to": "+3", "mode": None, "status": "done", "by": "supervisor"}},
    ),
    (
        [("call.transferred", {"to": "+3", "ok": True}), ("supervisor.transferred", {"by": BY, "to": "+2"})],
        {"transfer": {"to": "+2", "mode": None, "status": "requested", "by": "supervisor"}},
    ),
    # confirmations
    ([CONFIRM], {"confirms": [PENDING]}),
    (
        [CONFIRM, ("confirm.granted", {**YES, "said": "yes", "ttl_s": 60})],
        {"confirms": [{**PENDING, "status": "granted", "said": "yes"}]},
    ),
    (
        [CONFIRM, ("confirm.declined", {**YES, "reason": "timeout"})],
        {"confirms": [{**PENDING, "status": "declined", "reason": "timeout"}]},
    ),
    (
        [CONFIRM, ("confirm.declined", {**YES, "said": "no way", "reason": "no"})],
        {"confirms": [{**PENDING, "status": "declined", "said": "no way", "reason": "no"}]},
    ),
    (
        [
            CONFIRM,
            ("confirm.granted", {**YES, "said": "yes", "ttl_s": 60}),
            ("confirm.declined", {**YES, "reason": "changed"}),
        ],
        {"confirms": [{**PENDING, "status": "declined", "said": "yes", "reason": "changed"}]},
    ),
    (
        [CONFIRM, CONFIRM, ("confirm.granted", {**YES, "said": "yes", "ttl_s": 60}), CONFIRM],
        {"confirms": [PENDING, {**PENDING, "status": "granted", "said": "yes"}, PENDING]},
    ),
    ([("confirm.granted", {**YES, "said": "yes", "ttl_s": 60}), ("confirm.declined", {**YES, "reason": "no"})], {}),
    # notes from code and from outside
    (
        [("custom", {"name": "n", "data": {"a": 1}}), ("custom", {"name": "m", "data": {}})],
        {"custom": [{"seq": 1, "name": "n", "data": {"a": 1}}, {"seq": 2, "name": "m", "data": {}}]},
    ),
    (
        [
            ("docs.sources", {"query": "q", "sources": [saturated.SOURCE, saturated.SOURCE], "took_ms": 1}),
            ("docs.sources", {"query": "r", "sources": [saturated.SOURCE], "took_ms": 1}),
        ],
        {"sources": [saturated.SOURCE]},
    ),
    ([("dtmf.received", {"digit": "5", "code": 5})], {}),
    (
        [("error", {"code": "oops", "message": "it broke", "id": "k", "recoverable": False})],
        {"errors": [{"seq": 1, "code": "oops", "message": "it broke"}]},
    ),
    (
        [
            ("event.received", {"name": "paid", "data": {"eur": 5}, "source": "app"}),
            ("event.received", {"name": "seen", "data": {}, "source": "participant", "identity": "web"}),
        ],
        {
            "events": [
                {"seq": 1, "name": "paid", "source": "app"},
                {"seq": 2, "name": "seen", "source": "participant", "identity": "web"},
            ]
        },
    ),
    (
        [
            ("memory.ops", {"ops": [saturated.MEMORY, {**saturated.MEMORY, "op": "forget"}]}),
            ("memory.ops", {"ops": []}),
            ("memory.ops", {"ops": [saturated.MEMORY], "speech_id": "s1"}),
        ],
        {"memory": [saturated.MEMORY, {**saturated.MEMORY, "op": "forget"}, saturated.MEMORY]},
    ),
    *map(measured, ("avatar", "eot", "eou", "interruption", "llm", "realtime", "stt", "tts", "vad")),
    # the room
    ([OPENED], {"room": ROOM}),
    ([OPENED, joined("a"), OPENED], {"room": ROOM}),
    (
        [OPENED, joined("a", name="Ann"), joined("b", kind="caller")],
        {"room": {**ROOM, "participants": [seat("a", 102, name="Ann"), seat("b", 103, kind="caller")], "caller": "b"}},
    ),
    (
        [
            OPENED,
            joined("a", name="Ann"),
            joined("b"),
            ("participant.speaking", {"identity": "a", "speaking": True}),
            joined("a"),
        ],
        {"room": {**ROOM, "participants": [seat("a", 105), seat("b", 103)]}},
    ),
    (
        [OPENED, joined("a", kind="caller"), joined("b", kind="caller")],
        {
            "room": {
                **ROOM,
                "participants": [seat("a", 102, kind="caller"), seat("b", 103, kind="caller")],
                "caller": "b",
            }
        },
    ),
    (
        [OPENED, joined("a"), joined("b", kind="caller"), ("participant.left", {"identity": "b", "reason": "gone"})],
        {"room": {**ROOM, "participants": [seat("a", 102)]}},
    ),
    (
        [OPENED, joined("a"), joined("b", kind="caller"), ("participant.left", {"identity": "a", "reason": "gone"})],
        {"room": {**ROOM, "participants": [seat("b", 103, kind="caller")], "caller": "b"}},
    ),
    (
        [OPENED, joined("a"), joined("b"), ("participant.speaking", {"identity": "b", "speaking": True})],
        {"room": {**ROOM, "participants": [seat("a", 102), seat("b", 103, speaking=True)]}},
    ),
    ([OPENED, ("participant.speaking", {"identity": "b", "speaking": True})], {"room": ROOM}),
    ([joined("a"), ("participant.left", {"identity": "a", "reason": "x"})], {}),
    ([("participant.speaking", {"identity": "b", "speaking": True})], {}),
    ([("room.sent", {"topic": "t", "bytes": 5})], {}),
    ([("track.published", {"identity": "a", "kind": "audio", "source": "microphone"})], {}),
    ([("track.unpublished", {"identity": "a", "kind": "audio", "source": "microphone"})], {}),
    # prompt, state and tools
    (
        [
            ("prompt.changed", {"name": "view", "hash": "aa", "chars": 5}),
            ("prompt.changed", {"name": "tools", "hash": "bb", "chars": 6}),
            ("prompt.changed", {"name": "view", "hash": "cc", "chars": 7}),
        ],
        {"prompt": {"view": {"hash": "cc", "chars": 7, "seq": 3}, "tools": {"hash": "bb", "chars": 6, "seq": 2}}},
    ),
    (
        [
            ("state.changed", {"state": {"a": 1, "b": 2}, "changed": ["a", "b"]}),
            (
                "state.changed",
                {"state": {"a": None}, "changed": ["a"], "cause": {"kind": "event", "name": "e", "seq": 1}},
            ),
        ],
        {"app_state": {"a": None}},
    ),
    ([CALLED], {"tools": [RUN]}),
    ([("tool.call", {**CALLED[1], "speech_id": "s1"})], {"tools": [{**RUN, "speech_id": "s1"}]}),
    ([CALLED, ("tool.result", RESULT)], {"tools": [{**RUN, "status": "done"}]}),
    (
        [CALLED, ("tool.result", {**RESULT, "output": None, "summary": "ok", "duration_s": 0.5})],
        {"tools": [{**RUN, "status": "done", "output": None, "summary": "ok", "duration_s": 0.5}]},
    ),
    ([CALLED, ("tool.result", {**RESULT, "error": "no"})], {"tools": [{**RUN, "status": "failed", "error": "no"}]}),
    ([CALLED, ("tool.result", {**RESULT, "error": ""})], {"tools": [{**RUN, "status": "failed", "error": ""}]}),
    ([CALLED, ("tool.result", {**RESULT, "error": None})], {"tools": [{**RUN, "status": "done", "error": None}]}),
    (
        [CALLED, ("tool.result", {**RESULT, "output": 1}), ("tool.result", {**RESULT, "error": "late"})],
        {"tools": [{**RUN, "status": "done", "output": 1}]},
    ),
    (
        [CALLED, CALLED, ("tool.result", {**RESULT, "output": 1}), ("tool.result", {**RESULT, "output": 2})],
        {"tools": [RUN, {**RUN, "seq": 2, "status": "done", "output": 1}]},
    ),
    (
        [CALLED, ("tool.result", {**RESULT, "output": 1}), CALLED, ("tool.result", {**RESULT, "output": 2})],
        {"tools": [{**RUN, "status": "done", "output": 1}, {**RUN, "seq": 3, "status": "done", "output": 2}]},
    ),
    ([CALLED, ("tool.result", {**RESULT, "call_id": "other"})], {"tools": [RUN]}),
    ([("tools.changed", {"visible": ["a", "b"]}), ("tools.changed", {"visible": ["b"]})], {"tools_visible": ["b"]}),
    # supervisors
    ([("supervisor.ended", {"by": BY})], {}),
    ([("supervisor.said", {"by": BY, "text": "hi"})], {}),
    ([("supervisor.whispered", {"by": BY, "text": "hi"})], {}),
    ([("supervisor.took_over", {"by": BY})], {"handoff": {"active": True, "by": BY}}),
    ([("supervisor.took_over", {"by": BY}), ("supervisor.released", {"by": {"id": "su_2"}})], {}),
    # turns and words
    (
        [("user.transcript", {"text": "hel", "final": False}), ("user.transcript", {"text": "hello", "final": False})],
        {"live": {"user": "hello", "agent": None}},
    ),
    ([("user.transcript", {"text": "a", "final": False}), ("user.transcript", {"text": "a", "final": True})], {}),
    (
        [("user.transcript", {"text": "hel", "final": False}), ("turn.user", USER_TURN)],
        {"turns": [{"role": "user", **USER_TURN}]},
    ),
    (
        [delta("h"), ("user.transcript", {"text": "x", "final": False}), ("turn.agent", AGENT_TURN)],
        {"turns": [{"role": "agent", **AGENT_TURN}], "live": {"user": "x", "agent": None}},
    ),
    (
        [("turn.user", {**USER_TURN, "role": "nobody knows this field"}), ("turn.agent", {**AGENT_TURN, "role": 5})],
        {"turns": [{"role": "user", **USER_TURN}, {"role": "agent", **AGENT_TURN}]},
    ),
    (
        [("turn.user", saturated.USER_TURN), ("turn.agent", saturated.AGENT_TURN)],
        {"turns": [{"role": "user", **saturated.USER_TURN}, {"role": "agent", **saturated.AGENT_TURN}]},
    ),
    ([("user.state", {"state": "away"})], {"user_state": "away"}),
    # what the State ignores
    *(([(type_, saturated.ENTRIES[type_][0])], {}) for type_ in sorted(wire.CUE_TYPES)),
    ([("cue.said", {"by": ["no", "shape"]})], {}),
    *(([(type_, {"any": "thing"})], {}) for type_ in sorted(wire.OPAQUE_TYPES)),
    ([("message.sent", {}), ("code.ran", {}), ("later.type", {"a": 1})], {}),
]


@pytest.mark.parametrize(("log", "changed"), ROWS, ids=[f"{n} {log[-1][0]}" for n, (log, _) in enumerate(ROWS)])
def test_a_row(log: Log, changed: dict[str, Any]) -> None:
    entries = [
        wire.entry(type_, data, seq=seq, ts=100 + seq, call="CA_1", agent="desk")
        for seq, (type_, data) in enumerate(log, start=1)
    ]
    empty = json.loads(wire.encode(wire.State.empty()))
    assert json.loads(wire.encode(reduce(entries))) == {
        **empty,
        "seq": len(log),
        "agent": "desk",
        "call": "CA_1",
        **changed,
    }


def test_every_type_that_counts_has_a_row_here() -> None:
    seen = {type_ for log, _ in ROWS for type_, _ in log}
    assert wire.ENTRY_TYPES.keys() - wire.CONTROL_TYPES.keys() <= seen
