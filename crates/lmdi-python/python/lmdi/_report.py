"""The report of the command, in one call."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import tempfile
from typing import Any, get_args

import numpy as np

from ._choices import WhatIf
from ._errors import listed
from ._files import model_file
from ._input import tables
from ._input.columns import is_missing, level_text
from ._models.model import Model


def report(
    data: Any,
    target: str,
    path: Any = "report.html",
    *,
    model: Any = None,
    test: Any = None,
    compare_model: Any = None,
    what_if: WhatIf = "auto",
    **options: Any,
) -> str:
    """Writes an interactive page that explains a model: importances, single rows, groups, and how
    far to trust it.

    The page equals that of the command `lmdi explain --report` to the byte for the same input. It
    is one file that opens from disk and needs no network.

    Parameters
    ----------
    data : table or path
        Rows with the target among the columns: a frame of pandas, polars or pyarrow, or a CSV or Parquet
        file.
    target : str
        The column to predict.
    path
        Where to write the page.
    model : optional
        A fitted model of any supported library, trained on these rows, or a model file. Default:
        train a random forest.
    test : table or path, optional
        Rows to explain instead of `data`.
    compare_model : optional
        Another fitted model, or a model file, to show beside the first on the same rows:
        predictions, quality, importances, and the rows where both differ most.
    what_if : "auto", "always" or "never"
        Whether the page can predict rows with changed cells. It then contains the model. "auto"
        includes it if that takes at most 8 MB.
    **options
        Flags of `lmdi explain` with underscores for hyphens: `method="tree-shap"`, `holdout=0.3`,
        `seed=1`, `compare=["saabas"]`, `bootstrap=False`. True sets a flag without a value.

    Returns
    -------
    str
        The path of the page.

    Examples
    --------
    >>> import lmdi, os, tempfile
    >>> from sklearn.datasets import load_diabetes
    >>> table = load_diabetes(as_frame=True).frame
    >>> page = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> lmdi.report(table, "target", page, trees=5, stability_runs=0) == page
    True
    """
    if what_if not in get_args(WhatIf):
        raise ValueError(f"what_if is {what_if!r}; expected {listed(get_args(WhatIf))}")
    page = os.path.abspath(os.fspath(path))
    with tempfile.TemporaryDirectory(prefix="lmdi-") as directory:
        arguments = ["explain", _table_file(data, directory, "table.csv"), "--target", str(target)]
        if test is not None:
            arguments += ["--test", _table_file(test, directory, "test.csv")]
        if model is not None:
            arguments += ["--model", _model_file(model, data, target, directory, "model.lmdi", options)]
        if compare_model is not None:
            other = _model_file(compare_model, data, target, directory, "compare_model.lmdi", {})
            arguments += ["--compare-model", other]
        arguments += ["--what-if", what_if]
        for name, value in options.items():
            arguments += _flags(name, value)
        _run([*arguments, "--report", page], directory)
    return os.fspath(path)


def _run(arguments: list[str], directory: str) -> None:
    """Runs the command in a process of its own, which Ctrl-C ends cleanly.

    Messages speak of what the user passed, not of the files in `directory` that hold it.
    """
    done = subprocess.run(
        [sys.executable, "-m", "lmdi", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode == 0:
        return
    told = done.stderr.strip().splitlines()
    message = next((line for line in told if line.startswith("error: ")), told[-1] if told else "no message")
    if done.returncode in (130, -2):
        raise KeyboardInterrupt
    message = message.removeprefix("error: ")
    for file, what in (("table.csv", "data"), ("test.csv", "test"), ("model.lmdi", "model")):
        message = message.replace(os.path.join(directory, file), what)
    raise ValueError(_in_python(message))


def _in_python(message: str) -> str:
    """A message of the command with parameters for flags: `holdout` for `--holdout`."""

    def parameter(flag: re.Match[str]) -> str:
        name = flag[1].replace("-", "_")
        return "path" if name == "report" else name

    unknown = re.fullmatch(r"unexpected argument '--([a-z-]+)' found", message)
    if unknown:
        name = unknown[1].replace("-", "_")
        return (
            f"report has no keyword {name!r}; expected a flag of `lmdi explain`, with underscores for hyphens"
        )
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])", parameter, message)


def _flags(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [text for one in values for text in (flag, str(one))]


def _model_file(
    model: Any, data: Any, target: str, directory: str, name: str, options: dict[str, Any]
) -> str:
    """The file of a model. A forest knows by row what each tree drew; that the rows are those is said too."""
    from ._models import model_of

    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    frame = tables.frame_of(data)
    rows = data.drop(columns=target) if hasattr(data, "drop") and hasattr(data, "columns") else None
    trees = model_of(model, rows)
    if not isinstance(trees, Model):
        raise TypeError(
            f"a report is of the trees of one model, and a {type(model).__name__} has other steps or models "
            "beside them; pass the model that holds the trees, and the table that it sees"
        )
    path = os.path.join(directory, name)
    model_file.write(path, trees.to_bytes())
    known = trees._compiled.n_training_rows
    if known is not None and frame is not None and known == frame.n_rows and trees._compiled.knows_samples:
        options.setdefault("validation", "oob")
    return path


def _table_file(data: Any, directory: str, name: str) -> str:
    """The file of a table; a frame is written as CSV, numbers in full."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    frame = tables.frame_of(data)
    if frame is not None and frame.names is None:
        raise TypeError(
            "the columns of data are named by something else than text; pass data.rename(columns=str), and "
            "the target as text"
        )
    if frame is None or frame.names is None:
        raise TypeError(
            f"data is {type(data).__name__}; expected a frame with named columns, the target among them, or "
            "the path of a CSV or Parquet file"
        )
    columns = [
        _texts(tables.column_values(frame.column(at), column)) for at, column in enumerate(frame.names)
    ]
    path = os.path.join(directory, name)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(frame.names)
        writer.writerows(zip(*columns))
    return path


def _texts(cells: np.ndarray) -> list[str]:
    """Cells as the command reads them back: the shortest text of each number, nothing for missing ones."""
    if cells.dtype.kind == "M":
        # Of nanoseconds, NumPy would give numbers.
        cells = cells.astype("datetime64[us]")
    if cells.dtype.kind == "m":
        cells = np.where(np.isnat(cells), np.nan, cells / np.timedelta64(1, "s"))
    if cells.dtype.kind == "b":
        return ["true" if cell else "false" for cell in cells.tolist()]
    if cells.dtype.kind == "f":
        wide = cells.astype(np.float64).tolist()
        return ["" if cell != cell else repr(cell).removesuffix(".0") for cell in wide]
    return ["" if is_missing(cell) else level_text(cell) for cell in cells.tolist()]
