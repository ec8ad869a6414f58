"""What is said about confirmations, to the model and by code to the caller: one place, which authors can override."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Wording", "wording_for"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """Hold the lines of the confirmation gate; `dataclasses.replace`, or other arguments, override some of them.

    In the lines for the model `{phrase}` is what the caller is asked, `{tool}` the tool and `{call_id}` the call.
    """

    waiting: str = (
        "Not run yet: the caller is asked first, word for word: “{phrase}”. Nothing was done so far. Wait for the "
        "answer."
    )
    """What the model reads as the result of a guarded call until the caller has answered."""
    pending: str = (
        "The caller was asked about call {call_id} of {tool}: “{phrase}”. If the caller's newest words answer that, "
        "call answer_confirmation with this call_id, and yes or no. If they speak of something else, answer that; the "
        "question is put again by itself, so do not repeat it."
    )
    """What stands beside the view while an answer is awaited."""
    due: str = (
        "Call {call_id} of {tool} waits: the caller is asked “{phrase}” as the last words of this turn, by itself. Do "
        "not ask it too, and do not say that it is done."
    )
    """What stands there while the caller is still to be asked, or asked again."""
    already: str = (
        "Nothing was done: exactly this waits for the caller's answer already, as call {call_id}. If their newest "
        "words are the answer, call answer_confirmation with that call_id; otherwise go on."
    )
    """To a model that makes the same call again."""
    changed: str = (
        "Not run: it was called again with other arguments, so the caller is asked about those. Nothing was done."
    )
    said_no: str = "Not run: the caller said no. Nothing was done."
    lapsed: str = "Not run: the caller's answer took too long, so the question has lapsed. Nothing was done."
    gone: str = "Not run: it cannot be done any more as things stand now. Nothing was done, and the caller was told so."
    withdrawn: str = (
        "Not run: it cannot be asked any more as things stand now. Nothing was done; tell the caller so where they "
        "answer it."
    )
    """What became of a question that was open when the call was let go of, and cannot be taken up."""
    ended: str = "Not run: the conversation ended before the caller said yes. Nothing was done."
    unclear: str = (
        "Nothing was done: the caller's words are neither a clear yes nor a clear no. Answer them; the question is put "
        "again by itself."
    )
    not_asked: str = "Nothing was done: the caller has not been asked that, or has not answered since. It is asked now."
    not_open: str = "Nothing was done: no question is open for that call_id."
    gone_line: str = "I'm sorry, that can no longer be done, so nothing was done."
    """What code says to the caller whose yes came when the tool could not run any more."""


def wording_for(given: "Wording | Mapping[str, Wording]", language: str) -> Wording:
    """Give the wording of an agent: the one it has, or the one it has for its language.

    Args:
        given: the agent's setting.
        language: the agent's language.
    """
    return given if isinstance(given, Wording) else given.get(language, Wording())
