"""`cuelight check`: what is wrong with the route map of an agent, and with the prompts along it."""

import sys

import msgspec
import typer

from cuelight.chart import Chart, Finding, chart_of, findings_of, prompt_findings, slip_findings
from cuelight.cli.commands import DID_NOT_HOLD, single
from cuelight.cli.options import AgentName, AsJson
from cuelight.engine import make_agent
from cuelight.wiring import find_agent

__all__ = ["app"]


def check(agent: AgentName, as_json: AsJson = False) -> None:
    """Check the map of an agent, and say where and how to mend it.

    Found are stages and steps that cannot be reached, or not be left; tools that are never visible; targets that do not
    exist; rings of logic steps; steps with many targets; tools that cannot be taken back and run without a yes; a judge
    of yes and no that is the author's own; prompts that raise, or name a tool where it is hidden; routes that are built
    and not returned; misspelt names of steps, hooks and fields; and tools without @tool or a docstring. The exit code
    is 1 when there is an error among them, 0 when there are warnings at most.
    """
    instance = make_agent(find_agent(agent).make)
    chart = chart_of(type(instance))
    found = (*slip_findings(type(instance)), *findings_of(chart), *prompt_findings(chart, instance))
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in (*map(_line, found), _summary(chart, found))))
    if any(finding.severity == "error" for finding in found):
        raise typer.Exit(DID_NOT_HOLD)


app = single(check)


def _line(finding: Finding) -> str:
    """Write a finding as compilers do, so that editors find the place."""
    place = f"{finding.place}: " if finding.place else ""
    return f"{place}{finding.severity}: {finding.problem} {finding.mend} [{finding.code}]"


def _summary(chart: Chart, found: tuple[Finding, ...]) -> str:
    counts = {severity: sum(finding.severity == severity for finding in found) for severity in ("error", "warning")}
    told = ", ".join(_count(count, severity) for severity, count in counts.items() if count)
    kind = "stage" if chart.places[0].kind == "stage" else "step"
    places = [] if chart.places[0].kind == "agent" else [_count(len(chart.places), kind)]
    whole = ", ".join((*places, _count(len(chart.tools), "tool"), _count(len(chart.routes), "route")))
    return f"{chart.agent}: {told or 'nothing to mend'} in {whole}."


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
