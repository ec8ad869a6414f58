"""Pipecat with its Flows: a pipeline of user aggregator, model and assistant aggregator; a stage is a node.

A turn begins with a frame of the caller's words and is over when the assistant's message is in the context.
"""

import asyncio

from loguru import logger

logger.remove()

from pipecat.flows import FlowManager, FlowsFunctionSchema  # noqa: E402 - imports log, and a terminal costs time
from pipecat.frames.frames import (  # noqa: E402
    LLMContextAssistantTimestampFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
)
from pipecat.pipeline.pipeline import Pipeline  # noqa: E402
from pipecat.pipeline.worker import PipelineWorker  # noqa: E402
from pipecat.processors.aggregators.llm_context import LLMContext  # noqa: E402
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair  # noqa: E402
from pipecat.processors.frame_processor import FrameProcessor  # noqa: E402
from pipecat.services.llm_service import FunctionCallFromLLM, LLMService  # noqa: E402
from pipecat.workers.runner import WorkerRunner  # noqa: E402

from bench.turns.workload import TOOLS, VISIBLE, Desk  # noqa: E402

PATIENCE_S = 20


class AtOnce(LLMService):
    """Answer at once."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    async def process_frame(self, frame, direction) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._answer(frame.context)
        else:
            await self.push_frame(frame, direction)

    async def _answer(self, context: LLMContext) -> None:
        desk = self._desk
        desk.offer(one.name for one in context.tools.standard_tools)
        await self.push_frame(LLMFullResponseStartFrame())
        if context.get_messages()[-1]["role"] == "user":
            call = FunctionCallFromLLM(
                context=context, tool_call_id=desk.call_id, function_name="find_parcel", arguments=desk.arguments
            )
            await self.run_function_calls([call])
        else:
            await self._push_llm_text(desk.answer)
        await self.push_frame(LLMFullResponseEndFrame())


class Ear(FrameProcessor):
    """Notice at the pipeline's end that a reply is complete."""

    def __init__(self) -> None:
        super().__init__()
        self.replied = asyncio.Event()

    async def process_frame(self, frame, direction) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextAssistantTimestampFrame):
            self.replied.set()
        await self.push_frame(frame, direction)


def _nodes(desk: Desk):
    """Give the function that makes the node of a stage."""

    async def find_parcel(arguments, flow):
        before = desk.stage
        result = {"text": desk.find(arguments["number"])}
        return result, (node(desk.stage) if desk.stage != before else None)

    async def second_tool(arguments, flow):
        return {"text": f"Parcel {arguments['number']} is dealt with."}, None

    handlers = {"find_parcel": find_parcel, "redirect": second_tool, "hand_over": second_tool}
    functions = {
        name: FlowsFunctionSchema(
            name=name,
            description=TOOLS[name],
            properties={"number": {"type": "integer"}},
            required=["number"],
            handler=handler,
        )
        for name, handler in handlers.items()
    }

    def node(stage: str, **more):
        return {"name": stage, "task_messages": [], "functions": [functions[name] for name in VISIBLE[stage]], **more}

    return node


async def main() -> None:
    desk, ear, context = Desk(), Ear(), LLMContext()
    pair, model = LLMContextAggregatorPair(context), AtOnce(desk)
    pipeline = Pipeline([pair.user(), model, pair.assistant(), ear])
    worker = PipelineWorker(pipeline, enable_rtvi=False, cancel_on_idle_timeout=False, idle_timeout_secs=None)
    flow = FlowManager(llm=model, context_aggregator=pair, worker=worker)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await asyncio.sleep(0.2)
    prompt = "You answer questions about parcels. Brief and friendly."
    await flow.initialize(_nodes(desk)(desk.stage, role_message=prompt, respond_immediately=False))
    await asyncio.sleep(0.2)

    async def say(words: str) -> str | None:
        ear.replied.clear()
        message = {"role": "user", "content": words}
        await worker.queue_frame(LLMMessagesAppendFrame(messages=[message], run_llm=True))
        await asyncio.wait_for(ear.replied.wait(), PATIENCE_S)
        return context.get_messages()[-1].get("content")

    (await desk.drive(say)).write()
    await worker.cancel()
    await asyncio.wait_for(running, PATIENCE_S)


asyncio.run(main())
