"""What scores are good for: counterfactuals and subgroups."""

import numpy as np
from paper.frames import DIFFERENCES, NAMES, against, markdown, results

PAPER_DISTANCES = {
    "house_16h": [7.6, 9.5, 9.5, 12.7],
    "higgs": [18.2, 19.9, 20.6, 22.8],
    "pol": [9.1, 11.4, 10.9, 11.2],
    "ozone": [34.7, 36.3, 44.3, 39.0],
    "jannis": [40.4, 44.7, 44.3, 48.1],
    "spam": [15.2, 18.7, 19.8, 21.1],
}


def counterfactual():
    frame = results("counterfactual").drop(columns="measure")
    by_set = frame.groupby(["method", "set"])["value"].mean()
    sets = list(PAPER_DISTANCES)
    order = by_set.groupby("method").mean().sort_values().index
    lines = [
        [NAMES[m], *(f"{by_set[m, one]:.1f}" for one in sets), f"{by_set[m].mean():.1f}"] for m in order
    ]
    for at, name in enumerate(["LMDI+", "LIME", "TreeSHAP", "Local MDI"]):
        printed = [PAPER_DISTANCES[one][at] for one in sets]
        lines.append(
            [f"{name}, printed in the paper", *(f"{v:.1f}" for v in printed), f"{np.mean(printed):.1f}"]
        )
    pairs = [
        ("lmdi_data_by_score", "lmdi_plus_by_score"),
        ("lmdi_model_by_score", "lmdi_plus_by_score"),
        ("lmdi_data_by_score", "tree_shap"),
        ("lmdi_model_by_score", "tree_shap"),
        ("lmdi_model_by_score", "lime"),
    ]
    head = ["method", *(one.replace("_", " ") for one in sets), "mean"]
    return (
        markdown(head, lines)
        + "\n"
        + markdown(DIFFERENCES, [against(frame, *pair, larger_is_better=False) for pair in pairs])
    )


def relative_errors(experiment, measure):
    """Errors of linear models in clusters, relative to one for all rows, by number of clusters."""
    frame = results(experiment)
    counts = (2, 3, 4, 5, 7, 10)
    lines = []
    for method in [m for m in NAMES if m in set(frame["method"])]:
        of = frame[frame["method"] == method]
        cells = []
        for k in counts:
            values = of[of["measure"] == f"{measure}_{k}"]["value"]
            error = f" ± {values.sem():.2f}" if len(values) > 1 else ""
            cells.append(f"{values.mean():.2f}{error}")
        lines.append([NAMES[method], *cells])
    return markdown(["method", *(f"{k} clusters" for k in counts)], lines)


def subgroups():
    return (
        "Measured on the rows of the fit:\n\n"
        + relative_errors("subgroups", "relative_error_same_rows")
        + "\nMeasured on the other half of a cluster:\n\n"
        + relative_errors("subgroups", "relative_error")
    )
