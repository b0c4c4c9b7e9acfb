"""The committed results of the experiments as frames, and the tables that are made of them."""

import numpy as np
import pandas as pd
from common import ROOT

RESULTS = ROOT / "crates" / "lmdi-experiments" / "results"
NAMES = {
    "lmdi_model_by_rank": "LMDI+ model, by rank",
    "lmdi_model_by_score": "LMDI+ model, by score",
    "lmdi_data_by_rank": "LMDI+ data, by rank",
    "lmdi_data_by_score": "LMDI+ data, by score",
    "lmdi_plus_by_rank": "LMDI+ paper, by rank",
    "lmdi_plus_by_score": "LMDI+ paper, by score",
    "lime": "LIME",
    "tree_shap": "TreeSHAP",
    "tree_shap_by_rank": "TreeSHAP, by rank",
    "tree_shap_interventional": "TreeSHAP, interventional",
    "saabas": "Saabas",
    "saabas_by_rank": "Saabas, by rank",
    "local_mdi": "Local MDI",
    "local_mdi_by_rank": "Local MDI, by rank",
    "maple": "MAPLE",
    "observed_data": "the data itself",
}
OURS = [name for name in NAMES if name.startswith("lmdi")]
#: The methods that the paper compares LMDI+ with.
PEERS = ["lime", "tree_shap", "local_mdi"]


def results(experiment):
    """The tidy results of the methods; the last column, a count for the runner, has no use here."""
    frame = pd.read_csv(RESULTS / experiment / "results.csv").iloc[:, :-1]
    return frame[~frame["method"].str.startswith("trial_")]


def by_both(experiment):
    """Results by the paper's text and by its authors' code, of the repetitions that both have."""
    text, code = results(experiment), results(f"{experiment}-reference")
    return text[text["repetition"].isin(code["repetition"])], code[code["repetition"].isin(text["repetition"])]


def repetitions(frame):
    """The fewest and the most repetitions of a setting, over methods."""
    setting = [name for name in frame.columns if name not in ("repetition", "measure", "value")]
    counts = frame.groupby(setting)["repetition"].nunique()
    return int(counts.min()), int(counts.max())


def markdown(head, lines):
    """A table; the first column is text, the others numbers."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in [head, rule, *lines])


def clustered(values_by_set):
    """Mean over data sets and its standard error."""
    values = np.asarray(values_by_set, dtype=float)
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def plus_minus(values_by_set, digits=3):
    mean, error = clustered(values_by_set)
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


DIFFERENCES = ["difference", "mean", "settings better", "data sets better"]


def against(frame, one, other, larger_is_better=True):
    """One method minus another: mean with its error, settings won, data sets won."""
    keys = [name for name in frame.columns if name not in ("method", "value")]
    wide = frame.pivot(index=keys, columns="method", values="value")
    difference = (wide[one] - wide[other]).dropna()
    by_set = difference.groupby("set").mean()
    sign = 1 if larger_is_better else -1
    won = int((sign * difference > 0).sum())
    return [
        f"{NAMES[one]} – {NAMES[other]}",
        plus_minus(by_set),
        f"{won} of {len(difference)}",
        f"{int((sign * by_set > 0).sum())} of {len(by_set)}",
    ]


def average_ranks(by_set, methods, larger_is_better):
    """The rank of each method on each data set; equal values share their mean rank."""
    wide = by_set.unstack("method")[methods]
    return wide.rank(axis=1, ascending=not larger_is_better, method="average")


def ranks_against_peers(frame, measures, larger_is_better, methods=OURS):
    """Average ranks of every variant of LMDI+, each among the paper's other methods alone."""
    lines = []
    for method in methods:
        if method not in set(frame["method"]):
            continue
        cells = []
        for measure in measures:
            part = frame[frame["measure"] == measure]
            by_set = part.groupby(["set", "method"])["value"].mean()
            cells.append(f"{average_ranks(by_set, [method, *PEERS], larger_is_better)[method].mean():.2f}")
        lines.append([NAMES[method], *cells])
    return lines


def values_table(frame, measures, larger_is_better):
    by_set = frame.groupby(["measure", "method", "set"])["value"].mean()
    order = by_set.groupby(["measure", "method"]).mean()[measures[0]]
    order = order.sort_values(ascending=not larger_is_better).index
    return [[NAMES[m], *(plus_minus(by_set[measure, m]) for measure in measures)] for m in order]
