"""A fit of LMDI+ on rows in any place: sums over each part, merged pass by pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _lmdi
from .._input import responses
from .._input.columns import is_missing, level_text
from .._input.tables import strided
from .._models import model_of
from .._models.composite import Composite
from .._models.model import Model
from .._running import running
from . import sources
from .spool import Spool

if TYPE_CHECKING:
    from .._methods.lmdi_plus import LMDIPlus

#: Bytes that the sums of a pass may take unless another budget is given.
MEMORY = 1 << 30


class Rows(NamedTuple):
    """Rows of a batch as a fit adds them up: plain arrays."""

    cells: np.ndarray
    response: Any
    weights: np.ndarray | None
    #: What folds go by; the cells where there is no key.
    hashes: np.ndarray | None


class StreamedFit:
    """A fit of LMDI+ in passes over rows that may be in several places.

    In each pass, `accumulate` sums up a part of the rows, on any machine, and returns bytes;
    `advance` takes the bytes of all parts. After the last pass, `finish` returns the explainer. It
    is the same to rounding however the rows are split and ordered. The object can be pickled, so
    that a task scheduler can send it to where the rows are.

    Parameters
    ----------
    explainer : LMDIPlus
        The explainer to fit.
    target : str
        The column that the model predicts.
    features : list of str, optional
        The columns that the model uses, in its order. Default: those that it names.
    sample_weight : str, optional
        The column of weights.
    key : str, optional
        A column that identifies rows. Folds are assigned by it; by default they are assigned by the
        row's cells.
    memory : int
        Limit for the sums of a pass, in bytes. Trees whose sums do not fit take more passes.

    Examples
    --------
    >>> import lmdi, pandas as pd, numpy as np
    >>> rows = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 3)), columns=["a", "b", "y"])
    >>> model = lmdi.RandomForestRegressor(n_estimators=8, random_state=0).fit(rows[["a", "b"]], rows["y"])
    >>> fit = lmdi.StreamedFit(lmdi.LMDIPlus(model), target="y")
    >>> while not fit.is_finished:
    ...     parts = [fit.accumulate(part) for part in (rows[:100], rows[100:])]
    ...     fit.advance(parts)
    >>> explainer = fit.finish()
    >>> explainer.explain(rows[["a", "b"]]).values.shape
    (300, 2)
    """

    def __init__(
        self,
        explainer: LMDIPlus,
        target: str,
        *,
        features: list[str] | None = None,
        sample_weight: str | None = None,
        key: str | None = None,
        memory: int = MEMORY,
    ) -> None:
        model = model_of(explainer.model)
        if isinstance(model, Composite):
            raise TypeError(
                f"a {type(explainer.model).__name__} is made of several steps or models; fit it on tables in "
                "memory, or pass the model of trees inside it"
            )
        self._model = model = model if features is None else named(model, list(features))
        self._explainer = explainer
        self._target, self._weight, self._key = target, sample_weight, key
        self._features = list(features) if features is not None else features_of(model)
        if isinstance(memory, bool) or not hasattr(memory, "__index__") or memory < 1:
            raise ValueError(f"memory is {memory!r}; expected a number of bytes, such as 2 * 1024**3")
        self._memory = memory.__index__()
        self._keywords = explainer._checked_keywords(model)
        self._start()

    def _start(self) -> None:
        given = [f"{name}={value}" for name, value in self._keywords.items() if value is not None]
        told = ", ".join([*given, "in batches"])
        self._fit = _lmdi.StreamedFit(self._model._compiled, self._keywords, self._memory, told)

    @property
    def n_passes(self) -> int | None:
        """Number of passes over the rows; None for logistic and Poisson fits, whose trees take as
        many Newton steps as they need, one per pass."""
        return self._fit.n_passes

    @property
    def passes_done(self) -> int:
        """Number of completed passes."""
        return self._fit.passes_done

    @property
    def is_finished(self) -> bool:
        """Whether all passes are done."""
        return self._fit.is_finished

    @property
    def columns(self) -> list[str]:
        """The columns that a part of the rows must have."""
        more = [name for name in (self._target, self._weight, self._key) if name is not None]
        return [*self._features, *(name for name in more if name not in self._features)]

    @property
    def largest_sums(self) -> int:
        """Bytes that the sums of the largest tree take."""
        return self._fit.largest_sums

    def accumulate(self, rows: Any) -> bytes:
        """Sums up a part of the rows: a table with named columns, or several of them to iterate over."""
        return self._sums(rows).to_bytes()

    def accumulate_by_tree(self, rows: Any) -> list[tuple[int, bytes]]:
        """The same sums tree by tree, with the number of the tree (-1 in the first pass), so that
        different machines can merge and solve different trees."""
        sums = self._sums(rows)
        return sums.split() if sums.n_rows else []

    def _sums(self, rows: Any) -> Any:
        tables = [rows] if sources.is_table(rows) else rows
        return self._add_up(self._read(table, at) for at, table in enumerate(tables))

    def _add_up(self, batches: Iterable[Rows]) -> Any:
        sums = self._fit.statistics()
        with running(self._explainer.n_jobs, False, "", 0) as run:
            for rows in batches:
                if len(rows.cells):
                    table = strided(rows.cells)
                    self._fit.accumulate(sums, table, rows.response, rows.weights, rows.hashes, run)
        return sums

    def _read(self, table: Any, at: int) -> Rows:
        """The rows of a table; `at` is its place among the batches, for messages."""
        try:
            return self._rows(table)
        except (TypeError, ValueError) as error:
            if type(error) not in (TypeError, ValueError):
                raise
            raise type(error)(f"batch {at}: {error}") from error

    def _rows(self, table: Any) -> Rows:
        names = sources.places(self._model, self._features, sources.names_of(table))
        cells = self._model._read(sources.select(table, names))
        n_rows = len(cells.array)
        target = sources.column(table, self._target)
        weights = hashes = None
        if self._weight is not None:
            given = sources.column(table, self._weight)
            with _about("sample_weight", self._weight):
                weights = responses.weights(given, n_rows)
        if self._key is not None:
            hashes = _lmdi.hash_keys(_key_texts(sources.column(table, self._key), self._key))
        with _about("y", self._target):
            response = responses.response_of(self._model, target, n_rows)
        return Rows(cells.array, response, weights, hashes)

    def merge(self, parts: Iterable[bytes]) -> bytes:
        """Merges the sums of several parts, which must be for the same trees."""
        return self._merged(parts).to_bytes()

    def _merged(self, parts: Iterable[bytes]) -> Any:
        read = [_lmdi.PassStatistics.from_bytes(bytes(part)) for part in parts]
        if not read:
            return self._fit.statistics()
        for other in read[1:]:
            read[0].merge(other)
        return read[0]

    def solve(self, parts: Iterable[bytes]) -> bytes:
        """Solves the trees of these sums, given the sums of all parts; pass the result to
        `take`."""
        first = self._merged(parts)
        with running(self._explainer.n_jobs, False, "", 0) as run:
            return self._fit.solve(first, run)

    def take(self, solved: Iterable[bytes]) -> None:
        """Ends the pass with the results of `solve` for all trees."""
        self._fit.advance([bytes(part) for part in solved])

    def advance(self, parts: Iterable[bytes]) -> None:
        """Ends the pass with the sums of all parts of the rows."""
        self._end_pass(self._merged(parts))

    def _end_pass(self, sums: Any) -> None:
        with running(self._explainer.n_jobs, False, "", 0) as run:
            solved = self._fit.solve(sums, run)
        self._fit.advance([solved])

    def finish(self) -> LMDIPlus:
        """The fitted explainer, once all passes are done."""
        fitted = type(self._explainer)(**self._explainer.get_params())
        fitted.model_, fitted.explainer_ = self._model, self._fit.finish()
        fitted._warn_of_a_poor_fit(fitted.explainer_, misfit=False)
        return fitted

    def __getstate__(self) -> Any:
        params = self._explainer.get_params()
        params["model"] = self._model
        return {
            "explainer": (type(self._explainer), params),
            "columns": (self._target, self._weight, self._key, self._features),
            "memory": self._memory,
            "keywords": self._keywords,
            "progress": self._fit.progress(),
        }

    def __setstate__(self, state: Any) -> None:
        kind, params = state["explainer"]
        self._explainer = kind(**params)
        self._model = params["model"]
        self._target, self._weight, self._key, self._features = state["columns"]
        self._memory, self._keywords = state["memory"], state["keywords"]
        self._start()
        self._fit.restore(state["progress"])


@contextmanager
def _about(what: str, name: str) -> Iterator[None]:
    """Adds to an error which column it is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{error} ({what} is column {name!r})") from None


def _key_texts(keys: Any, name: str) -> list[str]:
    """Keys as text, whole numbers without a point: a column with gaps is read as fractions."""
    found = keys.tolist()
    missing = next((row for row, key in enumerate(found) if is_missing(key)), None)
    if missing is not None:
        raise ValueError(f"key {name!r} is missing in row {missing}; expected a key in every row")
    return [level_text(key) for key in found]


def named(model: Model, names: list[str]) -> Model:
    """A model with names for its columns, if it had none."""
    columns = model._columns.named(names)
    if columns is model._columns:
        return model
    compiled = model._compiled.renamed(columns.labels())
    return Model(compiled, columns, model.classes_, model._sees_every_row)


def features_of(model: Model) -> list[str]:
    """The columns that a model reads, by name."""
    wanted = model._compiled.input_columns
    if wanted is not None:
        return list(wanted)
    if model._columns.names is None:
        raise ValueError(
            "the model was trained on a table without column names; say with features=[...] which columns "
            "of the batches it reads, in its order"
        )
    return list(model._columns.names)


def fit_in_batches(
    explainer: LMDIPlus,
    source: Any,
    target: Any,
    sample_weight: Any,
    *,
    key: str | None,
    features: list[str] | None,
    memory: int,
) -> LMDIPlus:
    """Fits an explainer on the batches of a source, and gives it back."""
    for what, name in (("y", target), ("sample_weight", sample_weight), ("key", key)):
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"{what} is a {type(name).__name__}; expected the name of a column, since X comes in batches"
            )
    if target is None:
        raise TypeError("y is None; expected the name of the column that the model predicts")
    batches = sources.batches_of(source)
    fit = StreamedFit(
        explainer, target, features=features, sample_weight=sample_weight, key=key, memory=memory
    )
    spool = Spool() if sources.is_read_once(source) else None
    first_rows = None
    with running(explainer.n_jobs, explainer.progress, "LMDI+ passes", fit.n_passes) as (_, told):
        while not fit.is_finished:
            if spool is None:
                sums = fit._sums(batches())
            elif first_rows is None:
                sums = fit._add_up(_kept(fit, batches(), spool))
            else:
                sums = fit._add_up(spool)
            if first_rows is None:
                first_rows = sums.n_rows
            elif sums.n_rows != first_rows:
                raise ValueError(
                    f"the batches gave {first_rows} rows at first and {sums.n_rows} when read again; "
                    "expected the same rows each time"
                )
            fit._end_pass(sums)
            if told is not None:
                told(fit.passes_done)
    return fit.finish()


def _kept(fit: StreamedFit, batches: Iterable[Any], spool: Spool) -> Iterable[Rows]:
    for at, table in enumerate(batches):
        rows = fit._read(table, at)
        spool.add(rows)
        yield rows
