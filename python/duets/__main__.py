"""The program: ``python -m duets`` and the console script ``duets``."""

import sys

from . import _core


def main() -> int:
    return _core.run_program(["duets", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
