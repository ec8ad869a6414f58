"""Routes by property: builders are values, a batch of routes has one winner, and a walk is what a small model says."""

import copy
import dataclasses
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import strategies  # noqa: F401 - its profile
from cuelight import DirectMessage, Flow, HttpContentType, Limits, LogicStep, Route, Step, direct, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, rehearsing, results, run, said, told

WORDS = st.text(alphabet="abc xyz", min_size=1, max_size=6).filter(str.strip)


# --- builders ---------------------------------------------------------------------------------------------------------


class Target(Step):
    pass


TARGETS = st.sampled_from([Target, "Target", "elsewhere"])
STATES = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), max_size=2).map(lambda s: dict(sorted(s.items())))
BUILDERS = st.one_of(
    st.tuples(st.just("feedback"), WORDS),
    st.tuples(st.just("prompt"), WORDS),
    st.tuples(st.just("state"), STATES),
    st.tuples(st.just("content_type"), st.sampled_from(HttpContentType)),
    st.tuples(st.just("message"), WORDS | WORDS.map(DirectMessage)),
)
METHODS = {
    "feedback": Route.with_tool_feedback,
    "prompt": Route.with_prompt,
    "state": Route.with_state,
    "content_type": Route.with_content_type,
    "message": Route.with_message,
}


def values(route: Route) -> dict[str, Any]:
    """Give what a route holds."""
    return {
        field.name: copy.copy(getattr(route, field.name))
        for field in dataclasses.fields(route)
        if field.name != "state"
    } | {"state": dict(route.state)}


@given(TARGETS, st.lists(BUILDERS, max_size=8))
def test_each_builder_replaces_its_own_earlier_value_and_nothing_else(
    target: Any, built: list[tuple[str, Any]]
) -> None:
    routes = [go(target)]
    expected = [values(routes[0])]
    for name, value in built:
        routes.append(METHODS[name](routes[-1], value))
        expected.append({**expected[-1], name: value})
    assert [values(route) for route in routes] == expected, "and none of the earlier ones has changed"


@given(TARGETS, st.lists(BUILDERS, max_size=6), st.randoms(use_true_random=False))
def test_routes_that_hold_the_same_are_the_same_in_whatever_order_they_were_built(
    target: Any, built: list[tuple[str, Any]], chance: Any
) -> None:
    last = list(dict(built).items())
    shuffled = list(last)
    chance.shuffle(shuffled)
    one = two = three = go(target)
    for name, value in built:
        one = METHODS[name](one, value)
    for name, value in last:
        two = METHODS[name](two, value)
    for name, value in shuffled:
        three = METHODS[name](three, copy.deepcopy(value))
    assert one == two == three
    assert repr(one) == repr(two) == repr(three)


@given(TARGETS, BUILDERS, BUILDERS)
def test_routes_that_hold_different_things_are_different(
    target: Any, first: tuple[str, Any], second: tuple[str, Any]
) -> None:
    one, two = METHODS[first[0]](go(target), first[1]), METHODS[second[0]](go(target), second[1])
    assert (one == two) == (values(one) == values(two))
    assert (repr(one) == repr(two)) == (one == two)
    assert one != object()


# --- one batch --------------------------------------------------------------------------------------------------------


class Move(Step):
    """Has a tool for each kind of result; its subclasses are where a batch may lead."""

    brought: int = 0
    hooks: list[str] = []

    @tool
    def move(self, to: int, brings: int = 0, says: str = "") -> Any:
        """Goes to a step, by its class or by its name."""
        route = go(STEPS[to] if to % 2 else f"Move{to}").with_tool_feedback(f"to {to}")
        route = route.with_state(brought=brings) if brings else route
        return route.with_message(DirectMessage(says)) if says else route

    @tool
    def linger(self, words: str) -> Any:
        """Stays."""
        return stay(words)

    @tool
    def show(self, words: str) -> Any:
        """Shows."""
        return direct(words)

    @tool
    def work(self, words: str) -> str:
        """Works."""
        return words

    @tool
    def burst(self) -> Any:
        """Breaks."""
        self.brought = 99
        raise RuntimeError("no")

    def on_enter(self) -> None:
        self.hooks.append("enter")

    def on_exit(self) -> None:
        self.hooks.append("exit")


STEPS = [type(f"Move{number}", (Move,), {}) for number in range(4)]


class Moves(Flow):
    steps = tuple(STEPS)
    limits = Limits(identical_calls=99)


CALLS = st.one_of(
    st.builds(
        lambda to, brings, says: ("move", {"to": to, "brings": brings, "says": says}),
        st.integers(0, 3), st.integers(0, 2), st.just("") | WORDS,
    ),
    st.builds(lambda words: ("linger", {"words": words}), WORDS),
    st.builds(lambda words: ("show", {"words": words}), WORDS),
    st.builds(lambda words: ("work", {"words": words}), WORDS),
    st.just(("burst", {})),
)  # fmt: skip


@settings(max_examples=120)
@given(st.lists(CALLS, min_size=1, max_size=6), st.integers(0, 3))
def test_a_batch_has_one_winner_and_each_call_one_answer(batch: list[tuple[str, dict[str, Any]]], start: int) -> None:
    run(_check_batch(batch, start))


async def _check_batch(batch: list[tuple[str, dict[str, Any]]], start: int) -> None:
    moves = [i for i, (name, args) in enumerate(batch) if name == "move" and args["to"] != start]
    winner = moves[0] if moves else None
    shown = [
        i for i, (name, args) in enumerate(batch)
        if name == "show" or (name == "move" and args["says"] and (args["to"] == start or i == winner))
    ]  # fmt: skip
    script = Script([calls(name, **args) for name, args in batch], "Words.")
    async with rehearsing(Moves, script, state={"stage": f"Move{start}"}) as call:
        reply = await call.say("go")
        end = start if winner is None else batch[winner][1]["to"]
        assert call.agent.stage == f"Move{end}"
        first_shown = batch[shown[0]][1] if shown else None
        content = None if first_shown is None else first_shown.get("words") or first_shown.get("says")
        assert (reply.content, reply.text) == (content, content or "Words.")
        assert len(call.requests) == (1 if shown else 2)
        if not shown:
            assert told(call.requests[1]) == [result.get("output", result.get("error")) for result in results(call.log)]
        _check_answers(call, batch, start, winner, shown)
        ran = [list(step.saved["hooks"]) for step in call.agent._steps.values()]
        assert ran == [
            [] if winner is None or number not in (start, end) else ["exit"] if number == start else ["enter"]
            for number in range(4)
        ]
        moved = [data for data in datas(call.log, "state.changed")[1:] if "stage" in data["changed"]]
        assert len(moved) == (winner is not None)


def _check_answers(call: Any, batch: list[Any], start: int, winner: int | None, shown: list[int]) -> None:
    """Check what each call of a batch was answered, and which routes were applied."""
    answers = [result.get("output", "") for result in results(call.log)]
    applied = iter([data["applied"] for data in datas(call.log, "cue.route")])
    for index, ((name, args), answer) in enumerate(zip(batch, answers, strict=True)):
        if name == "burst":
            assert "error" in results(call.log)[index]
            continue
        if name == "work":
            assert answer == args["words"]
            continue
        loses = name == "move" and args["to"] != start and index != winner
        late = index in shown[1:]
        assert ("not applied" in answer) == loses
        assert ("not shown" in answer) == late
        assert next(applied) == (not loses and (not late or index == winner))
        if not loses and not late:
            expected = {"move": f"to {args.get('to')}", "linger": args.get("words"), "show": "input validated"}
            assert answer == expected[name]
    brought = [step.saved["brought"] for step in call.agent._steps.values()]
    assert 99 not in brought, "what a failed call wrote is gone"
    won = batch[winner][1] if winner is not None else {}
    stayed = [
        args["brings"] for index, (name, args) in enumerate(batch)
        if name == "move" and args["to"] == start and args["brings"]
    ]  # fmt: skip
    assert brought[start] == (stayed[-1] if stayed else 0)
    if winner is not None:
        assert brought[won["to"]] == won["brings"]


# --- walks ------------------------------------------------------------------------------------------------------------

CAP = 3


@st.composite
def walks(draw: st.DrawFn) -> tuple[list[int | None], list[list[tuple[int, str]]]]:
    """Make up a flow (for each step None, or where its code leads) and turns (moves, each with a prompt or none)."""
    size = draw(st.integers(2, 5))
    rest = draw(st.lists(st.none() | st.integers(0, size - 1), min_size=size - 1, max_size=size - 1))
    move = st.tuples(st.integers(0, size - 1), st.just("") | WORDS)
    turns = draw(st.lists(st.lists(move, max_size=4), max_size=5))
    return [None, *rest], turns


class Walker:
    """Say where a walk is, by the rules alone."""

    def __init__(self, codes: list[int | None]) -> None:
        self.codes = codes
        self.at = 0
        self.hooks: list[str] = []
        self.prompts: dict[int, str] = {}
        self.left = CAP
        self.stopped = self.stuck = False

    def turn(self, moves: list[tuple[int, str]]) -> None:
        """Make the moves of one turn, one a reply of the model."""
        self.left, self.stopped, self.stuck = CAP, False, False
        self.settle()
        for to, prompt in moves:
            if self.stopped or self.stuck:
                return
            if prompt and to == self.at:
                self.prompts[to] = prompt
            self.move(to, prompt)
            self.settle()

    def move(self, to: int, prompt: str = "") -> None:
        if to == self.at:
            return
        if not self.left:
            self.stopped = True
            return
        self.left -= 1
        self.hooks += [f"exit {self.at}", f"enter {to}", f"crossing {to} from {self.at}"]
        self.at = to
        if prompt:
            self.prompts[to] = prompt

    def settle(self) -> None:
        while not (self.stopped or self.stuck) and (to := self.codes[self.at]) is not None:
            self.stuck = to == self.at
            self.move(to)


def flow_of(codes: list[int | None], hooks: list[str]) -> type[Flow]:
    """Build a flow whose steps write their hooks down."""

    def body(number: int, code: int | None) -> dict[str, Any]:
        def on_enter(self: Any) -> None:
            hooks.append(f"enter {number}")

        async def on_exit(self: Any) -> None:
            hooks.append(f"exit {number}")

        def on_crossing(self: Any, message: str | None, prior: Any) -> str | None:
            hooks.append(f"crossing {number} from {type(prior).__name__.removeprefix('S')}")
            return message

        def move(self: Any, to: int, prompt: str) -> Any:
            route = go(f"S{to}")
            return route.with_prompt(prompt) if prompt else route

        def run_logic(self: Any) -> Any:
            return go(f"S{code}")

        found: dict[str, Any] = {"on_enter": on_enter, "on_exit": on_exit, "on_crossing": on_crossing}
        return found | ({"move": tool(move)} if code is None else {"run_logic": run_logic})

    steps = [
        type(f"S{number}", (Step if code is None else LogicStep,), body(number, code))
        for number, code in enumerate(codes)
    ]
    limits = Limits(transitions=CAP, identical_calls=99, model_requests=99)
    return type("Walk", (Flow,), {"steps": tuple(steps), "limits": limits})


@settings(max_examples=120)
@given(walks())
def test_a_walk_is_what_the_rules_say(walk: tuple[list[int | None], list[list[tuple[int, str]]]]) -> None:
    run(_check_walk(*walk))


async def _check_walk(codes: list[int | None], turns: list[list[tuple[int, str]]]) -> None:
    hooks: list[str] = []
    walker = Walker(codes)
    walker.hooks.append("enter 0")
    waiting: list[Any] = []
    async with rehearsing(flow_of(codes, hooks), Script(*[lambda request: waiting.pop(0)] * 99)) as call:
        for moves in turns:
            waiting[:] = [*(calls("move", to=to, prompt=prompt) for to, prompt in moves), "Done."]
            walker.turn(moves)
            reply = await call.say("go")
            assert call.agent.stage == f"S{walker.at}"
            assert hooks == walker.hooks
            assert (reply.text == "Done.") == (not walker.stopped and not walker.stuck)
            prompts = {
                int(name[1:]): state.get("_prompt") for name, state in call.state.app_state.items() if name != "stage"
            }
            assert {number: prompt for number, prompt in prompts.items() if prompt} == walker.prompts
            if reply.text == "Done.":
                assert call.requests[-1].view == walker.prompts.get(walker.at, "").strip()
                assert call.requests[-1].tools == ["move"]
        crossed = [(data["from"], data["to"]) for data in datas(call.log, "cue.crossing")]
        stages = ["S0", *(to for _, to in crossed)]
        assert [start for start, _ in crossed] == stages[:-1], "one unbroken way"
        assert len(entries(call.log, "cue.crossing")) == sum(hook.startswith("enter") for hook in hooks) - 1
        assert all(by in ("model", "code") for by, _ in said(call.log))
