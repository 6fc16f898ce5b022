"""`python -m leapcheck`: the command line."""

import sys

from leapcheck.cli import main

sys.exit(main())
