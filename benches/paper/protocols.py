"""What was run, and the paper's text beside its authors' code."""

import numpy as np
import pandas as pd
from paper.frames import (
    NAMES,
    OURS,
    PEERS,
    RESULTS,
    by_both,
    markdown,
    ranks_against_peers,
    repetitions,
    results,
    values_table,
)
from paper.scores import PAPER_DISTANCES, relative_errors
from paper.top_features import PAPER_SELECTION


def reference():
    """By the paper's text and by its authors' code: ranking and correlation, then distances to counterfactuals."""
    text, code = by_both("ranking")
    text = text[text["n"].isin(code["n"])]
    text, code = (frame.groupby("method")["value"].mean() for frame in (text, code))
    ranks = [frame.groupby(["rho", "method", "measure"])["value"].mean() for frame in by_both("correlation")]
    lines = []
    for method in code.sort_values(ascending=False).index:
        cells = [f"{text[method]:.3f}", f"{code[method]:.3f}"]
        for rank in ranks:
            has = (0.99, method, "rank_signal") in rank.index
            kinds = ("signal", "independent")
            cells.append(" / ".join(f"{rank[0.99, method, f'rank_{kind}']:.1f}" for kind in kinds) if has else "–")
        lines.append([NAMES[method], *cells])
    head = ["method", "AUROC: text", "code", "ranks at correlation 0.99: text", "code"]
    distances = [frame.groupby(["method", "set"])["value"].mean() for frame in by_both("counterfactual")]
    printed = dict(zip(["lmdi_plus_by_score", *PEERS], np.mean(list(PAPER_DISTANCES.values()), axis=0)))
    order = distances[1].groupby("method").mean().sort_values().index
    rows = []
    for m in order:
        of_paper = f"{printed[m]:.1f}" if m in printed else "–"
        rows.append([NAMES[m], of_paper, *(f"{by_set[m].mean():.1f}" for by_set in distances)])
    return (
        markdown(head, lines)
        + "\n"
        + markdown(["mean distance to counterfactuals", "printed in the paper", "text", "code"], rows)
        + "\nAverage rank in selection among LIME, TreeSHAP and Local MDI:\n\n"
        + selection_by_both()
        + "\nStability by the code, different features among the top ones:\n\n"
        + markdown(
            ["method", "top 10 %", "20 %"],
            values_table(results("stability-reference"), ["unique_10", "unique_20"], larger_is_better=False),
        )
        + "\nSubgroups by the code, error on the other half of a cluster relative to one model of all rows:\n\n"
        + relative_errors("subgroups-reference", "relative_error")
    )


def selection_by_both():
    """Table 1 of the paper: printed, by its text, and by its authors' code."""
    kept = [f"kept_{share}" for share in (10, 20, 30, 40)]
    ranked = [method for method in OURS if method.endswith("by_rank")]
    lines = [["printed in the paper", *(f"{rank:.2f}" for rank in PAPER_SELECTION)]]
    for title, frame in zip(("text", "code"), by_both("selection")):
        found = ranks_against_peers(frame, kept, larger_is_better=True, methods=ranked)
        lines += [[f"{name}: {title}", *cells] for name, *cells in found]
    return markdown(["", "10 % kept", "20 %", "30 %", "40 %"], lines)


#: The experiments in the order of the page, by directory.
EXPERIMENTS = [
    "ranking",
    "correlation",
    "rules",
    "selection",
    "selection-full",
    "stability",
    "ablation",
    "counterfactual",
    "counterfactual-sim",
    "subgroups",
    "runtime",
]


def runs():
    """Rows, repetitions and hours of every experiment, by both protocols."""
    lines = []
    for experiment in EXPERIMENTS:
        for name in (experiment, f"{experiment}-reference"):
            if not (RESULTS / name).exists():
                continue
            frame = results(name)
            rows = frame["n"] if "n" in frame else frame["rows"]
            sizes = ", ".join(f"{size:,}" if isinstance(size, int) else str(size) for size in rows.unique().tolist())
            fewest, most = repetitions(frame)
            times = RESULTS / name / "seconds.csv"
            hours = f"{pd.read_csv(times)['seconds'].sum() / 3600:.2f}" if times.exists() else "–"
            page = f"[page](../crates/lmdi-experiments/results/{name}/page.md)"
            title = experiment + (", by the authors' code" if name != experiment else "")
            lines.append([title, sizes, f"{fewest} to {most}" if fewest < most else most, hours, page])
    return markdown(["experiment", "rows at most", "repetitions", "hours of one thread", "page"], lines)
