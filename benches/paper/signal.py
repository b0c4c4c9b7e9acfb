"""Is signal found? Ranking and correlation."""

from paper.frames import DIFFERENCES, NAMES, against, markdown, plus_minus, results


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


def correlation():
    frame = results("correlation")
    by = frame.groupby(["rho", "method", "measure"])["value"].agg(["mean", "sem"])
    lines = []
    for method in [m for m in NAMES if m in set(frame["method"])]:
        cells = [by.loc[(0.99, method, f"rank_{kind}")] for kind in ("signal", "correlated", "independent")]
        lines.append([NAMES[method], *(f"{cell['mean']:.1f} ± {cell['sem']:.1f}" for cell in cells)])
    return markdown(["method", "signal", "correlated with it", "independent"], lines)
