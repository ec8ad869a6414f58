"""JUnit XML of the results, as build servers read it."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from cuelight.cli.test.results import Results
from cuelight.errors import BadInput, CuelightError

__all__ = ["junit", "write_junit"]

# What XML 1.0 can hold in no way, escaped or not.
_NO_CHARACTER = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Results, errors: Sequence[CuelightError] = ()) -> bytes:
    """Write a suite with a case for each run, and one for each error that kept goldens from being run."""
    suite = ET.Element(
        "testsuite",
        name="cuelight",
        tests=str(len(results.results) + len(errors)),
        failures=str(results.failed),
        errors=str(len(errors)),
        skipped="0",
        time=f"{results.seconds:.3f}",
    )
    runs = max((result.run for result in results.results), default=1)
    for result in results.results:
        which = f", {result.run}" if runs > 1 else ""
        case = _case(suite, result.file, f"{result.name} [{result.model}{which}]", result.seconds)
        if not result.passed:
            said = _text(result.failure)
            ET.SubElement(case, "failure", message=said.partition("\n")[0]).text = said
    for error in errors:
        said = _text(str(error))
        ET.SubElement(_case(suite, getattr(error, "file", "goldens"), error.code, 0.0), "error", message=said)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode").encode()


def write_junit(file: Path, results: Results, errors: Sequence[CuelightError] = ()) -> None:
    """Write it to a file.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        file.write_bytes(junit(results, errors))
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}. Name a file in a folder that is there.") from error


def _case(suite: ET.Element, file: str, name: str, seconds: float) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_text(file), name=_text(name), time=f"{seconds:.3f}")


def _text(text: str) -> str:
    return _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)
