"""All methods in one table, and where the preset `data` loses to the published rule."""

from critical_difference import critical_difference, picture
from scipy import stats
from paper.frames import NAMES, average_ranks, markdown, results


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


#: What the preset `data` must not lose, table by table: title, experiment, measure, way of ranking, whether larger
#: is better.
REGRETS = [
    [
        ("ranking", "ranking", "auroc", "by_rank", True),
        *((f"{'selection ' * (k == 10)}{k} %", "selection", f"kept_{k}", "by_rank", True) for k in (10, 20, 30, 40, 50)),
    ],
    [
        *((f"{'stability ' * (k == 10)}{k} %", "stability", f"unique_{k}", "by_rank", False) for k in (10, 20, 30, 40)),
        ("distance", "counterfactual", "distance", "by_score", False),
    ],
]


def regrets():
    """`data` minus the published rule on every data set, with standard errors over its settings."""
    return "\n".join(differences(columns) for columns in REGRETS)


def differences(columns):
    """A table of such differences. Losses beyond one standard error are bold."""
    cells = {}
    for column, (_, experiment, measure, way, larger) in enumerate(columns):
        frame = results(experiment)
        frame = frame[frame["measure"] == measure].drop(columns="measure")
        keys = [name for name in frame.columns if name not in ("method", "value")]
        wide = frame.pivot(index=keys, columns="method", values="value")
        difference = (wide[f"lmdi_data_{way}"] - wide[f"lmdi_plus_{way}"]).dropna()
        for name, of_set in difference.groupby("set"):
            mean, error = of_set.mean(), of_set.sem()
            text = f"{mean:+.3f} ± {error:.3f}"
            is_loss = (-mean if larger else mean) > error
            cells[name, column] = f"**{text}**" if is_loss else text
    names = sorted({name for name, _ in cells})
    lines = [[name, *(cells.get((name, column), "–") for column in range(len(columns)))] for name in names]
    return markdown(["data set", *(title for title, *_ in columns)], lines)
