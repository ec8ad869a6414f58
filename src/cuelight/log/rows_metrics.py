"""The measurements of a call, each kind in a list of its own."""

import cuelight.wire as wire
from cuelight.log.row import Places, row

__all__ = ["METRICS_ROWS"]


def _avatar(state: wire.State, data: wire.AvatarMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.avatar.append(data)


def _eot(state: wire.State, data: wire.EOTInferenceMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.eot.append(data)


def _eou(state: wire.State, data: wire.EOUMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.eou.append(data)


def _interruption(state: wire.State, data: wire.InterruptionMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.interruption.append(data)


def _llm(state: wire.State, data: wire.LLMMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.llm.append(data)


def _realtime(state: wire.State, data: wire.RealtimeModelMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.realtime.append(data)


def _stt(state: wire.State, data: wire.STTMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.stt.append(data)


def _tts(state: wire.State, data: wire.TTSMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.tts.append(data)


def _vad(state: wire.State, data: wire.VADMetrics, entry: wire.Entry, places: Places) -> None:
    state.metrics.vad.append(data)


METRICS_ROWS = {
    "metrics.avatar": row(wire.AvatarMetrics, _avatar, "metrics"),
    "metrics.eot": row(wire.EOTInferenceMetrics, _eot, "metrics"),
    "metrics.eou": row(wire.EOUMetrics, _eou, "metrics"),
    "metrics.interruption": row(wire.InterruptionMetrics, _interruption, "metrics"),
    "metrics.llm": row(wire.LLMMetrics, _llm, "metrics"),
    "metrics.realtime": row(wire.RealtimeModelMetrics, _realtime, "metrics"),
    "metrics.stt": row(wire.STTMetrics, _stt, "metrics"),
    "metrics.tts": row(wire.TTSMetrics, _tts, "metrics"),
    "metrics.vad": row(wire.VADMetrics, _vad, "metrics"),
}
