"""``python -m heldout``: the same as the `heldout` command."""

import sys

from heldout.cli import main

if __name__ == "__main__":
    sys.exit(main())
