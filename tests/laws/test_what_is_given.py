"""A call is opened with a class or a function that makes its agent, and a model; anything else is refused."""

from typing import Any

import pytest

from cuelight import Agent
from cuelight.errors import AuthorError
from cuelight.testing import Script, rehearse


class Desk(Agent):
    """A desk."""


class Served(Agent):
    """A desk that takes a service."""

    def __init__(self, registry: object) -> None:
        self._registry = registry


def test_words_alone_are_no_model() -> None:
    words: Any = "Good day!"
    with pytest.raises(AuthorError, match=r"given 'Good day!' as the model\. Give a Script of what it replies"):
        rehearse(Desk, words)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Desk(), "An instance of Desk was given; each call makes its own. Give the class, Desk, or"),
        (Served, "Where it takes services, give a function that makes one: lambda: Served(service)."),
        ("Desk", "'Desk' makes no agent. Give an Agent class, or a function"),
        (dict, "dict gave a value of type dict; a call needs an Agent."),
    ],
)
async def test_what_makes_no_agent_is_refused(given: Any, said: str) -> None:
    with pytest.raises(AuthorError) as refused:
        async with rehearse(given, Script()):
            pass
    assert said in str(refused.value)
