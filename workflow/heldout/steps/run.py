"""How a step runs: the folder as its argument, the spec as JSON on standard input."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from heldout.errors import HeldoutError


def run(main: Callable[[Path, dict[str, Any]], None]) -> None:
    """Run a step; an error for people is printed without a traceback."""
    try:
        main(Path(sys.argv[1]), json.load(sys.stdin))
    except HeldoutError as error:
        print(f"heldout: {error}", file=sys.stderr)
        sys.exit(1)
