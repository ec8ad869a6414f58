"""What happens in the conversation: turns, tool calls, confirmations, the prompt, the state, measurements."""

from copy import copy
from typing import Any

import msgspec
from msgspec import UNSET, structs

import cuelight.wire as wire
from cuelight.log.row import Effect, Places, Row, row

__all__ = ["TALK_ROWS"]

# The characters with the Unicode property White_Space, which every language can ask for; what each calls a space
# without being asked differs.
_WHITE_SPACE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def _agent_state(state: wire.State, data: wire.AgentStateChanged, entry: wire.Entry, places: Places) -> None:
    state.agent_state = data.state


def _user_state(state: wire.State, data: wire.UserStateChanged, entry: wire.Entry, places: Places) -> None:
    state.user_state = data.state


def _agent_speaks(state: wire.State, data: wire.AgentTranscript, entry: wire.Entry, places: Places) -> None:
    live = state.live
    live.agent = None if data.final else _with_delta(live.agent, data)


def _with_delta(said: str | None, delta: wire.AgentTranscript) -> str:
    text = delta.text
    if not said:
        return text
    # A word that is aligned with the audio, which is one that has a start, comes without the space before it.
    is_word = delta.start is not UNSET and text != ""
    if is_word and said[-1] not in _WHITE_SPACE and text[0] not in _WHITE_SPACE:
        return f"{said} {text}"
    return said + text


def _user_speaks(state: wire.State, data: wire.UserTranscript, entry: wire.Entry, places: Places) -> None:
    state.live.user = None if data.final else data.text


def _agent_turn(state: wire.State, data: wire.AgentTurn, entry: wire.Entry, places: Places) -> None:
    state.turns.append(data)
    state.live.agent = None


def _user_turn(state: wire.State, data: wire.UserTurn, entry: wire.Entry, places: Places) -> None:
    state.turns.append(data)
    state.live.user = None


def _turn_row(shape: type[wire.Shape], turn: type[wire.AgentTurn] | type[wire.UserTurn], effect: Effect) -> Row:
    at_once, as_written = wire.decoder_of(turn).decode, wire.decoder_of(shape).decode

    def decode(body: msgspec.Raw) -> Any:
        try:
            return at_once(body)
        except msgspec.ValidationError:
            # The State's turn has a `role`; in an entry that is a field nobody knows, so it may hold anything.
            return turn(**structs.asdict(as_written(body)))

    return Row(decode, effect, ("turns", "live"))


def _tool_called(state: wire.State, data: wire.ToolCall, entry: wire.Entry, places: Places) -> None:
    run = wire.ToolRun(
        call_id=data.call_id,
        name=data.name,
        arguments=data.arguments,
        speech_id=data.speech_id,
        status="running",
        seq=entry.seq,
    )
    places.add_run(state, run)


def _tool_settled(state: wire.State, data: wire.ToolResult, entry: wire.Entry, places: Places) -> None:
    index = places.run_of(state, data.call_id)
    if index is None or state.tools[index].status != "running":
        return
    run = copy(state.tools[index])
    structs.force_setattr(run, "status", "done" if data.error is UNSET or data.error is None else "failed")
    for name in ("output", "error", "summary", "duration_s"):
        value = getattr(data, name)
        if value is not UNSET:
            structs.force_setattr(run, name, value)
    state.tools[index] = run


def _confirm_asked(state: wire.State, data: wire.ConfirmRequest, entry: wire.Entry, places: Places) -> None:
    confirm = wire.Confirm(
        tool=data.tool, call_id=data.call_id, audience=data.audience, phrase=data.phrase, status="pending"
    )
    places.add_confirm(state, confirm)


def _confirm_granted(state: wire.State, data: wire.ConfirmGranted, entry: wire.Entry, places: Places) -> None:
    index = places.confirm_of(state, data.call_id)
    if index is not None:
        state.confirms[index] = structs.replace(state.confirms[index], status="granted", said=data.said)


def _confirm_declined(state: wire.State, data: wire.ConfirmDeclined, entry: wire.Entry, places: Places) -> None:
    index = places.confirm_of(state, data.call_id)
    if index is not None:
        confirm = state.confirms[index]
        said = confirm.said if data.said is UNSET else data.said
        state.confirms[index] = structs.replace(confirm, status="declined", reason=data.reason, said=said)


def _prompt_changed(state: wire.State, data: wire.PromptChanged, entry: wire.Entry, places: Places) -> None:
    state.prompt[data.name] = wire.PromptBlockState(hash=data.hash, chars=data.chars, seq=entry.seq)


def _state_changed(state: wire.State, data: wire.StateChanged, entry: wire.Entry, places: Places) -> None:
    state.app_state = data.state


def _tools_changed(state: wire.State, data: wire.ToolsChanged, entry: wire.Entry, places: Places) -> None:
    state.tools_visible = data.visible


def _memory_used(state: wire.State, data: wire.MemoryOps, entry: wire.Entry, places: Places) -> None:
    state.memory.extend(data.ops)


def _docs_found(state: wire.State, data: wire.DocsSources, entry: wire.Entry, places: Places) -> None:
    state.sources = data.sources


def _event_received(state: wire.State, data: wire.EventReceived, entry: wire.Entry, places: Places) -> None:
    event = wire.ReceivedEvent(seq=entry.seq, name=data.name, source=data.source, identity=data.identity)
    state.events.append(event)


def _error(state: wire.State, data: wire.ErrorReport, entry: wire.Entry, places: Places) -> None:
    state.errors.append(wire.LoggedError(seq=entry.seq, code=data.code, message=data.message))


def _custom(state: wire.State, data: wire.Custom, entry: wire.Entry, places: Places) -> None:
    state.custom.append(wire.CustomNote(seq=entry.seq, name=data.name, data=data.data))


TALK_ROWS = {
    "agent.state": row(wire.AgentStateChanged, _agent_state),
    "agent.transcript": row(wire.AgentTranscript, _agent_speaks, "live"),
    "confirm.declined": row(wire.ConfirmDeclined, _confirm_declined, "confirms"),
    "confirm.granted": row(wire.ConfirmGranted, _confirm_granted, "confirms"),
    "confirm.request": row(wire.ConfirmRequest, _confirm_asked, "confirms"),
    "custom": row(wire.Custom, _custom, "custom"),
    "docs.sources": row(wire.DocsSources, _docs_found),
    "error": row(wire.ErrorReport, _error, "errors"),
    "event.received": row(wire.EventReceived, _event_received, "events"),
    "memory.ops": row(wire.MemoryOps, _memory_used, "memory"),
    "prompt.changed": row(wire.PromptChanged, _prompt_changed, "prompt"),
    "state.changed": row(wire.StateChanged, _state_changed),
    "tool.call": row(wire.ToolCall, _tool_called, "tools"),
    "tool.result": row(wire.ToolResult, _tool_settled, "tools"),
    "tools.changed": row(wire.ToolsChanged, _tools_changed),
    "turn.agent": _turn_row(wire.TurnAgent, wire.AgentTurn, _agent_turn),
    "turn.user": _turn_row(wire.TurnUser, wire.UserTurn, _user_turn),
    "user.state": row(wire.UserStateChanged, _user_state),
    "user.transcript": row(wire.UserTranscript, _user_speaks, "live"),
}
