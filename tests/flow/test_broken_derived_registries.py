"""A flow that names its steps by a method may add to those of the flow it is derived from."""

from typing import Any

import pytest

from cuelight import Flow, Step


class First(Step):
    pass


class Second(Step):
    pass


class Third(Step):
    pass


class BySteps(Flow):
    steps = (First,)


class ByMethod(Flow):
    def define_steps(self) -> Any:
        return [First]


class ByClassMethod(Flow):
    @classmethod
    def define_steps(cls) -> Any:
        return (First,)


class Between(ByMethod):
    """A flow that leaves the steps as they are."""


@pytest.mark.parametrize("base", [BySteps, ByMethod, ByClassMethod, Between])
def test_the_steps_of_a_derived_flow_are_those_of_its_base_and_more(base: Any) -> None:
    class Plain(base):  # type: ignore[misc]
        def define_steps(self) -> Any:
            return [*super().define_steps(), Second]

    class Twice(Plain):
        @classmethod
        def define_steps(cls) -> Any:
            return [*super().define_steps(), Third]

    class Thrice(Twice):
        def define_steps(self) -> Any:
            return list(reversed(super().define_steps()))

    for flow, names in (
        (base, ["First"]),
        (Plain, ["First", "Second"]),
        (Twice, ["First", "Second", "Third"]),
        (Thrice, ["Third", "Second", "First"]),
    ):
        assert [step.__name__ for step in flow().define_steps()] == names
        assert (flow().stage, list(flow()._steps)) == (names[0], names)
