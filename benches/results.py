"""The figures of docs/results.md, computed from the committed results of the experiments.

    ./bench results            # prints them
    ./bench results --write    # puts them into docs/results.md, and the picture beside it
    ./bench results --check    # fails if docs/results.md or the picture has other figures

Nothing is run: the results are in crates/lmdi-experiments/results. Standard errors are clustered by data set:
the means of data sets are compared, not single settings, which share a data set's luck. Ranks are compared by
Friedman's test; two methods differ where their average ranks are a critical difference apart (Nemenyi, 5 %).
"""

import sys

import numpy as np
import pandas as pd
from common import ROOT, with_table
from critical_difference import critical_difference, picture
from scipy import stats

RESULTS = ROOT / "crates" / "lmdi-experiments" / "results"
PAGE = ROOT / "docs" / "results.md"
PICTURE = ROOT / "docs" / "images" / "critical-difference.svg"

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
#: What the paper prints: average ranks of LMDI+ in selection (table 1), and the mean distances of LMDI+, LIME,
#: TreeSHAP and Local MDI to counterfactuals (table 4).
PAPER_SELECTION = [1.25, 1.17, 1.00, 1.08]
PAPER_DISTANCES = {
    "house_16h": [7.6, 9.5, 9.5, 12.7],
    "higgs": [18.2, 19.9, 20.6, 22.8],
    "pol": [9.1, 11.4, 10.9, 11.2],
    "ozone": [34.7, 36.3, 44.3, 39.0],
    "jannis": [40.4, 44.7, 44.3, 48.1],
    "spam": [15.2, 18.7, 19.8, 21.1],
}


def results(experiment):
    """The tidy results; the last column, a count for the runner, has no use here."""
    frame = pd.read_csv(RESULTS / experiment / "results.csv")
    return frame.iloc[:, :-1]


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


def against(frame, one, other, larger_is_better=True):
    """One method minus another: mean with its error, settings won, data sets won."""
    keys = [name for name in frame.columns if name not in ("method", "value")]
    wide = frame.pivot(index=keys, columns="method", values="value")
    difference = wide[one] - wide[other]
    by_set = difference.groupby("set").mean()
    sign = 1 if larger_is_better else -1
    won = int((sign * difference > 0).sum())
    return [
        f"{NAMES[one]} – {NAMES[other]}",
        plus_minus(by_set),
        f"{won} of {len(difference)}",
        f"{int((sign * by_set > 0).sum())} of {len(by_set)}",
    ]


DIFFERENCES = ["difference", "mean", "settings better", "data sets better"]


def ranking():
    frame = results("ranking").drop(columns="measure")
    by_set = frame.groupby(["method", "set"])["value"].mean()
    by_size = frame.groupby(["method", "n"])["value"].mean()
    order = by_set.groupby("method").mean().sort_values(ascending=False).index
    lines = [
        [NAMES[m], plus_minus(by_set[m]), *(f"{by_size[m, n]:.3f}" for n in (300, 500, 1000))] for m in order
    ]
    pairs = [
        ("lmdi_data_by_rank", "tree_shap"),
        ("lmdi_data_by_rank", "lime"),
        ("lmdi_data_by_rank", "lmdi_plus_by_rank"),
        ("lmdi_data_by_score", "lmdi_plus_by_score"),
        ("lmdi_model_by_rank", "tree_shap"),
        ("lmdi_model_by_rank", "lime"),
        ("lmdi_model_by_rank", "lmdi_data_by_rank"),
        ("lmdi_model_by_score", "tree_shap"),
        ("lmdi_plus_by_rank", "tree_shap"),
        ("lmdi_plus_by_rank", "lime"),
        ("lmdi_data_by_rank", "local_mdi_by_rank"),
        ("lmdi_model_by_rank", "local_mdi_by_rank"),
        ("lmdi_model_by_rank", "tree_shap_by_rank"),
        ("lmdi_plus_by_rank", "local_mdi_by_rank"),
    ]
    return (
        markdown(["method", "all", "300 rows", "500 rows", "1,000 rows"], lines)
        + "\n"
        + markdown(DIFFERENCES, [against(frame, *pair) for pair in pairs])
    )


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


def selection():
    frame = results("selection")
    measures = [f"kept_{share}" for share in (10, 20, 30, 40)]
    head = ["", "10 % kept", "20 %", "30 %", "40 %"]
    paper = ["printed in the paper", *(f"{rank:.2f}" for rank in PAPER_SELECTION)]
    rows = frame.drop(columns="measure")
    ten = rows[frame["measure"] == "kept_10"]
    pairs = [(m, o) for m in ("lmdi_model_by_rank", "lmdi_data_by_rank") for o in ("lmdi_plus_by_rank", "lime")]
    few = frame[frame["measure"].isin(measures)].groupby("method")["value"].mean()
    gains = ", ".join(
        f"{100 * (few[m] / few[PEERS].mean() - 1):.0f} % ({NAMES[m].split(',')[0]})"
        for m in ("lmdi_plus_by_rank", "lmdi_model_by_rank", "lmdi_data_by_rank")
    )
    puma = frame[(frame["set"] == "puma_robot") & (frame["measure"] == "kept_10")]
    puma = puma.groupby("method")["value"].mean()
    return (
        "Average rank over the twelve data sets, each variant of LMDI+ among LIME, TreeSHAP and Local MDI:\n\n"
        + markdown(head, [paper, *ranks_against_peers(frame, measures, larger_is_better=True)])
        + "\nMean R² or AUROC over data sets:\n\n"
        + markdown(["method", *head[1:]], values_table(frame, measures, larger_is_better=True))
        + "\nAt 10 %:\n\n"
        + markdown(DIFFERENCES, [against(ten, *pair) for pair in pairs])
        + f"\nOn Puma Robot at 10 %, by rank: `paper` {puma['lmdi_plus_by_rank']:.2f}, `model` "
        f"{puma['lmdi_model_by_rank']:.2f}, `data` {puma['lmdi_data_by_rank']:.2f}.\n"
        "\nThe paper speaks of predictions that are better by 10 % on average. Over 10 to 40 % of the\n"
        f"features, by rank, LMDI+ is above the mean of its three peers by\n{gains}.\n"
    )


def stability():
    frame = results("stability")
    measures = [f"unique_{share}" for share in (10, 20, 30, 40)]
    head = ["method", "top 10 %", "20 %", "30 %", "40 %"]
    return markdown(head, values_table(frame, measures, larger_is_better=False))


def selection_full():
    frame = results("selection-full")
    measures = [f"kept_{share}" for share in (10, 20, 30)]
    wide = frame.pivot_table(index=["set", "measure"], columns="method", values="value")
    lines = []
    for method in ("lmdi_plus_by_rank", "lmdi_data_by_rank"):
        best = (wide[method] > wide["tree_shap"]) & (wide[method] > wide["local_mdi"])
        lines.append([NAMES[method], f"{int(best.sum())} of {len(best)}"])
    by = frame.groupby(["set", "method", "measure"])["value"].mean()
    cells = [
        [f"{name}, {measure.removeprefix('kept_')} %"]
        + [
            f"{by[name, method, measure]:.3f}"
            for method in ("lmdi_plus_by_rank", "lmdi_data_by_rank", "tree_shap", "local_mdi")
        ]
        for measure in measures
        for name in sorted(set(frame["set"]))
    ]
    head = ["data set, kept", "LMDI+ paper", "LMDI+ data", "TreeSHAP", "Local MDI"]
    return markdown(head, cells) + "\n" + markdown(["", "above TreeSHAP and Local MDI"], lines)


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


def correlation():
    frame = results("correlation")
    by = frame.groupby(["rho", "method", "measure"])["value"].agg(["mean", "sem"])
    lines = []
    for method in [m for m in NAMES if m in set(frame["method"])]:
        cells = [by.loc[(0.99, method, f"rank_{kind}")] for kind in ("signal", "correlated", "independent")]
        lines.append([NAMES[method], *(f"{cell['mean']:.1f} ± {cell['sem']:.1f}" for cell in cells)])
    return markdown(["method", "signal", "correlated with it", "independent"], lines)


def reference():
    """By the paper's text and by its authors' code: ranking and correlation, then distances to counterfactuals."""
    code = results("ranking-reference").groupby("method")["value"].mean()
    text = results("ranking")
    text = text[text["n"] == 300].groupby("method")["value"].mean()
    ranks = {
        name: results(name).groupby(["rho", "method", "measure"])["value"].mean()
        for name in ("correlation", "correlation-reference")
    }
    lines = []
    for method in code.sort_values(ascending=False).index:
        cells = [f"{text[method]:.3f}", f"{code[method]:.3f}"]
        for rank in ranks.values():
            has = (0.99, method, "rank_signal") in rank.index
            kinds = ("signal", "independent")
            cells.append(" / ".join(f"{rank[0.99, method, f'rank_{kind}']:.1f}" for kind in kinds) if has else "–")
        lines.append([NAMES[method], *cells])
    head = ["method", "AUROC: text", "code", "ranks at correlation 0.99: text", "code"]
    distances = [
        results(name).groupby(["method", "set"])["value"].mean()
        for name in ("counterfactual", "counterfactual-reference")
    ]
    printed = dict(zip(["lmdi_plus_by_score", *PEERS], np.mean(list(PAPER_DISTANCES.values()), axis=0)))
    order = distances[1].groupby("method").mean().sort_values().index
    rows = []
    for m in order:
        of_paper = f"{printed[m]:.1f}" if m in printed else "–"
        rows.append([NAMES[m], of_paper, *(f"{by_set[m].mean():.1f}" for by_set in distances)])
    kept, unique = [f"kept_{share}" for share in (10, 20, 30, 40)], ["unique_10", "unique_20"]
    ranked = [method for method in OURS if method.endswith("by_rank")]
    first = ranks_against_peers(results("selection-reference"), kept, larger_is_better=True, methods=ranked)
    stable = values_table(results("stability-reference"), unique, larger_is_better=False)
    return (
        markdown(head, lines)
        + "\n"
        + markdown(["mean distance to counterfactuals", "printed in the paper", "text", "code"], rows)
        + "\nSelection by the code, once per data set: average rank among LIME, TreeSHAP and Local MDI:\n\n"
        + markdown(["", "10 % kept", "20 %", "30 %", "40 %"], first)
        + "\nStability by the code, once per data set and size: different features among the top ones:\n\n"
        + markdown(["method", "top 10 %", "20 %"], stable)
    )


def ablation():
    frame = results("ablation")
    measures = ["kept_10", "kept_20", "unique_10", "unique_20"]
    head = ["", "selection 10 %", "20 %", "stability 10 %", "20 %"]
    steps = {
        "variant_1_by_rank": "in-bag rows, no raw features, no penalty",
        "variant_2_by_rank": "and out-of-bag rows",
        "variant_3_by_rank": "and raw features",
        "lmdi_plus_by_rank": "and elastic net: LMDI+ paper",
        "lmdi_data_by_rank": "LMDI+ data instead",
    }
    forest = frame[frame["ensemble"] == "forest"]
    lines = []
    for method, name in steps.items():
        cells = []
        for measure in measures:
            by_set = forest[forest["measure"] == measure].groupby(["set", "method"])["value"].mean()
            ranks = average_ranks(by_set, [method, *PEERS], measure.startswith("kept"))
            cells.append(f"{ranks[method].mean():.2f}")
        lines.append([name, *cells])
    return markdown(head, lines)


def boosting():
    """The ranks of the paper's table 3 for boosting, where Local MDI does not apply."""
    frame = results("ablation")
    head = ["", "selection 10 %", "20 %", "stability 10 %", "20 %"]
    lines = [["LMDI+, printed in the paper", "1.08", "1.08", "1.17", "1.00"]]
    for ensemble, rows in (("boosting", "all rows"), ("boosting_half_of_rows", "half of the rows")):
        of = frame[frame["ensemble"] == ensemble]
        methods = ["lmdi_plus_by_rank", "lime", "tree_shap"]
        ranks = [
            average_ranks(
                of[of["measure"] == measure].groupby(["set", "method"])["value"].mean(),
                methods,
                measure.startswith("kept"),
            ).mean()
            for measure in ("kept_10", "kept_20", "unique_10", "unique_20")
        ]
        for method in methods:
            lines.append([f"{NAMES[method]}; {rows} per tree", *(f"{rank[method]:.2f}" for rank in ranks)])
    return markdown(head, lines)


#: Rules that choose penalties were chosen on the first half of these and confirmed on the other.
HALVES = {
    "numbers, choosing": ["miami_housing", "puma_robot", "music_origin"],
    "numbers, confirming": ["sarcos", "wave_energy", "superconductivity"],
    "classes, choosing": ["house_16h", "pol", "jannis"],
    "classes, confirming": ["higgs", "ozone", "spam"],
}
RULES = {
    "folds_1se": "three folds, one standard error",
    "folds_x16": "three folds, 16 times the penalty",
    "folds_deviance": "three folds, by log-loss",
    "oob": "out-of-bag rows",
    "oob_forest": "out-of-bag rows, one penalty for the forest",
    "oob_once": "out-of-bag rows, every row counts once",
    "oob_once_unit_free": "**the same, response standardised (preset `data`)**",
    "oob_folds_once": "three folds of out-of-bag rows, every row once",
}


def rules():
    """Ranking AUROC by rank minus that of the paper's rule in the same forests."""
    frame = results("rules")
    frame = frame[frame["measure"] == "auroc_by_rank"].drop(columns="measure")
    keys = ["set", "function", "n", "noise", "repetition"]
    wide = frame.pivot(index=keys, columns="method", values="value")
    lines = []
    for rule, name in RULES.items():
        cells = []
        for sets in HALVES.values():
            of_sets = wide[wide.index.get_level_values("set").isin(sets)]
            difference = (of_sets[rule] - of_sets["paper"]).dropna()
            empty = difference.empty
            cells.append("–" if empty else f"{difference.mean():.3f} ± {difference.sem():.3f}")
        lines.append([name, *cells])
    return markdown(["rule", *HALVES], lines)


#: Changes of the preset `data`, in the order in which they were tried.
TRIALS = {
    "folds": "three folds of out-of-bag rows",
    "fitted_rows": "these, and columns centred and scaled on the fitted rows",
    "fine_grid": "these, and 31 values of C for classes",
    "relaxed": "these, and a relaxed second fit",
    "pooled": "these, and errors pooled over trees by half",
    "ridge_like": "these, and L1 ratios from 0.01",
    "deep_less": "these, and deep stumps penalised less",
    "deep_more": "these, and deep stumps penalised more",
    "raw_alike": "these, and all raw columns on the scale of a stump at the root",
    "raw_x2": "these, and raw columns times 2",
    "x2": "one fold, and raw columns times 2",
    "x4": "one fold, and raw columns times 4",
    "both": "one fold, all raw columns on that scale, deep stumps penalised more",
}


def paired(part, experiment, measure, method, other):
    """Mean difference of two methods over units of a part of the trials, with its standard error."""
    path = RESULTS / "trials" / part / experiment / "results.csv"
    if not path.exists():
        return "–"
    frame = pd.read_csv(path)
    frame = frame[frame["measure"] == measure]
    keys = [name for name in frame.columns if name not in ("method", "value", "rows", "measure")]
    wide = frame.pivot(index=keys, columns="method", values="value")
    if method not in wide:
        return "–"
    difference = wide[method] - wide[other]
    error = f" ± {difference.sem():.3f}" if len(difference) > 1 else ""
    return f"{difference.mean():+.3f}{error}"


#: Parts of the trials: what each covers, and the trials in it.
PARTS = {
    "first": (
        "First look: ranking on four data sets and once on Pol, distances on House 16H and Jannis.",
        [name for name in TRIALS if name not in ("x2", "x4", "both")],
    ),
    "choosing": ("The six data sets that rules are chosen on.", ["folds", "raw_x2", "x2", "x4", "both"]),
    "confirming": (
        "The six that confirm (35 of 36 settings); counterfactuals on Higgs and Ozone alone.",
        ["folds", "x4"],
    ),
}


def trials():
    """Changes of the preset `data`: ranking minus that of `data`, the others minus the paper's rule."""
    columns = {
        "ranking by rank": ("ranking", "auroc", "rank", "trial_none_by_rank"),
        "by score": ("ranking", "auroc", "score", "trial_none_by_score"),
        "Puma 10 %": ("selection", "kept_10", "rank", "lmdi_plus_by_rank"),
        "30 %": ("selection", "kept_30", "rank", "lmdi_plus_by_rank"),
        "stability": ("stability", "unique_20", "rank", "lmdi_plus_by_rank"),
        "distance": ("counterfactual", "distance", "score", "lmdi_plus_by_score"),
    }

    def line(part, trial, title):
        name = f"trial_{trial}_by_"
        cells = [paired(part, run, of, name + way, other) for run, of, way, other in columns.values()]
        return [title, *cells]

    text = ""
    for part, (title, names) in PARTS.items():
        lines = [line(part, "none", "none: preset `data`"), *(line(part, name, TRIALS[name]) for name in names)]
        text += f"{title}\n\n" + markdown(["trial", *columns], lines) + "\n"
    return text.rstrip("\n") + "\n"


def subgroups():
    frame = results("subgroups")
    lines = []
    for method in [m for m in NAMES if m in set(frame["method"])]:
        of = frame[frame["method"] == method]
        cells = []
        for k in (2, 3, 4, 5, 7, 10):
            values = of[of["measure"] == f"relative_error_same_rows_{k}"]["value"]
            cells.append(f"{values.mean():.2f} ± {values.sem():.2f}")
        lines.append([NAMES[method], *cells])
    return markdown(["method", *(f"{k} clusters" for k in (2, 3, 4, 5, 7, 10))], lines)


def friedman():
    """Average ranks of all methods in three experiments, with a picture."""
    methods = ["lmdi_model_by_rank", "lmdi_data_by_rank", "lmdi_plus_by_rank", "lime", "tree_shap", "saabas"]
    methods += ["local_mdi", "maple"]
    kinds = [
        ("Ranking (AUROC of signal)", "ranking", "auroc", True),
        ("Selection (10 % kept)", "selection", "kept_10", True),
        ("Stability (top 20 %)", "stability", "unique_20", False),
    ]
    charts, lines = [], []
    for title, experiment, measure, larger in kinds:
        frame = results(experiment)
        by_set = frame[frame["measure"] == measure].groupby(["set", "method"])["value"].mean()
        ranks = average_ranks(by_set, methods, larger)
        p = stats.friedmanchisquare(*(ranks[m] for m in methods)).pvalue
        least = critical_difference(len(methods), len(ranks))
        means = ranks.mean().sort_values()
        charts.append((title, [(NAMES[m], float(rank)) for m, rank in means.items()], least))
        shown = "below 0.001" if p < 0.001 else f"{p:.3f}"
        lines.append([title, *(f"{ranks[m].mean():.2f}" for m in methods), f"{least:.2f}", shown])
    head = ["", *(NAMES[m].removesuffix(", by rank") for m in methods), "critical difference", "p (Friedman)"]
    return markdown(head, lines), picture(charts)


BLOCKS = {
    "ranking": ranking,
    "selection": selection,
    "stability": stability,
    "selection-full": selection_full,
    "ablation": ablation,
    "counterfactual": counterfactual,
    "correlation": correlation,
    "reference": reference,
    "subgroups": subgroups,
    "boosting": boosting,
    "rules": rules,
    "trials": trials,
    "ranks": lambda: friedman()[0],
}


def main():
    arguments = sys.argv[1:]
    page = PAGE.read_text()
    for name, block in BLOCKS.items():
        text = block()
        if arguments:
            page = with_table(page, f"<!-- ./bench results: {name} -->\n", f"<!-- end of {name} -->\n", text)
        else:
            print(f"## {name}\n\n{text}")
    files = {PAGE: page, PICTURE: friedman()[1]}
    if "--check" in arguments:
        stale = [str(path.relative_to(ROOT)) for path, text in files.items() if path.read_text() != text]
        if stale:
            raise SystemExit(f"{' and '.join(stale)} differ from the committed results; ./bench results --write")
    elif "--write" in arguments:
        for path, text in files.items():
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
