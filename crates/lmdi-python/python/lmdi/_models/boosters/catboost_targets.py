"""CatBoost models whose leaves hold one value per target, as one model per target with the same splits."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..composite import Composite, OneColumn, Part
from .common import model_of_bytes

#: The losses, with that of one target.
OF_ONE_TARGET = {"MultiRMSE": "RMSE", "MultiRMSEWithMissingValues": "RMSE", "MultiQuantile": "Quantile"}


def several_targets(content: bytes, names: Any) -> Composite | None:
    """One part per target; none if the model has one target or predicts classes."""
    model = json.loads(content)
    params = model["model_info"].get("params", {})
    params = json.loads(params) if isinstance(params, str) else params
    kind = OF_ONE_TARGET.get(params.get("loss_function", {}).get("type"))
    if kind is None:
        return None
    scale, bias = model["scale_and_bias"]
    symmetric, nested = model.get("oblivious_trees", []), model.get("trees", [])
    count = len(bias) or _width(symmetric, nested)
    starts = np.broadcast_to(bias if len(bias) else [0.0], count)
    model["model_info"]["params"] = {**params, "loss_function": {"type": kind}}
    parts = []
    for target in range(count):
        of_target = {
            **model,
            "oblivious_trees": [
                {**tree, "leaf_values": tree["leaf_values"][target::count]} for tree in symmetric
            ],
            "trees": [_part(tree, target) for tree in nested],
            "scale_and_bias": [scale, [float(starts[target])]],
        }
        read = model_of_bytes(json.dumps(of_target).encode(), rounds="all", names=names)
        # Quantiles are several outputs of one target.
        of_column = None if kind == "Quantile" else OneColumn(target, count)
        parts.append(Part(read, output=target, target=of_column))
    return Composite(parts, parts[0].model._columns, output_names=[f"y{at}" for at in range(count)])


def _width(symmetric: list[Any], nested: list[Any]) -> int:
    if symmetric:
        return len(symmetric[0]["leaf_values"]) // len(symmetric[0]["leaf_weights"])
    node = nested[0]
    while "left" in node:
        node = node["left"]
    return len(np.atleast_1d(node["value"]))


def _part(node: dict[str, Any], target: int) -> dict[str, Any]:
    """A node whose leaves have one value, that of the target."""
    if "left" in node:
        return {**node, "left": _part(node["left"], target), "right": _part(node["right"], target)}
    return {**node, "value": node["value"][target]}
