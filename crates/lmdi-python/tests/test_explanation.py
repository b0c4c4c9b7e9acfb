"""Explanations: reading, slicing, grouping, handing over to pandas and shap, plotting."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import lmdi

NAMES = ["age", "visits", "income", "debt", "noise", "$cost_of$"]


@pytest.fixture(scope="module")
def table(data):
    return pd.DataFrame(data.X_missing, columns=NAMES)


@pytest.fixture(scope="module")
def one(data, table):
    model = RandomForestRegressor(10, min_samples_leaf=5, random_state=0).fit(table, data.y)
    return lmdi.LMDIPlus(model).fit(table, data.y).explain(table, std_error=True)


@pytest.fixture(scope="module")
def three(data, table):
    model = RandomForestClassifier(5, min_samples_leaf=5, random_state=0).fit(table, data.three)
    return lmdi.LMDIPlus(model).fit(table, data.three).explain(table)


def test_top_lists_the_largest_first(one):
    best = one.top(2)[0]
    order = np.argsort(-np.abs(one.values[0]))
    assert [name for name, _ in best] == [NAMES[at] for at in order[:2]]
    assert best[0][1] == one.values[0, order[0]]


def test_ranks_share_ties():
    e = lmdi.Explanation(np.array([[0.5, -2.0, 0.5]]), np.zeros(1))
    assert e.ranks().tolist() == [[1.5, 3.0, 1.5]]


def test_rows_and_outputs_are_selected(one, three):
    assert one[3].values.tolist() == one.values[3:4].tolist()
    assert one[-1].data.shape == (1, 6)
    assert len(one[5:9]) == 4 and len(one[one.base_values > 1e9]) == 0
    picked = three[..., "10"]
    assert np.array_equal(picked.values, three.values[:, :, 1])
    assert picked.output_names == ["10"] and three.output(1).output_names == ["10"]
    with pytest.raises(ValueError, match="no output '7'"):
        three.output("7")


def test_groups_add_up(one, three):
    groups = {"money": ["income", "debt"]}
    grouped = one.grouped(groups)
    assert grouped.feature_names == ["age", "visits", "money", "noise", "$cost_of$"]
    np.testing.assert_allclose(grouped.values[:, 2], one.values[:, 2] + one.values[:, 3])
    np.testing.assert_allclose(grouped.values.sum(axis=1), one.values.sum(axis=1))
    assert three.grouped(groups).values.shape == (300, 5, 3)
    with pytest.raises(ValueError, match="'gold', which is no column"):
        one.grouped({"money": ["gold"]})


def test_frames(one, three):
    frame = one.to_frame()
    assert list(frame.columns) == [*NAMES, "base_value", "explained", "unexplained", "prediction"]
    assert np.array_equal(frame["prediction"], one.prediction)
    assert np.array_equal(frame[NAMES].to_numpy(), one.values)
    wide = three.to_frame()
    assert np.array_equal(wide["20"]["age"], three.values[:, 0, 2])
    assert np.array_equal(wide["20"]["unexplained"], three.unexplained[:, 2])


def test_display_data_names_categories(data):
    colours = np.array(["red", "blue"])[(data.X[:, 0] > 0).astype(int)]
    table = pd.DataFrame({"x": data.X[:, 3], "colour": pd.Categorical(colours)})
    model = HistGradientBoostingRegressor(max_iter=5, categorical_features="from_dtype")
    model.fit(table, data.y)
    e = lmdi.LMDIPlus(model).fit(table, data.y).explain(table)
    assert e.display_data[:, 1].tolist() == colours.tolist()
    assert e.data.dtype == np.float64
    e.plot.scatter("colour")
    bar = e.plot.scatter("x", color="colour").figure.axes[-1]
    assert [t.get_text() for t in bar.get_yticklabels()] == ["blue", "red"]
    # Codes are in no order: dots of categories are not coloured from low to high.
    dots = e.plot.beeswarm().collections
    assert sum(line.get_array() is not None for line in dots) == 1
    assert "colour = " in [t.get_text() for t in e.plot.waterfall(0).get_yticklabels()][1]


def test_every_plot_takes_and_returns_axes(one, three):
    from matplotlib import pyplot

    for draw in [
        lambda ax: one.plot.bar(ax=ax),
        lambda ax: one[0].plot.bar(max_display=3, ax=ax),
        lambda ax: three.plot.bar(ax=ax),
        lambda ax: one.plot.beeswarm(max_display=4, ax=ax),
        lambda ax: three.plot.beeswarm(output="10", ax=ax),
        lambda ax: one.plot.waterfall(2, ax=ax),
        lambda ax: one.plot.waterfall(-1, max_display=2, ax=ax),
        lambda ax: one.plot.scatter("age", ax=ax),
        lambda ax: one.plot.scatter(0, color="debt", ax=ax),
        lambda ax: one.plot.heatmap(ax=ax),
    ]:
        figure, ax = pyplot.subplots()
        assert draw(ax) is ax
        figure.canvas.draw()
        pyplot.close(figure)
    assert one.plot.bar() is not one.plot.bar()
    pyplot.close("all")


def test_bars_have_the_length_of_the_importances(one):
    ax = one.plot.bar()
    lengths = [patch.get_width() for patch in ax.patches]
    np.testing.assert_allclose(lengths, np.sort(np.abs(one.values).mean(axis=0))[::-1])


def test_a_waterfall_ends_at_the_prediction(one):
    ax = one.plot.waterfall(4, max_display=4)
    steps = [patch.get_width() for patch in ax.patches]
    assert len(steps) == 5
    np.testing.assert_allclose(sum(steps[1:]), one.values[4].sum())
    np.testing.assert_allclose(one.base_values[4] + sum(steps), one.prediction[4])
    assert [bool(patch.get_hatch()) for patch in ax.patches] == [True, False, False, False, False]
    assert ax.get_yticklabels()[0].get_text() == "not explained"
    lowest = ax.patches[-1]
    np.testing.assert_allclose(lowest.get_x(), one.base_values[4])


def test_hostile_names_are_drawn_as_one_line_of_text():
    """Mathematics, line breaks, turned lines, empty and long names, hidden entries of legends."""
    from matplotlib import pyplot

    names = ["$x_{\\frac", "two\nlines\tand \x1b[31m", "\u202eback", "", "a" * 30 + "-" + "b" * 30, "<b>"]
    drawn = [
        "\\$x_{\\frac",
        r"two\nlines\tand \x1b[31m",
        r"\u202eback",
        "(no name)",
        "a" * 26 + "…" + "b" * 13,
        "<b>",
    ]
    random = np.random.default_rng(0)
    values = random.normal(size=(40, 6, 2)) * np.arange(6, 0, -1)[:, None]
    outputs = ["_hidden", "$a$"]
    two = lmdi.Explanation(values, np.zeros((40, 2)), values[:, :, 0], names, outputs, scale="softmax")
    one = two.output("$a$")
    bar = two.plot.bar()
    assert sorted(t.get_text() for t in bar.get_yticklabels()) == sorted(drawn)
    assert [t.get_text() for t in bar.get_legend().get_texts()] == ["_hidden", r"\$a\$"]
    water = one.plot.waterfall(0)
    shown = [t.get_text() for t in water.get_yticklabels()]
    assert sorted(text.rsplit(" = ", 1)[0] for text in shown) == sorted(drawn)
    for ax in (bar, water, one.plot.beeswarm(), one.plot.heatmap(), one.plot.scatter(0, color=1)):
        ax.figure.canvas.draw()
    pyplot.close("all")


def test_numbers_on_plots_are_short():
    from lmdi._plots.style import number, short

    assert [short(x) for x in (440000.0, 2017, -80.16056, 1.5e9, 0.0)] == [
        "440,000",
        "2017",
        "−80.16",
        "1.5e+09",
        "0",
    ]
    assert [number(x) for x in (12345.6, -0.0012, 33.64)] == ["+12,346", "−0.0012", "+33.6"]


def test_plots_say_what_is_wrong(one, three):
    with pytest.raises(ValueError, match="several outputs; choose one with output="):
        three.plot.beeswarm()
    with pytest.raises(ValueError, match="no column 'agee'"):
        one.plot.scatter("agee")
    with pytest.raises(IndexError, match="there are 300 rows"):
        one.plot.waterfall(300)
    with pytest.raises(ValueError, match="no row to draw"):
        one[:0].plot.bar()


def test_plots_of_shap_take_what_to_shap_gives(one, three):
    shap = pytest.importorskip("shap")
    from matplotlib import pyplot

    theirs = one.to_shap()
    assert np.array_equal(theirs.values, one.values)
    for draw in [
        lambda: shap.plots.bar(theirs, show=False),
        lambda: shap.plots.beeswarm(theirs, show=False),
        lambda: shap.plots.waterfall(theirs[0], show=False),
        lambda: shap.plots.scatter(theirs[:, "age"], show=False),
        lambda: shap.plots.heatmap(theirs, show=False),
        lambda: shap.plots.violin(theirs, show=False),
        lambda: shap.plots.force(theirs[0], matplotlib=True, show=False),
        lambda: shap.plots.beeswarm(three.to_shap()[:, :, "10"], show=False),
        lambda: shap.plots.bar(three.to_shap()[..., 0], show=False),
    ]:
        pyplot.figure()
        draw()
    pyplot.close("all")
