"""Serves a model file on loopback with xllamacpp, in a process of its own.

Usage: `python -m tests.local_model_server MODEL.gguf [--context N] [--threads N]`; it prints the
address it listens on, and ends when its standard input is closed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any


def main() -> None:
    """Serve until standard input is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = given.model
    params.offline = True
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.warmup = False
    params.n_ctx = given.context
    params.n_parallel = 1
    params.cache_ram_mib = 64
    params.cpuparams.n_threads = given.threads
    params.cpuparams_batch.n_threads = given.threads
    server = xllamacpp.Server(params)
    sys.stdout.write(f"listening {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
