"""The command `lmdi` for tests: what `cargo test` or `cargo build` made; `$LMDI_COMMAND` names another."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COMMAND = pathlib.Path(os.environ.get("LMDI_COMMAND", TARGET / "debug" / "lmdi")).resolve()

needs_command = pytest.mark.skipif(
    "LMDI_COMMAND" not in os.environ and not COMMAND.exists(), reason="the command is not built"
)
