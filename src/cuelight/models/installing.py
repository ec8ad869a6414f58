"""The line that adds one of this package's extras to the Python that runs."""

import json
import shlex
import sys
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["install_line"]


def install_line(extra: str) -> str:
    """Give the command that installs an extra where it is missing: for this interpreter, and from its checkout."""
    what, checkout = f"cuelight[{extra}]", _checkout()
    how = ""
    if checkout is not None:
        how = "-e "
        what = f".[{extra}]" if checkout == Path.cwd() else f"{checkout}[{extra}]"
    return f'{shlex.quote(sys.executable or "python")} -m pip install {how}"{what}"'


def _checkout() -> Path | None:
    """Give the folder that this package is installed from, where it is used as it lies there."""
    try:
        told = metadata.distribution("cuelight").read_text("direct_url.json")
        origin = json.loads(told or "{}")
        if origin.get("dir_info", {}).get("editable"):
            return Path(unquote(urlsplit(origin["url"]).path))
    except (metadata.PackageNotFoundError, ValueError, KeyError, AttributeError):
        pass
    return None
