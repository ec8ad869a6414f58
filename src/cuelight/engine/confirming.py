"""The confirmation gate: what waits for the caller's yes, and what becomes of it.

Everything here follows from the log: `confirm.request` opens a question, `confirm.granted` and `confirm.declined` close
it. A yes counts only while the phrase is the last thing that the caller has heard: it is put again after whatever else
was said, and after a restart.
"""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cuelight.agent import Frame, Gate, Tool, Wording, answer_tool, open_frame, wording_for
from cuelight.engine.handlers import describe
from cuelight.engine.masking import mask_fields

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext

__all__ = ["Confirmations", "Question", "filled"]

Reason = Literal["no", "timeout", "changed", "cancelled"]


@dataclass(slots=True)
class Question:
    """Hold one guarded call that waits for the caller's yes.

    Private values are in their places.
    """

    call_id: str
    tool: str
    given: dict[str, Any]
    """The arguments as the model wrote them, from which those that run are made again."""
    arguments: dict[str, Any]
    """The arguments that are asked about: checked, defaults included, in plain JSON."""
    audience: str
    phrase: str
    ttl_s: int
    guarded: Tool | None
    """The very tool, since steps may have several of one name; None where today's class has none such."""
    asked_at: float | None = None
    """When the caller was asked, by the call's clock; None while the phrase is not the last thing they have heard."""


class Confirmations:
    """Keep the questions of one call, in the order in which they are asked."""

    def __init__(self, context: "CallContext") -> None:
        self._context = context
        agent = context.agent
        self.wording: Wording = wording_for(agent.wording, agent.language)
        self.askings = 0
        """How often the caller was asked: words that came in before the newest asking are no answer to it."""
        self._repeated = 0
        """How often the turn that asked last has the phrase in it: a model may have spoken it too."""
        self._open: dict[str, Question] = {}
        self._said: str | None = None
        """The caller's words of this turn, where they came after the phrase of the first question."""
        self._judged: tuple[bool | None] | None = None
        """What these words were judged to be, once they were."""
        self._news: list[str] = []
        """What became of calls that no result told the model of."""
        self._told = 0
        """How many of these a request of this turn has told."""
        self._guards = any(tool.confirm is not None for tool in context.course.tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tool that a model answers by, where something may be asked."""
        return (answer_tool(),) if self._guards else ()

    def gate(self, offered: Gate) -> Gate:
        """Give the gate with the answering tool, while something is open."""
        return Gate((*offered.tools, answer_tool()), offered.failures) if self._open else offered

    def __bool__(self) -> bool:
        """Tell whether a question is open, or the model is to be told what became of one."""
        return bool(self._open or self._news)

    def __iter__(self) -> Iterator[Question]:
        return iter(list(self._open.values()))

    @property
    def first(self) -> Question | None:
        """The question that the caller is asked now; the others come after it."""
        return next(iter(self._open.values())) if self._open else None

    def find(self, call_id: str) -> Question | None:
        """Give the open question about a call."""
        return self._open.get(call_id)

    @property
    def pending(self) -> tuple[tuple[str, str], ...]:
        """The open questions, each by its call's id and its tool, in order."""
        return tuple((question.call_id, question.tool) for question in self) if self._open else ()

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

    def asked(self, spoken: str) -> None:
        """Know that the caller has heard the phrase of the first question, and nothing after it.

        Args:
            spoken: everything spoken in the turn, which ends with it.
        """
        first = self.first
        if first is not None:
            self.askings += 1
            self._repeated = _bare(spoken).count(_bare(first.phrase))
            first.asked_at = self._context.clock.monotonic()

    def talked_over(self) -> None:
        """Know that something else was said since, or that the phrase was not heard: it is put again."""
        self._said = self._judged = None
        for question in self._open.values():
            question.asked_at = None

    def heard_of(self, heard: str) -> None:
        """Know how much of the last words reached the caller: a phrase that did not, to its end, is put again."""
        first = self.first
        if first is not None:
            words, phrase = _bare(heard), _bare(first.phrase)
            if not words.endswith(phrase) or words.count(phrase) < self._repeated:
                self.talked_over()

    def hear(self, text: str | None = None, askings: int = 0) -> None:
        """Know what begins a turn, and settle what has lapsed.

        Args:
            text: what the caller said; None where something else begins the turn.
            askings: how often the caller had been asked when these words came in.
        """
        self._said, self._judged, self._told = None, None, 0
        first = self.first
        if first is None or first.asked_at is None:
            return
        if self._context.clock.monotonic() - first.asked_at > first.ttl_s:
            self.close(first, "timeout", self.wording.lapsed)
        elif text is not None and text.strip() and askings == self.askings:
            self._said = text

    def said_to(self, question: Question) -> str | None:
        """Give the caller's answer to a question, where they were asked it and have spoken since."""
        return self._said if question is self.first and question.asked_at is not None else None

    def rest(self) -> None:
        """Know that a turn is over: the model has been told what its requests told it."""
        del self._news[: self._told]
        self._told = 0

    # --- telling the model --------------------------------------------------------------------------------------------

    def notes(self) -> list[str]:
        """Say to the model what is open, and what has become of calls that no result told it of."""
        first, wording = self.first, self.wording
        if first is None:
            return list(self._news)
        return [*self._news, filled(wording.due if first.asked_at is None else wording.pending, first)]

    def told(self) -> None:
        """Know that a request of this turn holds the notes."""
        self._told = len(self._news)

    def tell(self, tool: str, call_id: str, result: str) -> None:
        """Have the model told what has become of a call, with its next request."""
        self._news.append(f"{tool} ({call_id}): {result}")

    # --- judging ------------------------------------------------------------------------------------------------------

    def judge(self, said: str) -> bool | None:
        """Ask the author's code, or its default, what the caller's words are: a yes, a no, or neither.

        It is asked once a turn. A judge that raises, or gives something else, has not judged: the words are neither.
        """
        if self._judged is None:
            self._judged = (self._ask_judge(said),)
        return self._judged[0]

    def _ask_judge(self, said: str) -> bool | None:
        agent = self._context.agent
        try:
            with open_frame(Frame(agent._cell.ledger, "consents", read_only=True)):
                judged: Any = agent.consents(said)
            if inspect.iscoroutine(judged):
                judged.close()
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

    def close(
        self, question: Question, reason: Reason, result: str, said: str | None = None, *, answered: bool = False
    ) -> str:
        """Write that a call will not run, and the one result that it is due; gives that.

        Args:
            question: about which call.
            reason: as in `confirm.declined`.
            result: the line that is the result.
            said: the caller's words, where these were the reason.
            answered: whether the model reads it as the result of its answer; otherwise its next request tells it.
        """
        self._open.pop(question.call_id, None)
        result = filled(result, question)
        journal = self._context.journal
        named = {"call_id": question.call_id, "name": question.tool}
        heard = {} if said is None else {"said": said}
        declined = {"tool": question.tool, "call_id": question.call_id, "audience": question.audience, "reason": reason}
        journal.write("confirm.declined", {**declined, **heard})
        journal.write("tool.result", {**named, "error": result})
        if not answered:
            self.tell(question.tool, question.call_id, result)
        return result

    def cancel(self, result: str) -> None:
        """Close everything that is open: nothing can come of it any more."""
        for question in self:
            self.close(question, "cancelled", result)


def filled(line: str, question: Question) -> str:
    """Fill a line in; nothing in the phrase is taken for a place of it."""
    for name in ("call_id", "tool", "phrase"):
        line = line.replace(f"{{{name}}}", getattr(question, name))
    return line


def _bare(text: str) -> str:
    """Give a text without white space, which tells nothing about what was heard."""
    return "".join(text.split())
