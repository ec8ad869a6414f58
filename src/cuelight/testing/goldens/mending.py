"""Say what is to be done about a text that is no YAML, in the words of who writes it rather than of its grammar."""

import re

import yaml

__all__ = ["what_is_no_yaml"]

_KEY = re.compile(r"\s*(?:- +)*([\w$]+)\s*")
"""What stands before the colon where that ends a key."""

_SAYS = 'as in say: "…"'
_STRAIGHT = "put it straight below the line that it belongs with"
_KNOWN = (
    (r"found character '\\t'", "a line is indented by a tab; indent by spaces"),
    (r"expected <block end>, but found '[}\]]'", "a brace or bracket ends here that was never begun"),
    (r"expected <block end>", f"this stands too far left or right; {_STRAIGHT}"),
    (
        r"found unknown escape character",
        'between double quotes a backslash begins an escape, and this is none; write it twice, as in matches: "\\\\d+"',
    ),
    (
        r"sequence entries are not allowed",
        f'an item of a list begins a line of its own; a text with "- " in front stands in double quotes, {_SAYS}',
    ),
    (
        r"cannot start any token|expected the node content|while scanning a block scalar|mapping keys are not allowed",
        f"a text cannot begin with this sign; put the text in double quotes, {_SAYS}",
    ),
)
"""What the grammar says, and what it means; the first that fits."""


def what_is_no_yaml(error: yaml.MarkedYAMLError) -> tuple[str, int | None]:
    """Give what is wrong with a text and how it is mended, and the line it stands in, counted from one.

    What is not known stays as the grammar has it.
    """
    said = ", ".join(filter(None, (error.context, error.problem)))
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return said, None
    begun = error.context_mark or mark
    if "while scanning a" in said and "unexpected end of stream" in said:
        return "a quotation mark is never closed", begun.line + 1
    if "flow mapping" in said or "flow sequence" in said:
        return _in_braces(said, begun.line, mark.line), mark.line + 1
    if "could not find expected ':'" in said:
        return (
            "a line has no key; write `key: value`, or indent it further where it goes on with a text",
            begun.line + 1,
        )
    before = (mark.buffer or "")[mark.pointer - mark.column : mark.pointer]
    if "mapping values are not allowed" in said:
        return _colon(before), mark.line + 1
    if "expected <block end>" in said and before.rstrip().endswith(("'", '"')):
        quoted = 'put the whole of it in double quotes, with \\" for each within, as in say: "It\'s \\"no\\""'
        return f"a text goes on behind the quotation mark that ends it; {quoted}", mark.line + 1
    return next((mend for sign, mend in _KNOWN if re.search(sign, said)), said), mark.line + 1


def _in_braces(said: str, begun: int, at: int) -> str:
    sign = "{" if "flow mapping" in said else "["
    if "stream end" in said:
        return f"the `{sign}` of line {begun + 1} is never closed"
    quoted = 'put a text between braces or brackets in double quotes, as in {says: "Who is calling?"}'
    if at > begun:
        return f"the `{sign}` of line {begun + 1} is not closed before this; close it, and {quoted}"
    got = said.rpartition(" got ")[2].strip("'")
    what = "a text goes on behind its quotation mark" if got == "<scalar>" else f"`{got}` means something here"
    return f"{what}; {quoted}"


def _colon(before: str) -> str:
    if key := _KEY.fullmatch(before):
        return f"`{key[1]}` stands too far right; put it straight below the key before it"
    return f'a text has ": " in it, which would end a key; put the text in double quotes, {_SAYS}'
