"""The measurements of a call: by request, by turn, and summed up by model.

Times are unix seconds; durations and latencies are seconds.
"""

from typing import Annotated, ClassVar

from msgspec import UNSET, UnsetType

from cuelight.wire.shapes import Shape
from cuelight.wire.values import Number, known

__all__ = [
    "AgentTurnMetrics",
    "AvatarMetrics",
    "EOTInferenceMetrics",
    "EOTModelUsage",
    "EOUMetrics",
    "InterruptionMetrics",
    "InterruptionModelUsage",
    "LLMMetrics",
    "LLMModelUsage",
    "Metadata",
    "ModelUsage",
    "RealtimeCachedTokenDetails",
    "RealtimeInputTokenDetails",
    "RealtimeModelMetrics",
    "RealtimeOutputTokenDetails",
    "STTMetrics",
    "STTModelUsage",
    "TTSMetrics",
    "TTSModelUsage",
    "TurnMetadata",
    "UserTurnMetrics",
    "VADMetrics",
]


class Metadata(Shape, frozen=True, kw_only=True):
    """Which model was measured."""

    model_name: str | UnsetType = UNSET
    model_provider: str | UnsetType = UNSET


class LLMMetrics(Shape, frozen=True, kw_only=True):
    """One request to a language model."""

    type: Annotated[str, known("llm_metrics")]
    label: str
    request_id: str
    timestamp: Number
    duration: Number
    ttft: Number
    cancelled: bool
    completion_tokens: int
    prompt_tokens: int
    prompt_cached_tokens: int
    cache_creation_tokens: int | UnsetType = UNSET
    reasoning_tokens: int | UnsetType = UNSET
    total_tokens: int
    tokens_per_second: Number
    speech_id: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class STTMetrics(Shape, frozen=True, kw_only=True):
    """One request to, or segment of, a speech recogniser."""

    type: Annotated[str, known("stt_metrics")]
    label: str
    request_id: str
    timestamp: Number
    duration: Number
    audio_duration: Number
    input_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    streamed: bool
    acquire_time: Number | UnsetType = UNSET
    connection_reused: bool | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class TTSMetrics(Shape, frozen=True, kw_only=True):
    """One request to a voice."""

    type: Annotated[str, known("tts_metrics")]
    label: str
    request_id: str
    timestamp: Number
    ttfb: Number
    duration: Number
    audio_duration: Number
    cancelled: bool
    characters_count: int
    input_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    streamed: bool
    acquire_time: Number | UnsetType = UNSET
    connection_reused: bool | UnsetType = UNSET
    segment_id: str | UnsetType = UNSET
    speech_id: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class VADMetrics(Shape, frozen=True, kw_only=True):
    """How a voice activity detector is doing."""

    type: Annotated[str, known("vad_metrics")]
    label: str
    timestamp: Number
    idle_time: Number
    inference_duration_total: Number
    inference_count: int
    metadata: Metadata | UnsetType = UNSET


class EOUMetrics(Shape, frozen=True, kw_only=True):
    """One end of an utterance."""

    type: Annotated[str, known("eou_metrics")]
    timestamp: Number
    end_of_utterance_delay: Number
    transcription_delay: Number
    on_user_turn_completed_delay: Number
    speech_id: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class EOTInferenceMetrics(Shape, frozen=True, kw_only=True):
    """One prediction that a turn has ended."""

    type: Annotated[str, known("eot_inference_metrics")]
    timestamp: Number
    total_duration: Number
    detection_delay: Number
    prediction_duration: Number
    num_requests: int | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class InterruptionMetrics(Shape, frozen=True, kw_only=True):
    """One report of an interruption detector."""

    type: Annotated[str, known("interruption_metrics")]
    timestamp: Number
    total_duration: Number
    prediction_duration: Number
    detection_delay: Number
    num_interruptions: int
    num_backchannels: int
    num_requests: int
    metadata: Metadata | UnsetType = UNSET


class RealtimeCachedTokenDetails(Shape, frozen=True, kw_only=True):
    """Cached tokens of a speech-to-speech model, by kind."""

    audio_tokens: int | UnsetType = UNSET
    text_tokens: int | UnsetType = UNSET
    image_tokens: int | UnsetType = UNSET


class RealtimeInputTokenDetails(Shape, frozen=True, kw_only=True):
    """Tokens into a speech-to-speech model, by kind."""

    audio_tokens: int | UnsetType = UNSET
    text_tokens: int | UnsetType = UNSET
    image_tokens: int | UnsetType = UNSET
    cached_tokens: int | UnsetType = UNSET
    cached_tokens_details: RealtimeCachedTokenDetails | UnsetType = UNSET


class RealtimeOutputTokenDetails(Shape, frozen=True, kw_only=True):
    """Tokens out of a speech-to-speech model, by kind."""

    text_tokens: int | UnsetType = UNSET
    audio_tokens: int | UnsetType = UNSET
    image_tokens: int | UnsetType = UNSET


class RealtimeModelMetrics(Shape, frozen=True, kw_only=True):
    """One response of a speech-to-speech model."""

    type: Annotated[str, known("realtime_model_metrics")]
    label: str | UnsetType = UNSET
    request_id: str
    timestamp: Number
    duration: Number | UnsetType = UNSET
    session_duration: Number | UnsetType = UNSET
    ttft: Number | UnsetType = UNSET
    cancelled: bool | UnsetType = UNSET
    input_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    total_tokens: int | UnsetType = UNSET
    tokens_per_second: Number | UnsetType = UNSET
    input_token_details: RealtimeInputTokenDetails
    output_token_details: RealtimeOutputTokenDetails
    acquire_time: Number | UnsetType = UNSET
    connection_reused: bool | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class AvatarMetrics(Shape, frozen=True, kw_only=True):
    """One report of an avatar."""

    type: Annotated[str, known("avatar_metrics")]
    timestamp: Number
    playback_latency: Number | UnsetType = UNSET
    session_started_time: Number | UnsetType = UNSET
    avatar_joined_time: Number | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class TurnMetadata(Shape, frozen=True, kw_only=True):
    """Which model had a part in a turn."""

    model_name: str | UnsetType = UNSET
    model_provider: str | UnsetType = UNSET


class UserTurnMetrics(Shape, frozen=True, kw_only=True):
    """What was measured about a turn of the caller."""

    started_speaking_at: Number | UnsetType = UNSET
    stopped_speaking_at: Number | UnsetType = UNSET
    transcription_delay: Number | UnsetType = UNSET
    end_of_turn_delay: Number | UnsetType = UNSET
    on_user_turn_completed_delay: Number | UnsetType = UNSET
    stt_metadata: TurnMetadata | UnsetType = UNSET


class AgentTurnMetrics(Shape, frozen=True, kw_only=True):
    """What was measured about a turn of the agent."""

    started_speaking_at: Number | UnsetType = UNSET
    stopped_speaking_at: Number | UnsetType = UNSET
    llm_node_ttft: Number | UnsetType = UNSET
    llm_node_tps: Number | UnsetType = UNSET
    llm_node_ttfs: Number | UnsetType = UNSET
    tts_node_ttfb: Number | UnsetType = UNSET
    playback_latency: Number | UnsetType = UNSET
    e2e_latency: Number | UnsetType = UNSET
    provider_request_ids: list[str] | UnsetType = UNSET
    llm_metadata: TurnMetadata | UnsetType = UNSET
    tts_metadata: TurnMetadata | UnsetType = UNSET


class LLMModelUsage(Shape, frozen=True, kw_only=True, tag_field="type", tag="llm_usage"):
    """All use of one language model in a call."""

    type: ClassVar[str] = "llm_usage"

    provider: str
    model: str
    input_tokens: int | UnsetType = UNSET
    input_cached_tokens: int | UnsetType = UNSET
    input_cache_creation_tokens: int | UnsetType = UNSET
    input_audio_tokens: int | UnsetType = UNSET
    input_cached_audio_tokens: int | UnsetType = UNSET
    input_text_tokens: int | UnsetType = UNSET
    input_cached_text_tokens: int | UnsetType = UNSET
    input_image_tokens: int | UnsetType = UNSET
    input_cached_image_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    output_audio_tokens: int | UnsetType = UNSET
    output_text_tokens: int | UnsetType = UNSET
    output_reasoning_tokens: int | UnsetType = UNSET
    session_duration: Number | UnsetType = UNSET


class TTSModelUsage(Shape, frozen=True, kw_only=True, tag_field="type", tag="tts_usage"):
    """All use of one voice in a call."""

    type: ClassVar[str] = "tts_usage"

    provider: str
    model: str
    input_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    characters_count: int | UnsetType = UNSET
    audio_duration: Number | UnsetType = UNSET


class STTModelUsage(Shape, frozen=True, kw_only=True, tag_field="type", tag="stt_usage"):
    """All use of one speech recogniser in a call."""

    type: ClassVar[str] = "stt_usage"

    provider: str
    model: str
    input_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    audio_duration: Number | UnsetType = UNSET


class InterruptionModelUsage(Shape, frozen=True, kw_only=True, tag_field="type", tag="interruption_usage"):
    """All use of one interruption detector in a call."""

    type: ClassVar[str] = "interruption_usage"

    provider: str
    model: str
    total_requests: int | UnsetType = UNSET


class EOTModelUsage(Shape, frozen=True, kw_only=True, tag_field="type", tag="eot_usage"):
    """All use of one end-of-turn detector in a call."""

    type: ClassVar[str] = "eot_usage"

    provider: str
    model: str
    total_requests: int | UnsetType = UNSET


ModelUsage = LLMModelUsage | TTSModelUsage | STTModelUsage | InterruptionModelUsage | EOTModelUsage
"""All use of one model in a call, told apart by `type`."""
