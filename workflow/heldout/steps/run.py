"""How a step runs: ``python -m heldout.steps.run FOLDER``, the spec as JSON on standard input."""

import importlib
import json
import sys
from pathlib import Path

from heldout.errors import HeldoutError


def main() -> None:
    """Run the step that the spec names; an error for people is printed without a traceback."""
    spec = json.load(sys.stdin)
    try:
        importlib.import_module(f"heldout.steps.{spec['step']}").main(Path(sys.argv[1]), spec)
    except HeldoutError as error:
        print(f"heldout: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
