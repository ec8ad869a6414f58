"""What the engine says to the model on its own account. All of it in one place, so that it can be read as a whole."""

__all__ = [
    "NOT_APPLIED",
    "NOT_APPLIED_LIMIT",
    "NOT_APPLIED_WAITING",
    "NOT_RUN_CUT",
    "NOT_RUN_ENDED",
    "NOT_RUN_LIMIT",
    "NOT_RUN_RESUMED",
    "NOT_SHOWN",
    "TIMED_OUT_READ",
    "TOOL_BROKE",
    "UNKNOWN_OUTCOME",
    "UNKNOWN_READ",
    "UNREADABLE_RESULT",
    "WAITING",
    "continue_after",
    "not_said",
    "refusal",
]

TOOL_BROKE = "The tool failed, and nothing it may have found can be used. Do not say that it was done."
TIMED_OUT_READ = "The tool took too long and gave no answer. It may be called again."
UNKNOWN_OUTCOME = (
    "Outcome unknown: the call was begun and no result came back, so it is not known whether it was done. "
    "Do not say that it was or that it was not, and do not call it again; say honestly that it must be checked."
)
UNKNOWN_READ = (
    "Outcome unknown: the call was begun and no result came back, so it is not known what it found. It changes "
    "nothing, so it may be called again."
)
UNREADABLE_RESULT = "Done, but the result cannot be shown."
NOT_RUN_CUT = "Not run: the caller cut in first. The tool was not run, so nothing was done."
NOT_RUN_ENDED = "Not run: the conversation has ended. The tool was not run, so nothing was done."
NOT_RUN_LIMIT = "Not run: this turn has reached a limit. The tool was not run, so nothing was done."
NOT_RUN_RESUMED = "Not run: the conversation broke off first. The tool was not run, so nothing was done."
NOT_APPLIED = "The move was not applied: an earlier call of the same reply already moves the conversation to {target}."
NOT_APPLIED_LIMIT = "The move was not applied: this turn has reached a limit."
NOT_APPLIED_WAITING = (
    "The move was not applied: the caller has not spoken since this step began. Ask, and wait for the answer."
)
NOT_SHOWN = "The content was not shown: an earlier call of the same reply already answers the caller."

WAITING = (
    "The caller has not spoken since this step began, so nothing can be recorded for it yet. Say or ask what is due, "
    "and leave the answer to the caller."
)


def not_said(feedback: str) -> str:
    """Tell the model that its reply was held back, and why."""
    return f"Your last reply was not passed on to the caller: {feedback}"


def refusal(visible: tuple[str, ...]) -> str:
    """Answer a call to a tool that cannot be called: what can be, and nothing about what cannot."""
    if not visible:
        return "Nothing was done: no tool can be called now. Answer in words."
    return f"Nothing was done: that tool cannot be called now. These can: {', '.join(visible)}."


def continue_after(spoken: str) -> str:
    """Ask for the rest of a reply that broke off after words that the caller has heard."""
    tail = spoken[-200:]
    return (
        f"Your reply broke off, after the caller heard: “{tail}”. Go on from there, in the same sentence where it is "
        "not finished, and repeat nothing of it."
    )
