"""The calls of one reply: run in the order written, each with exactly one result, whatever happens."""

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import BadArguments, Gate, Staged, Tool, answer_tool, parse_object, plain_json
from cuelight.engine import lines
from cuelight.engine.asking import Attempt
from cuelight.engine.called import Called, Result
from cuelight.engine.gatekeeping import Gatekeeper
from cuelight.engine.handlers import Handler, Outcome
from cuelight.engine.masking import mask_fields, mask_result
from cuelight.engine.routing import Routing
from cuelight.errors import ToolFailed
from cuelight.flow import VALIDATED, Route
from cuelight.wire import told, whole_text

if TYPE_CHECKING:
    from cuelight.engine.turn import Turn

__all__ = ["Batch"]

_canonical = msgspec.json.Encoder(order="deterministic").encode


class Batch:
    """Run the calls of one reply.

    Args:
        turn: the turn whose reply it is.
        attempt: the reply.
    """

    def __init__(self, turn: "Turn", attempt: Attempt) -> None:
        self._turn = turn
        self._context = turn.context
        self._calls = [Called(call, call.id or "", call.name) for call in attempt.calls]
        # The gate in force when the model was asked: what it offered is all that may run.
        self._offered = turn.gate
        self._routing = Routing(turn)
        self._gatekeeper = Gatekeeper(turn, self)

    async def run(self) -> None:
        """Run all calls, then the route that won."""
        queue = deque(self._calls)
        while queue:
            group = self._take_group(queue)
            if group:
                await self._run_group(group)
        await self._routing.finish()

    # --- before a call ------------------------------------------------------------------------------------------------

    def _take_group(self, queue: deque[Called]) -> list[Called]:
        """Take the next call and, where it only reads, those beside it that only read too: they may run together.

        A call that may not run is answered at once, alone, and gives no group.
        """
        group: list[Called] = []
        while queue and (not group or self._may_join(queue[0])):
            call = queue[0]
            if not call.judged:
                self._judge(call)
            if call.refused is not None:
                if not group:
                    self._refuse(queue.popleft())
                break
            group.append(queue.popleft())
            if call.tool is None or call.tool.effect != "read" or _stands_alone(call.tool):
                break
        return group

    def _may_join(self, call: Called) -> bool:
        """Tell whether a call may run together with those before it."""
        offered = self._offered.find(call.name)
        return offered is not None and offered.effect == "read" and not _stands_alone(offered)

    def _judge(self, call: Called) -> None:
        """Decide whether a call may run, now, with these arguments."""
        call.judged = True
        tools = (*self._context.course.tools, *self._context.confirmations.tools)
        declared = next((tool for tool in tools if tool.name == call.name), None)
        call.tool = self._offered.find(call.name) or declared
        try:
            call.given = parse_object(call.request.arguments, call.tool.arguments if call.tool else None)
        except BadArguments as error:
            call.refused, call.reason = str(error), "bad arguments"
        if self._stopped(call):
            return
        if self._is_repeated(call):
            call.refused, call.reason = lines.NOT_RUN_LIMIT, "repeated"
            return
        gate = self._context.standing.gate()
        if not self._may_run(call, gate):
            call.refused = lines.refusal(gate.names)
            call.reason = "hidden" if declared is not None else "unknown"
            return
        if call.refused is None and call.tool is not None:
            try:
                call.values = call.tool.arguments.check(
                    call.request.arguments if call.request.arguments.strip() else "{}"
                )
            except BadArguments as error:
                call.refused, call.reason = str(error), "bad arguments"

    def _may_run(self, call: Called, gate: Gate) -> bool:
        """The gate: visible when the model was asked, and visible now."""
        offered = self._offered.find(call.name)
        return offered is not None and gate.find(call.name) is offered

    def _stopped(self, call: Called) -> bool:
        turn = self._turn
        if turn.cut:
            call.refused = lines.NOT_RUN_CUT
        elif self._context.ended is not None:
            call.refused = lines.NOT_RUN_ENDED
        elif turn.out_of_bounds():
            call.refused = lines.NOT_RUN_LIMIT
        else:
            return False
        call.reason = "not run"
        return True

    def _is_repeated(self, call: Called) -> bool:
        """Count calls of the same tool with the same arguments; tells whether this is one too many."""
        arguments = _canonical(call.given) if call.given is not None else call.request.arguments.encode()
        owner = "" if call.tool is None else type(self._context.course.owner(call.tool)).__name__
        seen, key = self._turn.same_calls, (owner, call.name, arguments)  # steps may have tools of one name
        count = seen[key] = seen.get(key, 0) + 1
        return count > self._context.limits.identical_calls

    # --- the call itself ----------------------------------------------------------------------------------------------

    async def _run_group(self, group: list[Called]) -> None:
        tool = group[0].tool
        if tool is answer_tool():
            await self._gatekeeper.answer(group[0])
            return
        if tool is not None and tool.confirm is not None:
            self._gatekeeper.ask_first(group[0], tool.confirm)
            return
        for call in group:
            self.write_call(call)
        await self._context.journal.barrier()
        if self._turn.cut:  # while they were being stored; they have not begun
            for call in group:
                call.refused, call.reason = lines.NOT_RUN_CUT, "not run"
                self.write_refusal(call)
            return
        results = [await self.handle(group[0])] if len(group) == 1 else await self._handle_together(group)
        for call, result in zip(group, results, strict=True):
            self.settle(call, *result)

    async def _handle_together(self, group: list[Called]) -> list[tuple[Outcome, Handler, Staged]]:
        tasks = [asyncio.ensure_future(self.handle(call)) for call in group]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:  # one asks the program to stop, or the turn was stopped: the others stop too
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            raise

    async def handle(self, call: Called) -> tuple[Outcome, Handler, Staged]:
        """Run the handler of a call that may run; what it changed is not committed yet."""
        tool, values = call.tool, call.values or {}
        assert tool is not None
        function = partial(tool.function, self._context.course.owner(tool), **values)
        key = f"{self._context.journal.call}/{call.id}"
        return await self._context.handle(f"tool {tool.name}", function, is_async=tool.is_async, tool=tool, key=key)

    def write_call(self, call: Called) -> None:
        """Write that a call is about to run, or will not."""
        given = call.given or {}
        data = {"call_id": call.id, "name": call.name, "arguments": given, "speech_id": self._turn.speech_id}
        shown, private = mask_fields(given, [name for name in given if self._is_private(call, name)])
        if private or shown != given:
            self._context.journal.write("tool.call", data, shown={**data, "arguments": shown}, private=private)
        else:
            self._context.journal.write("tool.call", data)

    def _is_private(self, call: Called, name: str) -> bool:
        """Tell whether an argument is private: as the tool on offer declares it, else as any does that may be meant."""
        offered = self._offered.find(call.name)
        if offered is not None and name in offered.arguments.parameters:
            return name in offered.pii_arguments
        tools = self._context.course.tools
        meant = (tool for tool in tools if tool.name == call.name and tool.pii_arguments)
        return any(name in tool.pii_arguments for tool in tools) or any(
            name not in tool.arguments.parameters for tool in meant
        )

    def _refuse(self, call: Called) -> None:
        """Answer a call that does not run; its three entries are stored together."""
        self.write_call(call)
        self.write_refusal(call)
        if call.reason == "repeated":
            self._turn.stop_at("identical_calls", self._context.limits.identical_calls)

    def write_refusal(self, call: Called) -> None:
        """Write the result of a call that does not run."""
        journal = self._context.journal
        journal.write("tool.result", {"call_id": call.id, "name": call.name, "error": call.refused})
        journal.write("cue.refused", {"call_id": call.id, "name": call.name, "reason": call.reason})

    # --- after a call -------------------------------------------------------------------------------------------------

    def settle(self, call: Called, outcome: Outcome, handler: Handler, staged: Staged) -> Result:
        """Write what came of a call: its one result, then what it changed; gives the result."""
        context = self._context
        tool = call.tool
        assert tool is not None
        result: dict[str, Any] = {"call_id": call.id, "name": call.name}
        shown = None
        private: list[str] = []
        route = outcome.value if isinstance(outcome.value, Route) else None
        if outcome.status != "done":
            result["error"] = self._failure(tool, outcome, call)
        else:
            staged.commit()
            self._turn.forget(handler)  # before its result is there, which the model reads all the same
            if route is not None:
                result["output"] = self._routing.take(route, call.id, tool)
            else:
                result["output"], shown_output, private = self._output(tool, outcome.value)
                if shown_output is not result["output"]:
                    shown = {**result, "output": shown_output, "duration_s": outcome.seconds}
        result["duration_s"] = outcome.seconds
        context.journal.write("tool.result", result, shown=shown, private=private)
        if outcome.status == "done":
            context.standing.tell(
                context.course.changed(staged), {"kind": "tool", "tool": tool.name, "call_id": call.id}
            )
            if route is not None:
                self._routing.note()
            self._turn.follow(handler)
        return Result(result, shown, private)

    def _failure(self, tool: Tool, outcome: Outcome, call: Called) -> str:
        context = self._context
        if outcome.status == "timeout":
            context.error(
                "tool-timeout",
                f"Tool {tool.name} ran out of time after {outcome.seconds:g} s; the state is what it was.",
            )
            if tool.effect == "read":
                return lines.TIMED_OUT_READ
            context.journal.write("cue.unknown", {"call_id": call.id, "name": call.name, "reason": "timeout"})
            return lines.UNKNOWN_OUTCOME
        if isinstance(outcome.error, ToolFailed):
            return told(outcome.error) or lines.TOOL_BROKE
        context.tell_broken(f"Tool {tool.name}", outcome)
        return told(outcome.error) if outcome.misrouted and outcome.error is not None else lines.TOOL_BROKE

    def _output(self, tool: Tool, value: Any) -> tuple[Any, Any, list[str]]:
        """Give a result as plain JSON, as it may be shown, and the values that are private in it."""
        if value is None and not tool.none_is_null:
            return VALIDATED, VALIDATED, []
        try:
            output = msgspec.json.decode(plain_json(whole_text(value) if type(value) is str else value))
        except ValueError as error:
            self._context.error(
                "result-unreadable",
                f"Tool {tool.name} was done, but its result of type {type(value).__name__} has no JSON form "
                f"({told(error)}).",
            )
            return lines.UNREADABLE_RESULT, lines.UNREADABLE_RESULT, []
        shown, private = mask_result(tool, output)
        return output, shown, private


def _stands_alone(tool: Tool | None) -> bool:
    """Tell whether a tool runs beside no other, because the caller has to do with it."""
    return tool is not None and (tool.confirm is not None or tool is answer_tool())
