"""The command `lmdi`; `python -m lmdi` runs it too."""

from __future__ import annotations

import sys

from . import _lmdi


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit code."""
    return _lmdi.command(["lmdi", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
