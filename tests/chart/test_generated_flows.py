"""The map of a generated flow is what it was generated from; and of a generated agent with stages."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuelight.chart import chart_of

# How a route to {0} is written, in a tool; each on the line it is found at.
IN_STEPS = (
    "return go({0})", "return {0}", "return go('{0}')", "return go({0}).with_prompt('x')", "return self.out({0})",
    "x{0} = {0}; return go(x{0})", "return stay() if word else go({0})", "return go({{'x': {0}}}[word])",
)  # fmt: skip
IN_STAGES = (
    "self.stage = '{0}'", "self.n, self.stage = 1, '{0}'", "return go('{0}')", "move(self, '{0}')",
    "x{0} = '{0}'; self.stage = x{0}", "return stay() if word else go('{0}')",
)  # fmt: skip


@st.composite
def graphs(draw, forms):
    """Draw places, and for each the routes of its tools: where each leads, and how it is written."""
    count = draw(st.integers(1, 6))
    route = st.tuples(st.integers(0, count - 1), st.sampled_from(forms))
    return [draw(st.lists(st.lists(route, max_size=3), max_size=3)) for _ in range(count)]


def tool(name, routes, prefix):
    yield f"    def {name}(self, word: str):"
    for target, form in routes:
        text = form.format(f"{prefix}{target}")
        yield f"        if word: {text}"
    yield "        return None"


def expected(graph, prefix, lines):
    """Give each route by its place, its tool and its line, where that is the line it is written on."""
    wanted = set()
    for place, tools in enumerate(graph):
        for number, routes in enumerate(tools):
            name = f"t{place}_{number}"
            first = lines.index(f"    def {name}(self, word: str):") + 2
            for order, (target, form) in enumerate(routes):
                shared = "self.out(" in form or "move(" in form
                wanted.add(((f"{prefix}{place}",), name, f"{prefix}{target}", None if shared else first + order))
    return wanted


def found(chart, shared):
    return {
        (route.origins, route.via, route.target, None if route.line in shared else route.line) for route in chart.routes
    }


ONE_MODULE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)


@ONE_MODULE
@given(graph=graphs(IN_STEPS))
def test_flows(graph, generated):
    lines = ["from cuelight import *", "class Base(Step):", "    def out(self, step):", "        return go(step)"]
    for place, tools in enumerate(graph):
        lines.append(f"class S{place}(Base):")
        for number, routes in enumerate(tools):
            lines.extend(("    @tool", *tool(f"t{place}_{number}", routes, "S")))
        lines.append("    x = None" if not tools else "")
    lines += ["class Trip(Flow):", f"    steps = ({''.join(f'S{place}, ' for place in range(len(graph)))})"]
    text = "\n".join(lines).replace("    x = None", "    pass")
    chart = chart_of(generated(text).Trip)
    assert [place.name for place in chart.places] == [f"S{place}" for place in range(len(graph))]
    assert [[each.name for each in place.tools] for place in chart.places] == [
        [f"t{place}_{number}" for number in range(len(tools))] for place, tools in enumerate(graph)
    ]
    assert not any(route.computed for route in chart.routes)
    assert found(chart, {4}) == expected(graph, "S", text.splitlines())


@ONE_MODULE
@given(graph=graphs(IN_STAGES))
def test_agents_with_stages(graph, generated):
    lines = [
        "from typing import Literal", "from cuelight import *", "def move(desk, to):", "    desk.stage = to",
        "class Desk(Agent):", f"    stage: Literal[{', '.join(repr(f's{place}') for place in range(len(graph)))}]",
        "    n: int = 0",
    ]  # fmt: skip
    for place, tools in enumerate(graph):
        for number, routes in enumerate(tools):
            lines.extend((f"    @tool(stage='s{place}')", *tool(f"t{place}_{number}", routes, "s")))
    chart = chart_of(generated("\n".join(lines)).Desk)
    assert [place.line for place in chart.places] == [6] * len(graph)
    assert not any(route.computed for route in chart.routes)
    assert found(chart, {4}) == expected(graph, "s", lines)
