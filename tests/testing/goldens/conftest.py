"""A desk to write goldens at."""

from pathlib import Path

import pytest

from golden_making import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
