"""The names of options, for type checkers; the functions that take them document their meaning."""

from __future__ import annotations

from typing import Literal

Preset = Literal["model", "data", "paper"]
Ablation = Literal[1, 2, 3, 4]
FitTo = Literal["model", "response"]
FitOn = Literal["all", "inbag", "oob", "uniform"]
FoldBy = Literal["place", "cells"]
Glm = Literal["ols", "ridge", "lasso", "elastic_net"]
Validation = Literal["folds", "oob"]
Selection = Literal["deviance", "accuracy"]
Rule = Literal["min", "1se"]
Family = Literal["gaussian", "binomial", "poisson"]
Trees = Literal["all", "auto", "oob", "inbag"]
RankBy = Literal["score", "rank"]
FeatureSelection = Literal["auto", "none", "highest_weights", "forward_selection", "lasso_path"]
MdiScale = Literal["share", "impurity"]
MdiPlusGlm = Literal["ridge", "ols", "elastic_net", "huber", "logistic"]
Space = Literal["scores", "features"]
Distance = Literal["l1", "l2"]
ModelOutput = Literal["raw", "probability"]
RegressionCriterion = Literal["squared_error", "poisson"]
ClassificationCriterion = Literal["gini", "entropy"]
SplitFinder = Literal["auto", "exact", "histogram"]
WhatIf = Literal["auto", "always", "never"]
