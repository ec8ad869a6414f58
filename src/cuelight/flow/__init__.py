"""Steps, flows and routes: where the conversation goes next."""

from cuelight.flow.course import Course
from cuelight.flow.flow import Flow
from cuelight.flow.flow_course import course_of, hidden_mentions
from cuelight.flow.routes import VALIDATED, DirectMessage, HttpContentType, Route, as_route, direct, go, stay
from cuelight.flow.shown import tools_by_stage
from cuelight.flow.step import LogicStep, Step, TerminateSessionStep, overrides

__all__ = [
    "VALIDATED",
    "Course",
    "DirectMessage",
    "Flow",
    "HttpContentType",
    "LogicStep",
    "Route",
    "Step",
    "TerminateSessionStep",
    "as_route",
    "course_of",
    "direct",
    "go",
    "hidden_mentions",
    "overrides",
    "stay",
    "tools_by_stage",
]
