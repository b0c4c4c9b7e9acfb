"""Files of explainers other than LMDI+: an archive of plain arrays and JSON, read without running code.

The archive is NumPy's `.npz`, uncompressed: `explainer` is JSON that names the class, its keywords and the
columns of the model; `model` is a model file, and the rest are the tables that the explainer holds.
LMDI+ itself is kept in model files, which the command reads too.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

from .. import _lmdi
from .._input.columns import Categories, Cells, Columns
from .._models.model import Model
from . import model_file

VERSION = 1
#: What an archive begins with.
MAGIC = b"PK\x03\x04"


def save(explainer: Any, path: Any) -> None:
    """Writes an explainer; `lmdi.load` reads it back."""
    arrays = {**explainer._saved_arrays()}
    model: Model = explainer.model_
    params = {}
    for name, value in explainer.get_params().items():
        if name == "model" or name in arrays:
            continue
        params[name] = _plain(value, name)
    about = {
        "version": VERSION,
        "class": type(explainer).__name__,
        "params": params,
        "columns": _columns_out(model._columns),
        "classes": None if model.classes_ is None else [model.classes_.dtype.str, model.classes_.tolist()],
        "sees_every_row": model._sees_every_row,
    }
    arrays["model"] = np.frombuffer(model.to_bytes(), dtype=np.uint8)
    arrays["explainer"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    model_file.write(path, buffer.getvalue())


def read(content: bytes, path: Any) -> Any:
    """The explainer of a file."""
    try:
        arrays = _arrays(content)
        if "explainer" not in arrays or "model" not in arrays:
            raise ValueError("it is an archive of something else")
        about = json.loads(arrays.pop("explainer").tobytes())
        if about["version"] != VERSION:
            raise ValueError(f"it has version {about['version']}; this package reads version {VERSION}")
        kind = _class_named(about["class"])
        compiled, _ = _lmdi.read_model_file(arrays.pop("model").tobytes())
        labels = about["classes"]
        classes = None if labels is None else np.asarray(labels[1], dtype=np.dtype(labels[0]))
        model = Model(compiled, _columns_in(about["columns"]), classes, bool(about["sees_every_row"]))
        tables = {name: Cells(array, None) for name, array in arrays.items() if name in kind._saved_tables}
        explainer = kind(model, **about["params"], **tables)
        explainer._restore(model, {name: array for name, array in arrays.items() if name not in tables})
    except (KeyError, TypeError, IndexError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path}: not a readable explainer file: {error}") from error
    return explainer


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        packed = [entry.filename for entry in archive.infolist() if entry.compress_type]
    if packed:
        raise ValueError(f"{packed[0]!r} is compressed; expected plain arrays")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _class_named(name: str) -> Any:
    import lmdi

    known = ("TreeSHAP", "Saabas", "LocalMDI", "LIME", "MAPLE", "MDI", "MDIPlus", "Permutation")
    if name not in known:
        raise ValueError(f"it holds a {name!r}; expected one of {', '.join(known)}")
    return getattr(lmdi, name)


def _plain(value: Any, name: str) -> Any:
    if callable(value):
        raise TypeError(f"{name} is a function, which a file does not hold; use pickle or joblib instead")
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value


def _columns_out(columns: Columns) -> dict[str, Any]:
    return {
        "names": columns.names,
        "count": columns.count,
        "categories": columns.levels(),
        "missing": columns.missing,
        "coded": sorted(columns.coded),
        "underscored": columns.underscored,
        "moments": columns.moments,
    }


def _columns_in(known: dict[str, Any]) -> Columns:
    return Columns(
        None if known["names"] is None else tuple(str(name) for name in known["names"]),
        int(known["count"]),
        {int(at): Categories(levels) for at, levels in known["categories"]},
        known["missing"],
        frozenset(int(at) for at in known["coded"]),
        bool(known["underscored"]),
        {str(name): str(kind) for name, kind in known["moments"].items()},
    )
