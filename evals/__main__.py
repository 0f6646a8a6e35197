"""The command `python -m evals`."""

from __future__ import annotations

import sys

from evals.cli import main

sys.exit(main())
