"""`python -m plainmcp` is the command `plainmcp`."""

import sys

from .cli import main

sys.exit(main())
