"""What happens around the conversation: the call, its line and room, the people who watch over it."""

from msgspec import UNSET
from msgspec.structs import replace

import cuelight.wire as wire
from cuelight.log.row import Places, nothing, row

__all__ = ["CALL_ROWS"]


def _registered(state: wire.State, data: wire.AgentRegistered, entry: wire.Entry, places: Places) -> None:
    state.routes = data.routes


def _line(state: wire.State, data: wire.CallDialing | wire.CallRinging | wire.CallStarted) -> None:
    state.channel = data.channel
    state.from_ = data.from_
    state.to = data.to
    state.caller = data.caller


def _dialing(state: wire.State, data: wire.CallDialing, entry: wire.Entry, places: Places) -> None:
    state.status, state.direction = "dialing", "outbound"
    _line(state, data)


def _ringing(state: wire.State, data: wire.CallRinging, entry: wire.Entry, places: Places) -> None:
    state.status, state.direction = "ringing", "inbound"
    _line(state, data)


def _started(state: wire.State, data: wire.CallStarted, entry: wire.Entry, places: Places) -> None:
    state.status, state.direction, state.started_at = "active", data.direction, data.started_at
    _line(state, data)


def _ended(state: wire.State, data: wire.CallEnded, entry: wire.Entry, places: Places) -> None:
    state.status, state.ended_at, state.end_reason = "ended", data.ended_at, data.reason
    state.live = wire.LiveTranscript(user=None, agent=None)
    if state.attention and state.attention.status == "open":
        state.attention = replace(state.attention, status="lapsed")


def _summed_up(state: wire.State, data: wire.CallSummary, entry: wire.Entry, places: Places) -> None:
    state.usage, state.cost, state.outcome = data.usage, data.cost, data.outcome
    if state.end_reason is None:
        state.end_reason = data.reason


def _line_changed(state: wire.State, data: wire.CallLine, entry: wire.Entry, places: Places) -> None:
    state.held, state.muted = data.held, data.muted


def _transferred(state: wire.State, data: wire.CallTransferred, entry: wire.Entry, places: Places) -> None:
    state.transfer = wire.TransferState(
        to=data.to,
        mode=None if data.mode is UNSET else data.mode,
        status="done" if data.ok else "failed",
        by="agent" if state.transfer is None else state.transfer.by,
    )


def _transfer_asked(state: wire.State, data: wire.SupervisorTransferred, entry: wire.Entry, places: Places) -> None:
    mode = None if data.mode is UNSET else data.mode
    state.transfer = wire.TransferState(to=data.to, mode=mode, status="requested", by="supervisor")


def _took_over(state: wire.State, data: wire.SupervisorTookOver, entry: wire.Entry, places: Places) -> None:
    state.handoff = wire.Handoff(active=True, by=data.by)


def _released(state: wire.State, data: wire.SupervisorReleased, entry: wire.Entry, places: Places) -> None:
    state.handoff = wire.Handoff(active=False, by=None)


def _wanted(state: wire.State, data: wire.AttentionRequested, entry: wire.Entry, places: Places) -> None:
    state.attention = wire.AttentionState(
        reason=data.reason, wait_s=data.wait_s, status="open", asked_at=entry.ts, by=None
    )


def _answered(state: wire.State, data: wire.AttentionAnswered, entry: wire.Entry, places: Places) -> None:
    if state.attention:
        state.attention = replace(state.attention, status="answered" if data.ok else "lapsed", by=data.by)


def _room_opened(state: wire.State, data: wire.RoomOpened, entry: wire.Entry, places: Places) -> None:
    state.room = wire.Room(name=data.name, sid=data.sid, participants=[], caller=None)


def _joined(state: wire.State, data: wire.ParticipantJoined, entry: wire.Entry, places: Places) -> None:
    room = state.room
    if room is None:
        return
    seat = wire.Participant(
        identity=data.identity,
        kind=data.kind,
        name=data.name,
        joined_at=entry.ts,
        speaking=False,
        attributes=data.attributes,
    )
    seats = [seat if other.identity == data.identity else other for other in room.participants]
    if all(other is not seat for other in seats):
        seats.append(seat)
    state.room = replace(room, participants=seats, caller=data.identity if data.kind == "caller" else room.caller)


def _left(state: wire.State, data: wire.ParticipantLeft, entry: wire.Entry, places: Places) -> None:
    room = state.room
    if room is None:
        return
    seats = [seat for seat in room.participants if seat.identity != data.identity]
    state.room = replace(room, participants=seats, caller=None if room.caller == data.identity else room.caller)


def _speaking(state: wire.State, data: wire.ParticipantSpeaking, entry: wire.Entry, places: Places) -> None:
    room = state.room
    if room is None:
        return
    seats = [
        replace(seat, speaking=data.speaking) if seat.identity == data.identity else seat for seat in room.participants
    ]
    state.room = replace(room, participants=seats)


CALL_ROWS = {
    "agent.configured": row(wire.AgentConfigured, nothing),
    "agent.registered": row(wire.AgentRegistered, _registered),
    "attention.answered": row(wire.AttentionAnswered, _answered),
    "attention.requested": row(wire.AttentionRequested, _wanted),
    "call.dialing": row(wire.CallDialing, _dialing),
    "call.ended": row(wire.CallEnded, _ended),
    "call.line": row(wire.CallLine, _line_changed),
    "call.ringing": row(wire.CallRinging, _ringing),
    "call.score": row(wire.CallScore, nothing),
    "call.started": row(wire.CallStarted, _started),
    "call.summary": row(wire.CallSummary, _summed_up),
    "call.transferred": row(wire.CallTransferred, _transferred),
    "dtmf.received": row(wire.DtmfReceived, nothing),
    "participant.joined": row(wire.ParticipantJoined, _joined),
    "participant.left": row(wire.ParticipantLeft, _left),
    "participant.speaking": row(wire.ParticipantSpeaking, _speaking),
    "room.opened": row(wire.RoomOpened, _room_opened),
    "room.sent": row(wire.RoomSent, nothing),
    "supervisor.ended": row(wire.SupervisorEnded, nothing),
    "supervisor.released": row(wire.SupervisorReleased, _released),
    "supervisor.said": row(wire.SupervisorSaid, nothing),
    "supervisor.took_over": row(wire.SupervisorTookOver, _took_over),
    "supervisor.transferred": row(wire.SupervisorTransferred, _transfer_asked),
    "supervisor.whispered": row(wire.SupervisorWhispered, nothing),
    "track.published": row(wire.TrackPublished, nothing),
    "track.unpublished": row(wire.TrackUnpublished, nothing),
}
