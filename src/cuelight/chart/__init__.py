"""The route map of an agent, read from its code, drawn and checked."""

from cuelight.chart.chart import Chart, ChartJudge, ChartRoute, ChartTool, Place
from cuelight.chart.charting import chart_of
from cuelight.chart.findings import Finding, findings_of
from cuelight.chart.mermaid import mermaid
from cuelight.chart.prompts import prompt_findings
from cuelight.chart.slips import slip_findings
from cuelight.chart.svg import svg

__all__ = [
    "Chart",
    "ChartJudge",
    "ChartRoute",
    "ChartTool",
    "Finding",
    "Place",
    "chart_of",
    "findings_of",
    "mermaid",
    "prompt_findings",
    "slip_findings",
    "svg",
]
