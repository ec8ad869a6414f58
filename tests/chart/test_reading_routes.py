"""Every kind of route is found, at its line, with where it leads.

In the modules below a comment `#> Target` stands on the line of each route: `?` for one that is computed at run time,
`END` where the call ends, several after each other where one line has several. Nothing else may be found.
"""

import re
from pathlib import Path

import pytest

from cuelight.chart import chart_of

STEPS = """
    import cuelight
    from cuelight import *
    from cuelight import go as move
    from typing import Literal

    class A(Step): pass
    class B(Step): pass
    class C(Step): pass
    class Bye(TerminateSessionStep): pass
    NEXT = "B"
    FIRST = A
    TABLE = {"a": A, "b": B}
    LINE = (B, "C")
"""


def routes_of(module, agent):
    return chart_of(getattr(module, agent)).routes


def check(module, agent):
    """Hold what is found to the comments."""
    expected, found = [], []
    for line, text in enumerate(Path(module.__file__).read_text(encoding="utf-8").splitlines(), 1):
        for target in (re.search(r"#> (.*)", text) or [0, ""])[1].split():
            expected.append((line, target))
    for route in routes_of(module, agent):
        assert route.file == module.__file__
        target = "END" if route.kind == "end" else "?" if route.computed else route.target
        assert (route.target is None) == (target in ("END", "?"))
        found.append((route.line, target))
    assert sorted(set(found)) == sorted(expected)


FORMS = {
    "go": """
        return go(B)  #> B
    """,
    "a builder chained": """
        return (
            go(B)  #> B
            .with_prompt("x")
            .with_state(a=1)
        )
    """,
    "by name": """
        return go("C")  #> C
    """,
    "the argument by its name": """
        return go(target=C)  #> C
    """,
    "a class returned bare": """
        return B  #> B
    """,
    "on one of two conditions": """
        return B if self.flow else C  #> B C
    """,
    "over several lines": """
        return (
            B  #> B
            if self.flow
            else C  #> C
        )
    """,
    "a condition inside": """
        return go(B if self.flow else "C")  #> B C
    """,
    "stored and returned": """
        route = go(B)  #> B
        route = route.with_tool_feedback("x")
        return route
    """,
    "only in a branch": """
        if self.flow:
            return stay("x")
        return go(Bye)  #> Bye
    """,
    "an alias": """
        return move(B)  #> B
    """,
    "through the module": """
        return cuelight.go(B)  #> B
    """,
    "a constant of the module": """
        return go(NEXT)  #> B
    """,
    "a class by another name": """
        return FIRST  #> A
    """,
    "a constant of the class": """
        return go(self.BACK)  #> A
    """,
    "a local variable": """
        target = B
        if self.flow:
            target = C
        return go(target)  #> B C
    """,
    "a bare class in a variable": """
        target = None
        if self.flow:
            target = C  #> C
        return target
    """,
    "variables assigned together": """
        word, target = "x", B
        return go(target)  #> B
    """,
    "a parameter of the model's": """
        return go(name)  #> ?
    """,
    "a variable that is partly known": """
        target = B
        for each in name:
            target = each
        return go(target)  #> B ?
    """,
    "one or the other": """
        return go(name or C)  #> ? C
    """,
    "out of a table": """
        return go(TABLE[name])  #> A B
    """,
    "out of a table with a default": """
        return go(TABLE.get(name, Bye))  #> A B Bye
    """,
    "out of a table written there": """
        return go({"x": B, "y": C}[name])  #> B C
    """,
    "out of a tuple": """
        return go(LINE[0])  #> B C
    """,
    "an import in the function": """
        from elsewhere import Far
        return go(Far)  #> Far
    """,
    "in a function inside": """
        def later():
            return go(B)  #> B
        return later()
    """,
    "in a lambda": """
        later = lambda: go(B)  #> B
        return later()
    """,
    "assigned in an expression": """
        if target := (B if self.flow else None):
            return go(target)  #> B
    """,
    "in a match": """
        match name:
            case "b":
                return go(B)  #> B
            case other:
                return go(other)  #> ?
    """,
    "a caught name": """
        try:
            return None
        except ValueError as B:
            return go(B)  #> ?
    """,
    "the end of the call": """
        self.call.end()  #> END
        self.flow.call.end("done")  #> END
    """,
    "stay and direct lead nowhere": """
        if self.flow:
            return stay("go(B)")
        return direct("B").with_message("C")
    """,
    "a class that is only named": """
        if isinstance(self.flow.current, B):
            self.flow.save_step_state(C, {"a": 1})
        return str(C)
    """,
    "a module that is not loaded": """
        from nowhere_at_all import Lost
        return go(Lost)  #> ?
    """,
}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_route_in_a_tool(form, written):
    written("from cuelight import Step\nclass Far(Step): pass\n", "elsewhere")
    body = "\n".join(f"        {line}" for line in FORMS[form].strip("\n").splitlines())
    module = written(f"""{STEPS}
    from elsewhere import Far
    class Here(Step):
        BACK = "A"
        @tool
        def leave(self, name: str):
{body}

    class Trip(Flow):
        steps = (Here, A, B, C, Bye, Far)
""")
    check(module, "Trip")


def test_what_takes_a_route_and_of_what_kind_it_is(written):
    module = written(f"""{STEPS}
    class Here(Step):
        @tool(name="leave")
        async def depart(self):
            return go(B)  #> B
        def on_response(self, text):
            return C if "c" in text else text  #> C
        def on_enter(self):
            return go(A)
    class Think(LogicStep):
        def run_logic(self):
            return self.flow.decide(3)
    class Trip(Flow):
        steps = (Here, Think, A, B, C, Bye)
        def decide(self, number):
            return A if number else Bye  #> A Bye
        def on_call(self):
            self.call.speak("Hello.")
            return go(Think)  #> Think
        def on_event(self, name, data):
            return go(data["step"])  #> ?
        @tool
        def help(self):
            return go("C")  #> C
        @tool(stage=(A, "B"))
        def give_up(self):
            self.call.end()  #> END
""")
    check(module, "Trip")
    talking = ("Here", "A", "B", "C")
    assert [(r.owner, r.via, r.kind, r.origins, r.target) for r in routes_of(module, "Trip")] == [
        ("Trip", "on_call", "go", ("Here",), "Think"),
        ("Trip", "on_event", "go", talking, None),
        ("Trip", "help", "go", talking, "C"),
        ("Trip", "give_up", "end", ("A", "B"), None),
        ("Here", "leave", "go", ("Here",), "B"),
        ("Here", "on_response", "class", ("Here",), "C"),
        ("Think", "run_logic", "class", ("Think",), "A"),
        ("Think", "run_logic", "class", ("Think",), "Bye"),
    ]


def test_helpers_are_followed_with_what_they_are_given(written):
    written(
        """
        from cuelight import go
        def far(step, *, word="x"):
            if not word:
                return far(step)
            return go(step).with_message(word)  #> B C
        def pick(table, key):
            return table[key]
        """,
        "helping",
    )
    module = written(f"""{STEPS}
    import asyncio
    import helping
    class Base(Step):
        @tool
        def leave(self):
            return self._out("C")
        @tool
        def turn(self):
            return helping.far(B)
        @tool
        def twist(self):
            return helping.far(step=self.later)
        @tool
        async def wait(self):
            return await asyncio.to_thread(self._slow, 3)
        @tool
        def ask(self):
            return self.flow.step(A).way()
        @property
        def later(self):
            return C
        def _out(self, name):
            return go(name)
        def _slow(self, number):
            return go(A)  #> A
        def way(self):
            return None
    class Here(Base):
        def _out(self, name):
            found = super()._out(name)
            return helping.pick({{"x": A}}, name) or found  #> A
        @tool
        def turn(self):
            return super().turn()
    class Trip(Flow):
        steps = (Here, A, B, C)
""")
    routes = {(r.via, r.target, r.file.rpartition("/")[2], r.line) for r in routes_of(module, "Trip")}
    name = module.__file__.rpartition("/")[2]
    lines = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    at = {text.strip(): number for number, text in enumerate(lines, 1)}
    assert routes == {
        ("leave", "C", name, at["return go(name)"]),
        ("leave", "A", name, at['return helping.pick({"x": A}, name) or found  #> A']),
        ("turn", "B", "helping.py", 5),
        ("twist", "C", "helping.py", 5),
        ("wait", "A", name, at["return go(A)  #> A"]),
    }


def test_inherited_tools_are_routes_of_each_step_that_has_them(written):
    module = written(f"""{STEPS}
    class Base(Step):
        @tool
        def leave(self):
            return go(self.OUT)
    class One(Base):
        OUT = "Two"
    class Two(Base):
        OUT = "One"
    class Trip(Flow):
        steps = (One, Two)
""")
    assert [(r.origins, r.target) for r in routes_of(module, "Trip")] == [(("One",), "Two"), (("Two",), "One")]


def test_functions_that_call_each_other_are_read_from_either(written):
    module = written(f"""{STEPS}
    class Here(Step):
        @tool
        def one(self):
            self.two()
            return go(B)
        @tool
        def two(self):
            self.one()
            return go(C)
        @tool
        def three(self, items: list[str]):
            return self.three([items, items]) or go(A)
    class Trip(Flow):
        steps = (Here, A, B, C)
""")
    assert {(route.via, route.target) for route in routes_of(module, "Trip")} == {
        ("one", "B"), ("one", "C"), ("two", "B"), ("two", "C"), ("three", "A"),
    }  # fmt: skip


def test_nothing_is_run_to_read_it(written):
    written(
        """
        armed = []
        def __getattr__(name):
            raise SystemExit if armed else AttributeError
        """,
        "touchy",
    )
    module = written(f"""{STEPS}
    import touchy
    from enum import StrEnum
    class Meta(type):
        @property
        def target(cls):
            raise SystemExit
    class Odd(metaclass=Meta): pass
    class Name(StrEnum):
        LAST = "C"
    class Here(Step):
        _next = "A"
        _last = "B"
        def on_enter(self):
            self._next = "C"
        @property
        def later(self):
            raise SystemExit
        @tool
        def one(self):
            if self: return go(touchy.lost)  #> ?
            if self: return go(Odd.target)  #> ?
            if self: return go(self.later)  #> ?
            if self: return go(Name.LAST)  #> C
            if self: return go(Name.LAST.value)  #> C
            if self: return go(self._next)  #> ?
            return go(self._last)  #> B
    class Trip(Flow):
        steps = (Here, A, B, C)
        def __init__(self):
            raise SystemExit
""")
    module.touchy.armed.append(True)
    check(module, "Trip")


def test_stages_are_assigned(written):
    module = written("""
    from typing import Literal
    from cuelight import Agent, go, tool
    LAST = "done"
    def finish(desk, word):
        desk.stage = word  #> done
    class Desk(Agent):
        stage: Literal["a", "b", "c", "done"] = "a"
        n: int = 0
        def __init__(self):
            self.stage = "b"  #> b
        @tool(stage="a")
        def one(self):
            self.n, self.stage = 1, "b"  #> b
        @tool(stage=("a", "b"))
        def two(self, word: str):
            self.n = 2
            self.stage = "c" if word else LAST  #> c done
        @tool
        def three(self, word: str):
            self.stage = word  #> ?
            other = self
            other.stage: str = "a"  #> a
        @tool(stage="c")
        def four(self):
            finish(self, "done")
        @tool(stage="c")
        def five(self):
            setattr(self, "stage", "a")  #> a
            self.stage, *rest = "b", 1  #> ?
        @tool(stage="done")
        def six(self):
            return go("a").with_state(n=1)  #> a
        @tool(stage="done")
        def seven(self, word: str):
            word.stage = "b"
            stage = "c"
            self.stages = stage
    """)
    check(module, "Desk")
    found = {(r.via, r.kind, r.origins) for r in routes_of(module, "Desk")}
    assert found == {
        ("__init__", "assignment", ("a",)),
        ("one", "assignment", ("a",)),
        ("two", "assignment", ("a", "b")),
        ("three", "assignment", ("a", "b", "c", "done")),
        ("four", "assignment", ("c",)),
        ("five", "assignment", ("c",)),
        ("six", "go", ("done",)),
    }


def test_without_a_source_the_compiled_code_is_read():
    names = {"__name__": "typed_in"}
    exec(
        "import cuelight\n"
        "from typing import Literal\n"
        "from cuelight import *\n"
        "class A(Step): pass\n"
        "class B(Step):\n"
        "    @tool\n"
        "    def one(self): return go(A)\n"
        "    @tool\n"
        "    def two(self): return A\n"
        "    @tool\n"
        "    def three(self): return cuelight.go('A').with_prompt('B')\n"
        "    @tool\n"
        "    def four(self, to: str): return go(to)\n"
        "    @tool\n"
        "    def five(self): return stay('A')\n"
        "class Trip(Flow):\n"
        "    steps = (B, A)\n"
        "class Desk(Agent):\n"
        "    stage: Literal['a', 'b'] = 'a'\n"
        "    @tool\n"
        "    def six(self): self.stage = 'b'\n",
        names,
    )
    chart = chart_of(names["Trip"])
    found = [(route.via, route.kind, route.target, route.computed) for route in chart.routes]
    assert found == [
        ("one", "go", "A", False),
        ("two", "class", "A", False),
        ("three", "go", "A", False),
        ("four", "go", None, True),
    ]
    (six,) = chart_of(names["Desk"]).routes
    assert (six.kind, six.target) == ("assignment", "b")
    assert {(each.file, each.line) for each in (*chart.routes, *chart.places, *chart.tools, chart, six)} == {
        (None, None)
    }
