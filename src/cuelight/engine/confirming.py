"""The confirmation gate: what waits for the caller's yes, and what becomes of it.

Everything here follows from the log: `confirm.request` opens a question, `confirm.granted` and `confirm.declined` close
it. A yes counts only while the phrase is the last thing that the caller has heard: it is put again after whatever else
was said, and after a restart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cuelight.agent import Frame, Gate, Tool, Wording, answer_tool, open_frame, wording_for
from cuelight.engine.handlers import describe
from cuelight.engine.masking import mask_fields

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext

__all__ = ["Confirmations", "Question"]

Reason = Literal["no", "timeout", "changed", "cancelled"]


@dataclass(slots=True)
class Question:
    """Hold one guarded call that waits for the caller's yes.

    `arguments` are those that are asked about, in plain JSON, private values in place.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any]
    audience: str
    phrase: str
    ttl_s: int
    asked_at: float | None = None
    """When the caller was asked, in unix seconds; None while the phrase is not the last thing they have heard."""


class Confirmations:
    """Keep the questions of one call, in the order in which they are asked."""

    def __init__(self, context: "CallContext") -> None:
        self._context = context
        agent = context.agent
        self.wording: Wording = wording_for(agent.wording, agent.language)
        self._open: dict[str, Question] = {}
        self._said: str | None = None
        """The caller's words of this turn, where they came after the phrase of the first question."""
        self._lapsed: list[Question] = []
        self._guards = any(tool.confirm is not None for tool in context.course.tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tool that a model answers by, where something may be asked."""
        return (answer_tool(),) if self._guards else ()

    def gate(self, offered: Gate) -> Gate:
        """Give the gate with the answering tool, while something is open."""
        return Gate((*offered.tools, answer_tool()), offered.failures) if self._open else offered

    def __bool__(self) -> bool:
        return bool(self._open)

    def __iter__(self) -> Iterator[Question]:
        return iter(list(self._open.values()))

    @property
    def first(self) -> Question | None:
        """The question that the caller is asked now; the others come after it."""
        return next(iter(self._open.values()), None)

    def find(self, call_id: str) -> Question | None:
        """Give the open question about a call."""
        return self._open.get(call_id)

    @property
    def pending(self) -> tuple[tuple[str, str], ...]:
        """The open questions, each by its call's id and its tool, in order."""
        return tuple((question.call_id, question.tool) for question in self._open.values())

    # --- asking -------------------------------------------------------------------------------------------------------

    def open(self, question: Question, pii: tuple[str, ...]) -> None:
        """Write that the caller is to be asked.

        Args:
            question: about which call.
            pii: the names of its private arguments.
        """
        data = {
            "tool": question.tool, "call_id": question.call_id, "arguments": question.arguments,
            "audience": question.audience, "phrase": question.phrase, "ttl_s": question.ttl_s,
        }  # fmt: skip
        shown, private = mask_fields(question.arguments, [name for name in pii if name in question.arguments])
        self._context.journal.write("confirm.request", data, shown={**data, "arguments": shown}, private=private)
        self._open[question.call_id] = question

    def take_up(self, question: Question) -> None:
        """Know a question that a resumed log left open; its phrase is put again before a yes counts."""
        self._open[question.call_id] = question

    def asked(self) -> None:
        """Know that the caller has heard the phrase of the first question, and nothing after it."""
        self._lapsed, self._said = [], None
        if self.first is not None:
            self.first.asked_at = self._context.clock.now()

    def talked_over(self) -> None:
        """Know that something else was said since, or that the phrase was not heard: it is put again."""
        self._lapsed, self._said = [], None
        for question in self._open.values():
            question.asked_at = None

    def heard_of(self, heard: str) -> None:
        """Know how much of the last words reached the caller: a phrase that did not is put again."""
        first = self.first
        if first is not None and "".join(first.phrase.split()) not in "".join(heard.split()):
            self.talked_over()

    def hear(self, text: str | None) -> None:
        """Know what the caller said in the turn that begins, or that it is none of the caller's; settle what lapsed."""
        now = self._context.clock.now()
        first = self.first
        self._lapsed = []
        if first is not None and first.asked_at is not None and now - first.asked_at > first.ttl_s:
            self._lapsed.append(first)
            self.close(first, "timeout", self.wording.lapsed)
            first = None
        heard = first is not None and first.asked_at is not None and text is not None and bool(text.strip())
        self._said = text if heard else None

    def said_to(self, question: Question) -> str | None:
        """Give the caller's answer to a question, where they were asked it and have spoken since."""
        return self._said if question is self.first and question.asked_at is not None else None

    def notes(self) -> list[str]:
        """Say to the model what is open, and what has lapsed in this turn."""
        lapsed = [f"{question.tool} ({question.call_id}): {self.wording.lapsed}" for question in self._lapsed]
        first = self.first
        return lapsed if first is None else [*lapsed, _filled(self.wording.pending, first)]

    def judge(self, said: str) -> bool | None:
        """Ask the author's code, or its default, what words are: a yes, a no, or neither.

        A judge that raises, or gives something else, has not judged: the words are neither.
        """
        agent = self._context.agent
        try:
            with open_frame(Frame(agent._cell.ledger, "consents", read_only=True)):
                judged = agent.consents(said)
            if judged is not None and not isinstance(judged, bool):
                raise TypeError(f"it returned a value of type {type(judged).__name__}; return True, False or None")
        except Exception as error:  # the author's code
            self._context.error(
                "consents-raised", f"consents raised, so the words count as no answer: {describe(error)}"
            )
            return None
        return judged

    def settle_no(self) -> None:
        """Take a clear no for one, also where the model has said nothing of it."""
        first = self.first
        said = None if first is None else self.said_to(first)
        if first is not None and said is not None and self.judge(said) is False:
            self.close(first, "no", self.wording.said_no, said)

    # --- closing ------------------------------------------------------------------------------------------------------

    def grant(self, question: Question, said: str) -> None:
        """Write that the caller said yes; the call may run."""
        del self._open[question.call_id]
        data = {
            "tool": question.tool, "call_id": question.call_id, "audience": question.audience, "said": said,
            "ttl_s": question.ttl_s,
        }  # fmt: skip
        self._context.journal.write("confirm.granted", data)

    def close(self, question: Question, reason: Reason, result: str, said: str | None = None) -> None:
        """Write that a call will not run, and the one result that it is due.

        Args:
            question: about which call.
            reason: as in `confirm.declined`.
            result: what the model reads.
            said: the caller's words, where these were the reason.
        """
        del self._open[question.call_id]
        journal = self._context.journal
        named = {"call_id": question.call_id, "name": question.tool}
        heard = {} if said is None else {"said": said}
        declined = {"tool": question.tool, "call_id": question.call_id, "audience": question.audience, "reason": reason}
        journal.write("confirm.declined", {**declined, **heard})
        journal.write("tool.result", {**named, "error": result})

    def cancel(self, result: str) -> None:
        """Close everything that is open: nothing can come of it any more."""
        for question in self:
            self.close(question, "cancelled", result)


def _filled(line: str, question: Question) -> str:
    """Fill a line in; nothing in the phrase is taken for a place of it."""
    for name in ("call_id", "tool", "phrase"):
        line = line.replace(f"{{{name}}}", getattr(question, name))
    return line
