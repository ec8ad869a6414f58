"""Guarded calls within a batch: the question in the place of the run, and the run where the answer is a yes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import BadArguments, Confirm, Frame, Tool, audience_of, open_frame, plain_json
from cuelight.engine import lines
from cuelight.engine.called import Called
from cuelight.engine.confirming import Question, filled
from cuelight.engine.handlers import describe
from cuelight.errors import ToolFailed
from cuelight.ports import ToolCallRequest
from cuelight.wire import told

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
        self._beside: set[str] = set()
        """The calls that this reply asks for, anew or again: they stand beside each other, and replace none."""

    # --- asking -------------------------------------------------------------------------------------------------------

    def ask_first(self, call: Called, confirm: Confirm) -> None:
        """Put the question in the place of a guarded call; nothing of it has run.

        The same call again waits as it did; one with other arguments, or of which something else would be asked by now,
        takes the place of the earlier one.
        """
        confirmations, wording, tool = self._confirmations, self._confirmations.wording, call.tool
        assert tool is not None
        try:
            call.values, arguments, phrase = self._put(tool, confirm, call.values or {})
        except ToolFailed as failed:  # what cannot be done is not asked about
            self._refuse(call, told(failed) or lines.TOOL_BROKE)
            return
        except Exception as error:  # the author's code
            self._tell_raised(tool, error)
            self._refuse(call, lines.TOOL_BROKE)
            return
        audience = audience_of(call.name, arguments)
        for question in confirmations:
            if question.audience == audience and question.guarded is tool and question.phrase == phrase:
                self._beside.add(question.call_id)
                self._refuse(call, filled(wording.already, question))
                return
        for question in confirmations:
            if question.tool == call.name and question.call_id not in self._beside:
                confirmations.close(question, "changed", wording.changed)
        self._batch.write_call(call)
        ttl_s = self._context.limits.confirm_s
        given = call.given or {}
        question = Question(call.id, call.name, given, arguments, audience, phrase, ttl_s, guarded=tool)
        confirmations.open(question, tool.pii_arguments)
        self._beside.add(call.id)
        self._turn.answered = True

    def _put(
        self, tool: Tool, confirm: Confirm, values: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any], str]:
        """Give the values that a tool would run with, the same in plain JSON, and what the caller is asked about them.

        Raises:
            ToolFailed: when the author's code says that there is nothing to ask.
            Exception: whatever else that code raises.
        """
        owner = self._context.course.owner(tool)
        whole = tool.arguments.whole(values)  # what is asked about holds the defaults too
        with open_frame(Frame(owner._cell.ledger, f"The question of tool {tool.name}", read_only=True)):
            phrase = confirm.phrase(owner, whole)
        return whole, msgspec.json.decode(plain_json(whole)), phrase

    def _tell_raised(self, tool: Tool, error: Exception) -> None:
        self._context.error(
            "confirm-raised", f"The question of tool {tool.name} raised {describe(error)}; it did not run."
        )

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
            self._tell(call, error=filled(wording.not_asked, question))
        else:
            judged = confirmations.judge(said)
            if judged and given["answer"] == "yes":
                await self._run(call, question, said)
            elif judged is False or (judged is None and given["answer"] == "no"):
                self._tell(call, output=confirmations.close(question, "no", wording.said_no, said, answered=True))
            else:
                self._tell(call, output=filled(wording.unclear, question))

    async def _run(self, answer: Called, question: Question, said: str) -> None:
        """Run a guarded call whose yes has come, if it may run as things stand now."""
        confirmations, context = self._confirmations, self._context
        call = self._allowed(question)
        if call is None:
            gone = confirmations.close(question, "cancelled", confirmations.wording.gone, said, answered=True)
            self._turn.say(confirmations.wording.gone_line, "code")
            self._tell(answer, error=gone)
            return
        confirmations.grant(question, said)
        await context.journal.barrier()
        if self._turn.cut:  # while that was being stored; it has not begun, and may not be meant any more
            self._tell(answer, error=confirmations.close(question, "cancelled", lines.NOT_RUN_CUT, answered=True))
            return
        data, shown, private = self._batch.settle(call, *await self._batch.handle(call))
        named = {"call_id": answer.id, "name": answer.name}
        masked = None if shown is None else {**shown, **named}
        context.journal.write("tool.result", {**data, **named}, shown=masked, private=private)

    def _allowed(self, question: Question) -> Called | None:
        """Look at a guarded call once more: the tool is visible, the arguments fit, and the question would be the same.

        The arguments are made again from what the model wrote, so that no check is applied to its own outcome.
        """
        tool = self._context.standing.gate().find(question.tool)
        if tool is None or tool is not question.guarded or tool.confirm is None:
            return None
        text = msgspec.json.encode(question.given).decode()
        try:
            values, arguments, phrase = self._put(tool, tool.confirm, tool.arguments.check(text))
        except (BadArguments, ToolFailed):  # it cannot be done as things stand now
            return None
        except Exception as error:  # the author's code
            self._tell_raised(tool, error)
            return None
        asked = audience_of(question.tool, question.arguments)
        if not (audience_of(tool.name, arguments) == asked == question.audience and phrase == question.phrase):
            return None
        request = ToolCallRequest(question.tool, text, question.call_id)
        return Called(request, question.call_id, question.tool, tool, question.given, values, judged=True)

    def _tell(self, call: Called, **result: str) -> None:
        """Write the result of an answer that ran nothing."""
        self._context.journal.write("tool.result", {"call_id": call.id, "name": call.name, **result})
