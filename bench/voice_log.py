"""A long voice call's log, made up: the same one each time, with every field filled in that such a call fills in.

One turn is what a phone call to a restaurant's desk writes: live words, measurements of hearing, thinking and speaking,
a tool call that changes the state, and now and then a question to the knowledge base, a confirmation, an interruption.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

__all__ = ["voice_log"]

Put = Callable[..., None]

_LLM = {"model_name": "gpt-large", "model_provider": "somewhere"}
_STT = {"model_name": "hears-2", "model_provider": "elsewhere"}
_TTS = {"model_name": "speaks-1", "model_provider": "elsewhere"}
_EOT = {"model_name": "turns-1", "model_provider": "elsewhere"}
_SAID = (
    "hi I would like to book a table for tomorrow evening",
    "for four people and one of us needs a high chair",
    "is half past eight still free by any chance",
    "yes that is fine please put it under the name of Byrne",
    "and could we sit outside if the weather stays like this",
)
_REPLIES = (
    "Of course. For how many people shall I look, and does anybody need a high chair?",
    "I have a table for four at eight, and one at a quarter to nine. Which one suits you better?",
    "Half past eight is taken, I am afraid, but I can offer you a quarter to nine on the terrace.",
    "It is noted under Byrne. You will get a message on this number to confirm it.",
    "The terrace is open until eleven, and there are heaters should it turn cold.",
)


def voice_log(count: int) -> Iterator[bytes]:
    """Give the lines of a call with so many entries, without line ends."""
    for entry in islice(_entries(), count):
        yield json.dumps(entry, separators=(",", ":"), ensure_ascii=False).encode()


def _entries() -> Iterator[dict[str, Any]]:
    written: list[dict[str, Any]] = []
    seq, now = 0, 1_790_000_000.0

    def put(type_: str, data: dict[str, Any], *, ephemeral: bool = False) -> None:
        nonlocal seq, now
        seq, now = seq + (not ephemeral), now + 0.137
        head = {"seq": seq, "ts": round(now, 3), "call": "CA_5f20c1", "agent": "harbour-table", "type": type_}
        written.append({**head, "ephemeral": ephemeral, "data": data})

    _opening(put)
    turn = 0
    while True:
        yield from written
        written.clear()
        _turn(put, turn, now)
        turn += 1


def _opening(put: Put) -> None:
    caller = {"id": "co_81", "phone": "+34600555010", "name": "Ada Byrne", "external_id": "crm-8812"}
    line = {"channel": "phone", "from": "+34600555010", "to": "+34910555020", "caller": caller}
    put("call.ringing", {**line, "route": {"channel": "phone", "number": "+34910555020", "label": "main"}})
    put("room.opened", {"name": "call-5f20c1", "sid": "RM_9ab1", "channel": "phone"})
    put("call.started", {**line, "direction": "inbound", "started_at": 1_790_000_000.5})
    for identity, kind in (("sip_+34600555010", "caller"), ("agent-AJ_77", "agent")):
        attributes = {"sip.callID": "SCL_1", "sip.trunk": "ST_4", "lk.agent.state": "idle"}
        put("participant.joined", {"identity": identity, "kind": kind, "name": kind, "attributes": attributes})
        put("track.published", {"identity": identity, "kind": "audio", "source": "microphone"})
    _state(put, 0, {"kind": "event", "name": "opened", "seq": 1})
    for name in ("identity", "tools", "view"):
        _prompt(put, name, 0)


def _turn(put: Put, turn: int, now: float) -> None:
    speech = f"speech_{turn:06}"
    _hear(put, turn, speech, now)
    _think(put, turn, speech, now)
    _speak(put, turn, speech, now)


def _hear(put: Put, turn: int, speech: str, now: float) -> None:
    said = _SAID[turn % len(_SAID)]
    put("user.state", {"state": "speaking"})
    for part in (said[:18], said[:36]):
        put("user.transcript", {"text": part, "final": False, "language": "en", "confidence": 0.82}, ephemeral=True)
    put("user.state", {"state": "listening"})
    stt = {"label": "hears.STT", "request_id": f"st_{turn:08x}", "timestamp": now, "duration": 0.0, "metadata": _STT}
    put("metrics.stt", {"type": "stt_metrics", **stt, "audio_duration": 2.85, "streamed": True, "acquire_time": 0.012})
    put(
        "metrics.eou",
        {
            "type": "eou_metrics",
            "timestamp": now + 0.4,
            "end_of_utterance_delay": 0.412,
            "transcription_delay": 0.231,
            "on_user_turn_completed_delay": 0.0042,
            "speech_id": speech,
            "metadata": _EOT,
        },
    )
    times = {"total_duration": 0.048, "detection_delay": 0.021, "prediction_duration": 0.027, "num_requests": 2}
    put("metrics.eot", {"type": "eot_inference_metrics", "timestamp": now + 0.4, **times, "metadata": _EOT})
    measured = {
        "started_speaking_at": now,
        "stopped_speaking_at": now + 2.85,
        "transcription_delay": 0.231,
        "end_of_turn_delay": 0.412,
        "on_user_turn_completed_delay": 0.0042,
        "stt_metadata": _STT,
    }
    words = {"text": said, "language": "en", "transcript_confidence": 0.964, "metrics": measured}
    put("turn.user", {"speech_id": speech, "item_id": f"item_{turn:06}u", **words})


def _think(put: Put, turn: int, speech: str, now: float) -> None:
    call_id = f"call_{turn:08x}"
    put("agent.state", {"state": "thinking"})
    _llm(put, turn, speech, now, 31)
    if turn % 5 == 3:
        found = [
            {"id": f"doc_{n}", "base": "house", "path": f"menu/{n}.md", "heading": "Terrace", "score": 0.71 - n / 10}
            for n in range(3)
        ]
        put("docs.sources", {"query": "terrace at night", "sources": found, "took_ms": 38.4, "speech_id": speech})
    arguments = {"day": "2026-11-30", "people": 4, "from": "20:00", "notes": ["high chair", "terrace"]}
    if turn % 7 == 6:
        asked = {"tool": "book", "call_id": call_id, "audience": hashlib.sha256(call_id.encode()).hexdigest()}
        phrase = "Shall I book a quarter to nine for four, on the terrace?"
        put("confirm.request", {**asked, "arguments": arguments, "phrase": phrase, "ttl_s": 120})
        put("confirm.granted", {**asked, "said": "yes please", "ttl_s": 120})
    put("tool.call", {"call_id": call_id, "name": "free_tables", "arguments": arguments, "speech_id": speech})
    _state(put, turn, {"kind": "tool", "tool": "free_tables", "call_id": call_id})
    if turn % 3 == 0:
        put("tools.changed", {"visible": ["look_up_guest", "free_tables", "book", "cancel"][: 2 + turn % 2]})
    _prompt(put, "view", turn)
    output = {"tables": [{"id": n, "at": f"20:{15 * n:02}", "seats": 4, "outside": n % 2 == 0} for n in range(3)]}
    result = {"output": output, "summary": "3 tables free", "duration_s": 0.184}
    put("tool.result", {"call_id": call_id, "name": "free_tables", **result})
    _llm(put, turn, speech, now + 0.9, 58)


def _speak(put: Put, turn: int, speech: str, now: float) -> None:
    reply = _REPLIES[turn % len(_REPLIES)]
    cut = turn % 11 == 10
    put("agent.state", {"state": "speaking"})
    for number, sentence in enumerate((reply[:40], reply[40:])):
        at = {"start": 1.9 * number, "end": 1.9 * number + 1.8}
        put("agent.transcript", {"speech_id": speech, "text": sentence, "final": False, **at}, ephemeral=True)
        _tts(put, f"{turn:06}-{number}", speech, now + 1.6 + number, sentence, cut)
    if cut:
        counts = {"num_interruptions": 1, "num_backchannels": 0, "num_requests": 4}
        delays = {"total_duration": 0.031, "prediction_duration": 0.018, "detection_delay": 0.22}
        put("metrics.interruption", {"type": "interruption_metrics", "timestamp": now + 3, **delays, **counts})
    measured = {
        "started_speaking_at": now + 1.8,
        "stopped_speaking_at": now + 6.7,
        "llm_node_ttft": 0.421,
        "tts_node_ttfb": 0.187,
        "e2e_latency": 1.06,
        "provider_request_ids": [f"req_{turn:08x}a", f"req_{turn:08x}b"],
        "llm_metadata": _LLM,
        "tts_metadata": _TTS,
    }
    words = {"text": reply, "interrupted": cut, "metrics": measured}
    put("turn.agent", {"speech_id": speech, "item_id": f"item_{turn:06}a", **words})
    put("agent.state", {"state": "listening"})


def _llm(put: Put, turn: int, speech: str, now: float, tokens: int) -> None:
    put(
        "metrics.llm",
        {
            "type": "llm_metrics",
            "label": "somewhere.LLM",
            "request_id": f"req_{turn:08x}",
            "timestamp": now + 0.8,
            "duration": 0.913,
            "ttft": 0.421,
            "cancelled": False,
            "completion_tokens": tokens,
            "prompt_tokens": 1840 + 3 * turn,
            "prompt_cached_tokens": 1664,
            "total_tokens": 1840 + 3 * turn + tokens,
            "tokens_per_second": 63.5,
            "speech_id": speech,
            "metadata": _LLM,
        },
    )


def _tts(put: Put, number: str, speech: str, now: float, text: str, cut: bool) -> None:
    put(
        "metrics.tts",
        {
            "type": "tts_metrics",
            "label": "speaks.TTS",
            "request_id": f"tt_{number}",
            "timestamp": now,
            "ttfb": 0.187,
            "duration": 0.71,
            "audio_duration": 1.92,
            "cancelled": cut,
            "characters_count": len(text),
            "streamed": True,
            "acquire_time": 0.0031,
            "connection_reused": True,
            "segment_id": f"seg_{number}",
            "speech_id": speech,
            "metadata": _TTS,
        },
    )


def _state(put: Put, turn: int, cause: dict[str, Any]) -> None:
    fields = {
        "stage": ("identify", "choose", "book", "done")[turn % 4],
        "guest": {"name": "[private]", "phone": "[private]", "visits": turn % 9},
        "tables": [{"id": n, "at": f"20:{15 * n:02}", "seats": 4} for n in range(2)],
        "identified": turn > 0,
    }
    put("state.changed", {"state": fields, "changed": ["stage", "tables"], "cause": cause})


def _prompt(put: Put, name: str, turn: int) -> None:
    text = f"{name} {turn}"
    put("prompt.changed", {"name": name, "hash": hashlib.sha256(text.encode()).hexdigest(), "chars": 900 + len(text)})
