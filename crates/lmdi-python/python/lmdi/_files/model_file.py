"""Model files: reading, and atomic writing."""

from __future__ import annotations

import errno
import os
import tempfile
from typing import Any

from .. import _lmdi
from .._models.model import Model, model_of_file


def write(path: Any, content: bytes) -> None:
    """Writes next to the target and renames, so that a reader never sees part of the file."""
    path = os.path.realpath(os.fspath(path))
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "this is a directory; expected the name of a file", path)
    if not os.path.isdir(os.path.dirname(path)):
        raise FileNotFoundError(errno.ENOENT, "its directory does not exist", path)
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else None
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".lmdi-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o666 & ~umask
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def is_json(path: Any) -> bool:
    """Whether the name means the JSON form."""
    return os.fspath(path).lower().endswith(".json")


def export(model: Any, path: Any) -> None:
    """Writes the trees of a fitted model to a file that the command `lmdi` and `lmdi.load` read.

    The file is binary, or JSON if the name ends in `.json`; docs/model-format.md describes both.

    >>> import lmdi, tempfile, os
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    >>> path = os.path.join(tempfile.mkdtemp(), "tree.lmdi")
    >>> lmdi.export(tree, path)
    >>> bool((lmdi.load(path).predict(X) == tree.predict(X)).all())
    True
    """
    from .._models import model_of

    trees = model_of(model)
    if not isinstance(trees, Model):
        raise TypeError(
            f"a file holds the trees of one model, and a {type(model).__name__} has other steps or models "
            "beside them; export those that hold the trees"
        )
    write(path, trees.to_bytes(is_json(path)))


def load(path: Any) -> Any:
    """Reads a model file: a fitted `LMDIPlus` if the file holds one, else a `Model` to explain.

    The command `lmdi`, `lmdi.export` and `LMDIPlus.save` write the same format. Class labels are
    text in a file; integers and booleans get their type back. Files written by `save` of other
    explainers give that explainer.
    """
    from .._methods.lmdi_plus import LMDIPlus
    from . import archive

    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(archive.MAGIC):
        return archive.read(content, path)
    compiled, explainer = _lmdi.read_model_file(content)
    model = model_of_file(compiled)
    return model if explainer is None else LMDIPlus._restored(model, explainer)
