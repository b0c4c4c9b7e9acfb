"""Rows that can be read once, kept in a temporary file for the passes that follow."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from typing import Any


class Spool:
    """A file of rows in the form that a fit adds up. It has no name and goes with the object."""

    def __init__(self) -> None:
        self._file: Any = tempfile.TemporaryFile(prefix="lmdi-")

    def add(self, rows: Any) -> None:
        """Writes the rows of a batch at the end."""
        try:
            pickle.dump(rows, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise OSError(
                error.errno,
                f"the batches can be read once, and keeping them in {tempfile.gettempdir()} failed: "
                f"{error.strerror}. Make room there, or pass a function that makes the batches again",
            ) from error

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        while True:
            try:
                yield pickle.load(self._file)
            except EOFError:
                return
