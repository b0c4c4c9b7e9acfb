"""Explainers of Spark DataFrames.

A fit is a few jobs, one per pass. Each partition is summed up where it is, sums are shuffled by
tree, merged and solved there, and the driver gets the linear models. Spark counts the result of
each partition once, even if its task is retried. Explaining is one lazy step of the DataFrame.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._methods.lmdi_plus import LMDIPlus as LocalLMDIPlus
from .._methods.path_methods import Saabas as LocalSaabas
from .._methods.tree_shap import TreeSHAP as LocalTreeSHAP
from .._models import model_of
from .._models.composite import Composite
from .._models.model import Model
from .._streaming.fit import MEMORY, StreamedFit, named
from . import frames, workers

__all__ = ["LMDIPlus", "Saabas", "TreeSHAP"]

#: Bytes of sums that Spark hands to a worker at a time.
BATCH = 1 << 26

ROWS_PER_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


class _SparkExplainer:
    """What explainers of DataFrames share."""

    _given: Any
    _key: str | None = None
    #: The columns of vectors that the model was trained on, if it was.
    _vector: str | None = None
    _features: list[str] | str | None = None
    _local: Any = None

    def _take_model(self, model: Any) -> None:
        """Keeps the trees of a model, and the column of vectors that it reads."""
        trees = model_of(model)
        if isinstance(trees, Composite):
            raise TypeError(
                f"a {type(model).__name__} is made of several steps or models; pass the model of trees "
                "inside it"
            )
        self._given: Model = trees
        if trees._columns.names is None and hasattr(model, "getFeaturesCol"):
            self._vector = model.getFeaturesCol()

    def _prepare(self, inputs: frames.Inputs) -> None:
        """Makes the explainer of tables that workers use."""
        if self._local is None:
            raise ValueError("this explainer is not fitted yet: call fit(df, target=...) first")

    def explain(
        self,
        df: Any,
        *,
        key: str | None = None,
        keep: list[str] | None = None,
        array: bool = False,
    ) -> Any:
        """A DataFrame with the scores of every row, lazily.

        Parameters
        ----------
        key
            A column that identifies rows, kept beside the scores. Default: that of the fit.
        keep
            Further columns to keep.
        array
            Whether base values and scores are one array each, `base` and `scores`, output by output.

        Otherwise there is `base`, and one column `score:NAME` per column of the model. Three or more classes
        have `base:LABEL` and `score:LABEL:NAME` per class.
        """
        key = key if key is not None else self._key
        kept = [*dict.fromkeys([*([] if key is None else [key]), *(keep or [])])]
        layout = workers.OneArray("base", "scores") if array else None
        return self._explain(df, kept, layout)

    def _explain(self, df: Any, kept: list[str], layout: Any) -> Any:
        from pyspark.sql.types import StructType

        inputs = frames.inputs_of(df, self._given, self._vector, self._features)
        frames.check_columns(df, kept, "which is to be kept")
        self._prepare(inputs)
        if layout is None:
            layout = self._columns_of(inputs)
        clash = [name for name in kept if name in layout.names]
        if clash:
            raise ValueError(f"column {clash[0]!r} is to be kept and is also a result; rename it")
        fields = [df.schema[name] for name in kept]
        work = workers.Explain(pickle.dumps(self._local), inputs.names, kept, layout)
        rows = frames.numbered(df, [*inputs.columns(df), *(df[frames.quoted(name)] for name in kept)])
        return rows.mapInArrow(work, StructType([*fields, *layout.fields()]))

    def _columns_of(self, inputs: frames.Inputs) -> workers.ColumnPerScore:
        """The names of results, which an explanation of no rows tells."""
        import pyarrow as pa

        nothing = pa.table({name: pa.array([], pa.float64()) for name in inputs.names})
        found = self._local.explain(nothing)
        return workers.ColumnPerScore(found.feature_names, found.output_names)


class LMDIPlus(_SparkExplainer):
    """Local feature importances by LMDI+, fitted to and explaining Spark DataFrames.

    Keywords are those of `lmdi.LMDIPlus`. The result equals that of
    `lmdi.LMDIPlus(model).fit(batches, target)` on the same rows, to 1e-9 of the largest score, for
    any partitions.
    """

    def __init__(self, model: Any, **choices: Any) -> None:
        self._take_model(model)
        self._choices = choices
        # Keywords that do not exist are refused here.
        LocalLMDIPlus(self._given, **choices)

    def fit(
        self,
        df: Any,
        *,
        target: str,
        features: list[str] | str | None = None,
        key: str | None = None,
        sample_weight: str | None = None,
        memory: int = MEMORY,
    ) -> LMDIPlus:
        """Fits the linear model of every tree on all rows of a DataFrame.

        Parameters
        ----------
        target
            The column that the model predicts.
        features
            The columns that the model uses, in its order, or the column of vectors. Default: those
            that it names, or the vectors that it was trained on.
        key
            A column that identifies rows. Folds are assigned by it, and `explain` keeps it.
        sample_weight
            The column of weights.
        memory
            Limit for the sums of a pass on a worker, in bytes.
        """
        inputs = frames.inputs_of(df, self._given, self._vector, features)
        others = [name for name in (target, sample_weight, key) if name is not None]
        frames.check_columns(df, others, "which the fit reads")
        for name in others:
            frames.check_type(df, name)
        if inputs.vector is not None and set(others) & set(inputs.names):
            inputs = inputs._replace(names=[f"{inputs.vector}_{at}" for at in range(len(inputs.names))])
        unfitted = LocalLMDIPlus(self._given, **{"n_jobs": 1, **self._choices})
        fit = StreamedFit(
            unfitted, target, features=inputs.names, key=key, sample_weight=sample_weight, memory=memory
        )
        more = [name for name in fit.columns if name not in inputs.names]
        rows = frames.numbered(df, [*inputs.columns(df), *(df[frames.quoted(name)] for name in more)])
        partitions = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
        session = df.sparkSession
        with _small_batches(session, fit.largest_sums), _cancelled_with_us(session):
            while not fit.is_finished:
                there = pickle.dumps(fit)
                sums = rows.mapInArrow(
                    workers.Accumulate(there, [*inputs.names, *more]), "tree bigint, sums binary"
                )
                by_tree = sums.repartition(partitions, "tree")
                solved = _collected(by_tree.mapInArrow(workers.Solve(there), "solved binary"))
                if not solved:
                    raise ValueError("there is no row to fit LMDI+ on")
                fit.take([bytes(row["solved"]) for row in solved])
        self._local = fit.finish()
        self._features, self._key = features, key
        self._names = inputs.names
        return self

    def _prepare(self, inputs: frames.Inputs) -> None:
        super()._prepare(inputs)
        if len(inputs.names) != len(self._names):
            raise ValueError(f"the model reads {len(self._names)} columns, found {len(inputs.names)}")

    @property
    def explainer(self) -> LocalLMDIPlus:
        """The fitted explainer for tables in memory, which can be saved and loaded."""
        if self._local is None:
            raise ValueError("this explainer is not fitted yet: call fit(df, target=...) first")
        return self._local


class _Ready(_SparkExplainer):
    """An explainer that follows from the trees."""

    _kind: Any

    def __init__(self, model: Any, *, features: list[str] | str | None = None) -> None:
        self._take_model(model)
        self._features = features

    def _prepare(self, inputs: frames.Inputs) -> None:
        self._local = self._kind(named(self._given, inputs.names), n_jobs=1)


class TreeSHAP(_Ready):
    """Shapley values of Spark DataFrames, path-dependent."""

    _kind = LocalTreeSHAP


class Saabas(_Ready):
    """Changes of node values along the path, of Spark DataFrames."""

    _kind = LocalSaabas


@contextmanager
def _cancelled_with_us(session: Any) -> Iterator[None]:
    """Cancels the jobs that are started meanwhile if something ends the fit, and no others.

    PySpark cancels all jobs on Ctrl-C, but in notebooks and in threads it does not hear it.
    """
    tag = f"lmdi-{uuid.uuid4().hex}"
    try:
        context = session.sparkContext
    except AttributeError:
        # Spark Connect has no context here, and its sessions know tags.
        add, remove, cancel = session.addTag, session.removeTag, session.interruptTag
    else:
        # Tags of a session are known to the thread that waits for the job, which Ctrl-C leaves behind.
        add, remove, cancel = context.addJobTag, context.removeJobTag, context.cancelJobsWithTag
    add(tag)
    try:
        yield
    except BaseException:
        cancel(tag)
        raise
    finally:
        remove(tag)


@contextmanager
def _small_batches(session: Any, size: int) -> Iterator[None]:
    """Lets Spark hand few enough sums of such a size to a worker at a time."""
    before = session.conf.get(ROWS_PER_BATCH)
    most = max(1, BATCH // max(1, size))
    if 0 < int(before) <= most:
        yield
        return
    session.conf.set(ROWS_PER_BATCH, str(most))
    try:
        yield
    finally:
        session.conf.set(ROWS_PER_BATCH, before)


def _collected(df: Any) -> list[Any]:
    """The rows of a result. What went wrong with rows on a worker is raised as it would be here."""
    from pyspark.errors import PySparkException

    try:
        return df.collect()
    except PySparkException as error:
        told = str(error)
        start, end = told.find(workers.START), told.find(workers.END)
        if start < 0 or end < start:
            raise
        raise ValueError(told[start + len(workers.START) : end]) from None
