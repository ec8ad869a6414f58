"""Which shape the data of an entry or a command has, by its type."""

from collections.abc import Mapping
from types import MappingProxyType

from cuelight.wire import calls, commands, control, cue, metrics, talk
from cuelight.wire.shapes import Shape

__all__ = [
    "COMMAND_TYPES",
    "CONTROL_TYPES",
    "CUE_TYPES",
    "ENTRY_TYPES",
    "EPHEMERAL_TYPES",
    "OPAQUE_TYPES",
    "is_control",
    "is_opaque",
]

CONTROL_TYPES: Mapping[str, type[Shape]] = MappingProxyType(
    {"log.caught_up": control.LogCaughtUp, "log.gap": control.LogGap, "pong": control.Pong}
)
"""Entries about the reading of a log: never counted, never stored."""

CUE_TYPES: Mapping[str, type[Shape]] = MappingProxyType(
    {
        "cue.crossing": cue.CueCrossing,
        "cue.delivered": cue.CueDelivered,
        "cue.erased": cue.CueErased,
        "cue.forgotten": cue.CueForgotten,
        "cue.heard": cue.CueHeard,
        "cue.refused": cue.CueRefused,
        "cue.reply": cue.CueReply,
        "cue.route": cue.CueRoute,
        "cue.said": cue.CueSaid,
        "cue.unknown": cue.CueUnknown,
    }
)
"""Cuelight's own entries, which the State ignores."""

ENTRY_TYPES: Mapping[str, type[Shape]] = MappingProxyType(
    {
        "agent.configured": calls.AgentConfigured,
        "agent.registered": calls.AgentRegistered,
        "agent.state": talk.AgentStateChanged,
        "agent.transcript": talk.AgentTranscript,
        "attention.answered": calls.AttentionAnswered,
        "attention.requested": calls.AttentionRequested,
        "call.dialing": calls.CallDialing,
        "call.ended": calls.CallEnded,
        "call.line": calls.CallLine,
        "call.ringing": calls.CallRinging,
        "call.score": calls.CallScore,
        "call.started": calls.CallStarted,
        "call.summary": calls.CallSummary,
        "call.transferred": calls.CallTransferred,
        "confirm.declined": talk.ConfirmDeclined,
        "confirm.granted": talk.ConfirmGranted,
        "confirm.request": talk.ConfirmRequest,
        "custom": talk.Custom,
        "docs.sources": talk.DocsSources,
        "dtmf.received": calls.DtmfReceived,
        "error": talk.ErrorReport,
        "event.received": talk.EventReceived,
        "memory.ops": talk.MemoryOps,
        "metrics.avatar": metrics.AvatarMetrics,
        "metrics.eot": metrics.EOTInferenceMetrics,
        "metrics.eou": metrics.EOUMetrics,
        "metrics.interruption": metrics.InterruptionMetrics,
        "metrics.llm": metrics.LLMMetrics,
        "metrics.realtime": metrics.RealtimeModelMetrics,
        "metrics.stt": metrics.STTMetrics,
        "metrics.tts": metrics.TTSMetrics,
        "metrics.vad": metrics.VADMetrics,
        "participant.joined": calls.ParticipantJoined,
        "participant.left": calls.ParticipantLeft,
        "participant.speaking": calls.ParticipantSpeaking,
        "prompt.changed": talk.PromptChanged,
        "room.opened": calls.RoomOpened,
        "room.sent": calls.RoomSent,
        "state.changed": talk.StateChanged,
        "supervisor.ended": calls.SupervisorEnded,
        "supervisor.released": calls.SupervisorReleased,
        "supervisor.said": calls.SupervisorSaid,
        "supervisor.took_over": calls.SupervisorTookOver,
        "supervisor.transferred": calls.SupervisorTransferred,
        "supervisor.whispered": calls.SupervisorWhispered,
        "tool.call": talk.ToolCall,
        "tool.result": talk.ToolResult,
        "tools.changed": talk.ToolsChanged,
        "track.published": calls.TrackPublished,
        "track.unpublished": calls.TrackUnpublished,
        "turn.agent": talk.TurnAgent,
        "turn.user": talk.TurnUser,
        "user.state": talk.UserStateChanged,
        "user.transcript": talk.UserTranscript,
        **CONTROL_TYPES,
        **CUE_TYPES,
    }
)
"""Every entry type whose data this version can read, with the shape of that data."""

EPHEMERAL_TYPES = frozenset(
    {
        "agent.transcript",
        "metrics.vad",
        "participant.speaking",
        "room.sent",
        "user.transcript",
        *CONTROL_TYPES,
    }
)
"""Types that are delivered and not stored."""

OPAQUE_TYPES = frozenset(
    {
        "agent.detached",
        "agent.draining",
        "call.attached",
        "call.claimed",
        "callback.requested",
        "credits.exhausted",
        "fleet.full",
    }
)
"""Types of the public protocol that change nothing in the State and are carried as they came."""

_OPAQUE_FAMILIES = ("code.", "message.")

COMMAND_TYPES: Mapping[str, type[Shape]] = MappingProxyType(
    {
        "agent.configure": commands.AgentConfigure,
        "agent.register": commands.AgentRegister,
        "agent.reply": commands.AgentReply,
        "agent.say": commands.AgentSay,
        "call.attention": commands.CallAttention,
        "call.dial": commands.CallDial,
        "call.dtmf": commands.CallDtmf,
        "call.event": commands.CallEvent,
        "call.hangup": commands.CallHangup,
        "call.hold": commands.NoData,
        "call.log": commands.CallLog,
        "call.mute": commands.NoData,
        "call.transfer": commands.CallTransfer,
        "call.unhold": commands.NoData,
        "call.unmute": commands.NoData,
        "participant.mute": commands.ParticipantMute,
        "participant.remove": commands.ParticipantRemove,
        "ping": commands.NoData,
        "prompt.set": commands.PromptSet,
        "room.invite": commands.RoomInvite,
        "room.send": commands.RoomSend,
        "session.configure": commands.SessionConfigure,
        "state.set": commands.StateSet,
        "supervisor.verb": commands.SupervisorVerb,
        "tool.result": talk.ToolResult,
        "tools.set": commands.ToolsSet,
    }
)
"""Every command, with the shape of its data."""


def is_control(type_: str) -> bool:
    """Tell whether a type is about the reading of a log: `log.*`, also one not known yet, and `pong`."""
    return type_ == "pong" or type_.startswith("log.")


def is_opaque(type_: str) -> bool:
    """Tell whether a type is one of the public protocol's that are carried as they came."""
    return type_ in OPAQUE_TYPES or type_.startswith(_OPAQUE_FAMILIES)
