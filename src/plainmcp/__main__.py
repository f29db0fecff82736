"""`python -m plainmcp` is the command `plainmcp`."""

import sys

from .cli.main import main

sys.exit(main())
