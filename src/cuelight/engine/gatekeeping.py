"""Guarded calls within a batch: the question in the place of the run, and the run where the answer is a yes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import BadArguments, Confirm, Frame, Tool, audience_of, open_frame, plain_json
from cuelight.engine import lines
from cuelight.engine.called import Called
from cuelight.engine.confirming import Question
from cuelight.engine.handlers import describe
from cuelight.ports import ToolCallRequest

if TYPE_CHECKING:
    from cuelight.engine.batch import Batch
    from cuelight.engine.turn import Turn

__all__ = ["Gatekeeper"]


class Gatekeeper:
    """Keep one batch from running what the caller has not said yes to.

    Args:
        turn: the turn.
        batch: the batch, which writes and runs calls.
    """

    def __init__(self, turn: "Turn", batch: "Batch") -> None:
        self._turn = turn
        self._batch = batch
        self._context = turn.context
        self._confirmations = turn.context.confirmations
        self._opened: set[str] = set()
        """The calls of this reply that are asked about: they stand beside each other, and replace none."""

    # --- asking -------------------------------------------------------------------------------------------------------

    def ask_first(self, call: Called, confirm: Confirm) -> None:
        """Put the question in the place of a guarded call; nothing of it has run.

        The same call again waits as it did; one with other arguments takes the place of the earlier one.
        """
        wording = self._confirmations.wording
        assert call.tool is not None
        call.values = call.tool.arguments.whole(call.values or {})  # what is asked about holds the defaults too
        arguments: dict[str, Any] = msgspec.json.decode(plain_json(call.values))
        audience = audience_of(call.name, arguments)
        earlier = [one for one in self._confirmations if one.tool == call.name and one.call_id not in self._opened]
        if any(question.audience == audience for question in self._confirmations):
            self._refuse(call, wording.already)
            return
        phrase = self._phrase(call, confirm)
        if phrase is None:
            self._refuse(call, lines.TOOL_BROKE)
            return
        for question in earlier:
            self._confirmations.close(question, "changed", wording.changed)
        self._batch.write_call(call)
        ttl_s = self._context.limits.confirm_s
        question = Question(call.id, call.name, arguments, audience, phrase, ttl_s)
        self._confirmations.open(question, call.tool.pii_arguments)
        self._opened.add(call.id)
        self._turn.answered = True

    def _phrase(self, call: Called, confirm: Confirm) -> str | None:
        """Give what the caller is asked; None where the author's code fails to say it."""
        assert call.tool is not None
        owner = self._context.course.owner(call.tool)
        label = f"The question of tool {call.name}"
        try:
            with open_frame(Frame(owner._cell.ledger, label, read_only=True)):
                return confirm.phrase(owner, call.values or {})
        except Exception as error:  # the author's code
            self._context.error("confirm-raised", f"{label} raised {describe(error)}; it did not run.")
            return None

    def _refuse(self, call: Called, result: str) -> None:
        call.refused, call.reason = result, "not run"
        self._batch.write_call(call)
        self._batch.write_refusal(call)

    # --- answering ----------------------------------------------------------------------------------------------------

    async def answer(self, call: Called) -> None:
        """Take what a model says the caller answered; where code judges it a yes too, the guarded call runs."""
        given: Mapping[str, Any] = call.values or {}
        confirmations, wording = self._confirmations, self._confirmations.wording
        self._batch.write_call(call)
        question = confirmations.find(given["call_id"])
        said = None if question is None else confirmations.said_to(question)
        if question is None:
            self._tell(call, error=wording.not_open)
        elif said is None:
            self._tell(call, error=wording.not_asked)
        else:
            judged = confirmations.judge(said)
            if judged and given["answer"] == "yes":
                await self._run(call, question, said)
            elif judged is False or (judged is None and given["answer"] == "no"):
                confirmations.close(question, "no", wording.said_no, said)
                self._tell(call, output=wording.said_no)
            else:
                self._tell(call, output=wording.unclear)

    async def _run(self, answer: Called, question: Question, said: str) -> None:
        """Run a guarded call whose yes has come, if it may run as things stand now."""
        confirmations, context = self._confirmations, self._context
        call = self._allowed(question)
        if call is None:
            gone = confirmations.wording.gone
            confirmations.close(question, "cancelled", gone, said)
            self._turn.say(confirmations.wording.gone_line, "code")
            self._tell(answer, error=gone)
            return
        confirmations.grant(question, said)
        await context.journal.barrier()
        data, shown, private = self._batch.settle(call, *await self._batch.handle(call))
        named = {"call_id": answer.id, "name": answer.name}
        masked = None if shown is None else {**shown, **named}
        context.journal.write("tool.result", {**data, **named}, shown=masked, private=private)

    def _allowed(self, question: Question) -> Called | None:
        """Look at a guarded call once more: the tool is visible, the arguments fit and are what was asked about."""
        tool: Tool | None = self._context.standing.gate().find(question.tool)
        if tool is None or tool.confirm is None or audience_of(question.tool, question.arguments) != question.audience:
            return None
        text = msgspec.json.encode(question.arguments).decode()
        try:
            values = tool.arguments.check(text)
        except BadArguments:
            return None
        request = ToolCallRequest(question.tool, text, question.call_id)
        return Called(request, question.call_id, question.tool, tool, question.arguments, values, judged=True)

    def _tell(self, call: Called, **result: str) -> None:
        """Write the result of an answer that ran nothing."""
        self._context.journal.write("tool.result", {"call_id": call.id, "name": call.name, **result})
