"""LMDI+ as a stage of a Spark ML pipeline.

>>> from lmdi.spark.ml import LMDIPlus                                          # doctest: +SKIP
>>> forest = RandomForestRegressor(labelCol="price")                            # doctest: +SKIP
>>> stage = LMDIPlus(forest, labelCol="price")                                  # doctest: +SKIP
>>> Pipeline(stages=[assembler, stage]).fit(df).transform(df)                   # doctest: +SKIP

The estimator takes a fitted model of any supported library, or a Spark ML estimator that is fitted
first. The model adds two array columns to a DataFrame: base values and scores, output by output.
"""

from __future__ import annotations

from typing import Any

from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasWeightCol
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)

from .. import _lmdi
from .._methods.lmdi_plus import LMDIPlus as LocalLMDIPlus
from .._models import model_of
from .._models.composite import Composite
from .._models.model import model_of_file
from . import explainers, workers

__all__ = ["LMDIPlus", "LMDIPlusModel"]


class _Columns(HasFeaturesCol, HasLabelCol, HasWeightCol):  # type: ignore[misc]
    """The params that the estimator and its model share."""

    inputCols = Param(
        Params._dummy(),
        "inputCols",
        "columns that the model reads, in its order, instead of vectors",
        TypeConverters.toListString,
    )
    keyCol = Param(
        Params._dummy(), "keyCol", "column by which rows are dealt to folds", TypeConverters.toString
    )
    baseCol = Param(Params._dummy(), "baseCol", "column of base values", TypeConverters.toString)
    scoresCol = Param(Params._dummy(), "scoresCol", "column of scores", TypeConverters.toString)
    choices = Param(Params._dummy(), "choices", "keywords of lmdi.LMDIPlus", TypeConverters.identity)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._setDefault(baseCol="base", scoresCol="scores", choices={})

    def _value(self, param: Any) -> Any:
        return self.getOrDefault(param) if self.isDefined(param) else None

    def _inputs(self) -> Any:
        """What `features` of the explainers is here: names, a column of vectors, or what the model knows."""
        if self.isSet(self.inputCols):
            return self.getOrDefault(self.inputCols)
        return self.getFeaturesCol() if self.isSet(self.featuresCol) else None


class LMDIPlus(Estimator, _Columns, MLReadable, MLWritable):  # type: ignore[misc]
    """Fits LMDI+ to a model; if it is a Spark ML estimator, fits that first."""

    def __init__(
        self,
        model: Any = None,
        *,
        featuresCol: str | None = None,
        inputCols: list[str] | None = None,
        labelCol: str | None = None,
        weightCol: str | None = None,
        keyCol: str | None = None,
        baseCol: str = "base",
        scoresCol: str = "scores",
        choices: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        #: The model that is explained, or the estimator that gives it.
        self.model = model
        given = {
            "featuresCol": featuresCol,
            "inputCols": inputCols,
            "labelCol": labelCol,
            "weightCol": weightCol,
            "keyCol": keyCol,
            "baseCol": baseCol,
            "scoresCol": scoresCol,
            "choices": choices,
        }
        self._set(**{name: value for name, value in given.items() if value is not None})

    def _fit(self, dataset: Any) -> LMDIPlusModel:
        model = self.model.fit(dataset) if isinstance(self.model, Estimator) else self.model
        explainer = explainers.LMDIPlus(model, **self.getOrDefault(self.choices))
        explainer.fit(
            dataset,
            target=self.getLabelCol(),
            features=self._inputs(),
            key=self._value(self.keyCol),
            sample_weight=self._value(self.weightCol),
        )
        fitted = LMDIPlusModel(explainer.explainer)
        self._copyValues(fitted)
        if self._inputs() is None:
            if explainer._vector is not None:
                fitted._set(featuresCol=explainer._vector)
            else:
                fitted._set(inputCols=explainer._names)
        return fitted

    def copy(self, extra: Any = None) -> LMDIPlus:
        """The same stage with other params."""
        copied = super().copy(extra)
        if isinstance(self.model, Estimator):
            copied.model = self.model.copy(extra)
        return copied

    def write(self) -> MLWriter:
        """Writes the stage, with its model, to any path that Spark knows."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader:
        """Reads the stage back."""
        return _Reader(cls)


class LMDIPlusModel(Model, _Columns, MLReadable, MLWritable):  # type: ignore[misc]
    """A fitted explainer; `transform` adds base values and scores to a DataFrame."""

    def __init__(self, explainer: LocalLMDIPlus | None = None) -> None:
        super().__init__()
        #: The explainer of tables in memory.
        self.explainer = explainer

    def _transform(self, dataset: Any) -> Any:
        assert self.explainer is not None
        ready = explainers.LMDIPlus(self.explainer.model_)
        ready._local, ready._features = self.explainer, self._inputs()
        ready._names = self.explainer.model_.feature_names
        layout = workers.OneArray(self.getOrDefault(self.baseCol), self.getOrDefault(self.scoresCol))
        return ready._explain(dataset, list(dataset.columns), layout)

    @property
    def feature_names(self) -> list[str]:
        """The columns that scores belong to, in order."""
        assert self.explainer is not None
        return self.explainer.model_.feature_names

    def write(self) -> MLWriter:
        """Writes the model to any path that Spark knows."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader:
        """Reads the model back."""
        return _Reader(cls)


class _Writer(MLWriter):  # type: ignore[misc]
    """Params as Spark ML writes them, and beside them a model file or an estimator."""

    def __init__(self, stage: Any) -> None:
        super().__init__()
        self._stage = stage

    def saveImpl(self, path: str) -> None:
        """Writes the parts."""
        stage = self._stage
        of_spark = isinstance(stage, LMDIPlus) and isinstance(stage.model, Estimator)
        DefaultParamsWriter.saveMetadata(stage, path, self.sc, {"estimator": of_spark})
        if of_spark:
            stage.model.write().save(f"{path}/estimator")
            return
        if isinstance(stage, LMDIPlusModel):
            assert stage.explainer is not None
            content = stage.explainer.to_bytes()
        else:
            trees = model_of(stage.model)
            if isinstance(trees, Composite):
                raise TypeError("a model of several steps or models has no file; keep the model inside it")
            content = trees.to_bytes()
        rows = self.sparkSession.createDataFrame([(bytearray(content),)], "content binary")
        rows.coalesce(1).write.parquet(f"{path}/model")


class _Reader(MLReader):  # type: ignore[misc]
    """Reads what `_Writer` wrote."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self._kind = kind

    def load(self, path: str) -> Any:
        """The stage with its params."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sc)
        stage = self._kind()
        if metadata.get("estimator"):
            stage.model = DefaultParamsReader.loadParamsInstance(f"{path}/estimator", self.sc)
        else:
            (row,) = self.sparkSession.read.parquet(f"{path}/model").collect()
            compiled, explainer = _lmdi.read_model_file(bytes(row["content"]))
            model = model_of_file(compiled)
            if self._kind is LMDIPlusModel:
                stage.explainer = LocalLMDIPlus._restored(model, explainer)
            else:
                stage.model = model
        stage._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(stage, metadata)
        return stage
