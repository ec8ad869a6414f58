"""What of a model's text is speech: call syntax and reasoning that a server left in the text are not."""

import json
import re
from typing import Any, Literal

__all__ = ["SpokenText"]

# What begins something that is not speech, and what ends it; without an end it goes on to the end of the reply.
_MARKS = {
    "<tool_call>": "</tool_call>",
    "<tool_calls>": "</tool_calls>",
    "<function_call>": "</function_call>",
    "<function_calls>": "</function_calls>",
    "<function=": "</function>",
    "<invoke name=": "</invoke>",
    "<|tool_call|>": "",
    "<|tool_call_start|>": "<|tool_call_end|>",
    "<|tool_call_begin|>": "<|tool_call_end|>",
    "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",
    "<｜tool▁calls▁begin｜>": "<｜tool▁calls▁end｜>",
    "<|python_tag|>": "",
    "[TOOL_CALLS]": "",
    "<think>": "</think>",
    "<thinking>": "</thinking>",
}
_SUSPECT = re.compile(r"[<\[{`]")
_AROUND = re.compile(r"(?:```\w*\s*)?(?:\[\s*)?")  # a fence, a list, or both
_AROUND_BEGUN = re.compile(r"`{1,3}|(?:```\w*\s*)?\[?\s*")
_KEY = r"name|function|function_call|tool|tool_name|tool_calls|recipient_name|type|id|arguments|parameters"
_JSON_CALL = re.compile(rf'\{{\s*"(?:{_KEY})"\s*:')
_JSON_BEGUN = re.compile(r'\{\s*(?:"\w*(?:"\s*)?)?')
_WORD = re.compile(r"\w")
_DECODER = json.JSONDecoder()

_Verdict = tuple[Literal["wait", "drop", "say"], int]


class SpokenText:
    """Pass on the speech in a reply's text, piece by piece.

    What might be call syntax is held back until it is known; when it is, it is dropped, together with the brackets and
    fences around it. Everything else comes out exactly as it went in.
    """

    def __init__(self) -> None:
        self._held = ""
        self._until: str | None = None
        self._quiet = ""  # passed, but without a word yet: brackets of a list of calls look like this
        self._said = False
        self._dropped = False

    def feed(self, text: str) -> str:
        """Take in the next text and give what of it can be spoken by now."""
        self._held += text
        return self._speech(final=False)

    def finish(self) -> str:
        """Give what is left to speak when the reply is over."""
        speech = self._speech(final=True)
        return speech if self._dropped else speech + self._quiet

    def _speech(self, *, final: bool) -> str:
        speech: list[str] = []
        while self._held:
            if self._until is not None:
                if not self._skip_to_end():
                    break
                continue
            found = _SUSPECT.search(self._held)
            if found is None:
                self._pass(len(self._held), speech)
                break
            self._pass(found.start(), speech)
            verdict, length = self._judge(final)
            if verdict == "wait":
                break
            if verdict == "say":
                self._pass(length, speech)
            else:
                self._quiet = ""
                self._dropped = True
                self._held = self._held[length:]
        return "".join(speech)

    def _skip_to_end(self) -> bool:
        mark = self._until or ""
        at = self._held.find(mark) if mark else -1
        if at < 0:
            self._held = self._held[-(len(mark) - 1) :] if mark else ""
            return False
        self._held = self._held[at + len(mark) :]
        self._until = None
        return True

    def _pass(self, length: int, speech: list[str]) -> None:
        text, self._held = self._held[:length], self._held[length:]
        if not text:
            return
        if _WORD.search(text) or (self._said and not self._dropped):
            speech.append(self._quiet + text)
            self._quiet = ""
            self._said = True
        else:
            self._quiet += text

    def _judge(self, final: bool) -> _Verdict:
        """Say what the held text, which begins with a suspect character, is."""
        for mark, until in _MARKS.items():
            if self._held.startswith(mark):
                self._until = until
                return "drop", len(mark)
        if not final and (_AROUND_BEGUN.fullmatch(self._held) or any(mark.startswith(self._held) for mark in _MARKS)):
            return "wait", 0
        around = _AROUND.match(self._held)
        start = around.end() if around else 0
        if not self._held.startswith("{", start):
            return "say", max(start, 1)
        verdict, length = _judge_json(self._held[start:], final)
        return verdict, start + length


def _judge_json(text: str, final: bool) -> _Verdict:
    if _JSON_CALL.match(text):
        try:
            value, end = _DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            if not final:
                return "wait", 0
            return ("drop" if '"arguments"' in text or '"parameters"' in text else "say"), len(text)
        return ("drop" if _is_call(value) else "say"), end
    if not final and _JSON_BEGUN.fullmatch(text):
        return "wait", 0
    return "say", 1


def _is_call(value: Any) -> bool:
    """Whether a JSON value is a tool call, in one of the spellings models were trained on."""
    if not isinstance(value, dict):
        return False
    if "tool_calls" in value or isinstance(value.get("function_call"), dict):
        return True
    if _is_call(value.get("function")):
        return True
    named = any(isinstance(value.get(key), str) for key in ("name", "function", "tool", "tool_name", "recipient_name"))
    return named and any(key in value for key in ("arguments", "parameters", "args", "input"))
