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
    assert one[3].values.tolist() == one.values[3].tolist()
    assert one[-1].data.shape == (6,)
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
    legend = e.plot.scatter("x", color="colour").get_legend()
    assert sorted(t.get_text() for t in legend.get_texts()) == ["blue", "red"]
    assert legend.get_title().get_text() == "colour"
    # Codes are in no order: dots of categories are not coloured from low to high.
    dots = e.plot.beeswarm().collections
    assert sum(line.get_array() is not None for line in dots) == 1
    assert any("colour = " in t.get_text() for t in e.plot.waterfall(0).get_yticklabels())


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
        lambda ax: one.plot.scatter(0, color="auto", ax=ax),
        lambda ax: one.plot.heatmap(ax=ax),
        lambda ax: one.plot.decision(ax=ax),
        lambda ax: three.plot.decision(max_display=3, output="10", ax=ax),
        lambda ax: one.plot.compare(one[:50], labels=("all", "some"), max_display=3, ax=ax),
    ]:
        figure, ax = pyplot.subplots()
        assert draw(ax) is ax
        figure.canvas.draw()
        pyplot.close(figure)
    assert one.plot.bar() is not one.plot.bar()
    pyplot.close("all")


def test_a_decision_plot_leads_from_the_base_to_what_is_explained(one):
    ax = one[:30].plot.decision(max_display=3)
    paths = ax.collections[0].get_segments()
    assert len(paths) == 30
    for row, path in enumerate(paths):
        np.testing.assert_allclose(path[0][0], one.base_values[row])
        np.testing.assert_allclose(path[-1][0], one.explained[row])
        assert len(path) == 4


def test_a_waterfall_has_error_bars_where_they_are_known(data):
    from matplotlib import pyplot
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(8, min_samples_leaf=5, random_state=0).fit(data.X, data.y)
    explainer = lmdi.LMDIPlus(forest).fit(data.X, data.y)
    e = explainer.explain(data.X, std_error=True)
    ax = e.plot.waterfall(3, max_display=20)
    order = np.argsort(-np.abs(e.values[3]), kind="stable")
    bars = [bar for bar in ax.containers if hasattr(bar, "has_xerr")]
    lines = [bar.lines[2][0].get_segments()[0] for bar in bars]
    lengths = [end[0] - start[0] for start, end in lines]
    np.testing.assert_allclose(lengths, 4 * e.std_error[3][order])
    # Each is around the end of its bar, read from the base up.
    ends = e.explained[3] - np.concatenate([[0], np.cumsum(e.values[3][order])[:-1]])
    np.testing.assert_allclose([(start[0] + end[0]) / 2 for start, end in lines], ends)
    plain = explainer.explain(data.X).plot.waterfall(3)
    assert not [bar for bar in plain.containers if hasattr(bar, "has_xerr")]
    pyplot.close("all")


def test_a_comparison_shows_shares_and_needs_the_same_columns(one):
    ax = one.plot.compare(one, labels=("a", "b"))
    lengths = [patch.get_width() for patch in ax.patches]
    half = len(lengths) // 2
    np.testing.assert_allclose(lengths[:half], lengths[half:])
    np.testing.assert_allclose(sum(lengths[:half]), 1.0)
    with pytest.raises(ValueError, match="same columns"):
        one.plot.compare(one.grouped({"money": ["income", "debt"]}))
    with pytest.raises(ValueError, match="labels has 1"):
        one.plot.compare(one, labels=("a",))


def test_the_column_that_interacts_is_found():
    from lmdi._plots.interaction import strongest_interaction

    cells = np.random.default_rng(0).uniform(-1, 1, (500, 3))

    class Rows:
        data = cells
        values = np.column_stack([cells[:, 0] * 2 + cells[:, 2] * 0.5, cells[:, 1], cells[:, 2]])
        feature_names = ("a", "b", "c")

    assert strongest_interaction(Rows(), 0) == 2


def test_bars_have_the_length_of_the_importances(one):
    ax = one.plot.bar()
    lengths = [patch.get_width() for patch in ax.patches]
    np.testing.assert_allclose(lengths, np.sort(np.abs(one.values).mean(axis=0))[::-1])


def test_a_waterfall_ends_at_the_prediction(one):
    ax = one.plot.waterfall(4, max_display=4)
    steps = [patch.get_width() for patch in ax.patches]
    n_left = 2 if one.out_of_bag else 1
    assert len(steps) == 4 + n_left
    np.testing.assert_allclose(sum(steps[n_left:]), one.values[4].sum())
    np.testing.assert_allclose(one.base_values[4] + sum(steps), one.prediction[4])
    assert [bool(patch.get_hatch()) for patch in ax.patches] == [*[True] * n_left, *[False] * 4]
    lines = [text.get_text() for text in ax.get_yticklabels()]
    assert lines[0] == "prediction" and lines[n_left] == "not explained" and lines[-1] == "base value"
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
    shown = [t.get_text() for t in water.get_yticklabels()][1:-1]
    assert sorted(text.rsplit(" = ", 1)[0] for text in shown) == sorted(drawn)
    for ax in (bar, water, one.plot.beeswarm(), one.plot.heatmap(), one.plot.scatter(0, color=1)):
        ax.figure.canvas.draw()
    pyplot.close("all")


def test_numbers_on_plots_are_short():
    from lmdi._plots.drawing.words import number, short

    assert [short(x) for x in (440000.0, 2017, -80.16056, 1.5e9, 0.0)] == [
        "440,000",
        "2017",
        "−80.16",
        "1.5e9",
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


def test_rows_are_iterated_and_bounded_as_in_numpy(one, three):
    assert len(list(one)) == len(one) == 300
    assert np.array_equal([row.values for row in one], one.values)
    assert np.array_equal(np.asarray(one), one.values)
    assert np.array_equal(np.asarray(three, dtype=np.float32), three.values.astype(np.float32))
    assert np.array_equal(one[-300].values, one.values[0])
    for beyond in (300, -301, 99999):
        with pytest.raises(IndexError, match="there are 300 rows"):
            one[beyond]
    with pytest.raises(IndexError, match="there are 6"):
        one[:, 6]


def test_every_axis_is_selected_by_name_or_position(one, three):
    assert np.array_equal(one[:, "debt"].values, one.values[:, 3])
    assert np.array_equal(one[:, "debt"].data, one.data[:, 3], equal_nan=True)
    assert np.array_equal(one[:, ["debt", "age"]].values, one.values[:, [3, 0]])
    assert one[:, ["debt", "age"]].feature_names == ["debt", "age"]
    assert np.array_equal(one[:, 1:3].values, one.values[:, 1:3])
    assert one[7, "debt"].values == one.values[7, 3]
    assert one[7, "debt"].base_values == one.base_values[7]
    assert np.array_equal(one[7]["debt"].values, one.values[7, 3])
    assert np.array_equal(three[:, :, 2].values, three.values[:, :, 2])
    assert np.array_equal(three[:, :, "20"].base_values, three.base_values[:, 2])
    assert np.array_equal(three[:, "debt", 1].values, three.values[:, 3, 1])
    assert np.array_equal(three[4].values, three.values[4])
    assert np.array_equal(three[4, :, ["0", "20"]].values, three.values[4][:, [0, 2]])
    assert np.array_equal(one[one.values[:, 0] > 0].values, one.values[one.values[:, 0] > 0])
    assert np.array_equal(one[[5, 2]].std_error, one.std_error[[5, 2]])
    with pytest.raises(ValueError, match="no column 'agee'"):
        one[:, "agee"]
    with pytest.raises(IndexError, match="for a column write"):
        one["debt"]
    with pytest.raises(IndexError, match="there is one"):
        one[:, :, 1]
    with pytest.raises(IndexError, match="4 indices"):
        three[0, 0, 0, 0]


def test_a_row_or_column_alone_is_an_explanation_still(one, three):
    row = one[3]
    assert row.top(1)[0] == one.top(1)[3]
    assert np.array_equal(row.sizes(), one.sizes()[3:4])
    assert row.to_frame().shape == (1, 10)
    assert np.array_equal(row.to_shap().values, one.values[3])
    assert three[3].to_shap().values.shape == (6, 3)
    row.plot.waterfall()
    row.plot.bar()
    assert row.grouped({"money": ["income", "debt"]}).values.shape == (5,)
    column = one[:, "debt"]
    np.testing.assert_allclose(column.importance()["debt"], one.importance()["debt"], rtol=1e-12)


def test_importances_are_named(one):
    found = one.importance()
    assert list(found.index) == NAMES and found.name == "importance"
    np.testing.assert_allclose(found.to_numpy(), np.abs(one.values).mean(axis=0))


def test_frames_keep_the_index_of_rows(data, table):
    named = table.set_axis([f"r{at}" for at in range(len(table))])
    model = RandomForestClassifier(5, min_samples_leaf=5, random_state=0).fit(named, data.three)
    e = lmdi.TreeSHAP(model).explain(named)
    assert list(e.to_frame().index) == list(named.index)
    assert list(e[[4, 2]].to_frame().index) == ["r4", "r2"] and list(e[4].to_frame().index) == ["r4"]
    long = e[:3].to_frame(long=True)
    assert list(long.columns) == ["output", "feature", "data", "value", "base_value"]
    assert len(long) == 3 * 6 * 3 and list(long.index.unique()) == ["r0", "r1", "r2"]
    one_cell = long[(long.index == "r1") & (long.feature == "debt") & (long.output == "20")]
    assert one_cell.value.item() == e.values[1, 3, 2]
    assert one_cell.base_value.item() == e.base_values[1, 2]
    assert one_cell.data.item() == named.loc["r1", "debt"]
    single = e[..., "10"][:2].to_frame(long=True)
    assert list(single.columns) == ["feature", "data", "value", "base_value"] and len(single) == 12


def test_groups_keep_their_cells():
    cells = np.array([[1.0, 0.0, 2.5, 7.0], [0.0, 1.0, np.nan, 8.0], [0.0, 0.0, 1.0, 9.0]])
    names = ["red", "blue", "size", "age"]
    e = lmdi.Explanation(np.ones((3, 4)), np.zeros(3), cells, names)
    colour = e.grouped({"colour": ["red", "blue"]})
    assert colour.display_data[:, 0].tolist() == ["red", "blue", None]
    assert colour.data[:, 2].tolist() == [7.0, 8.0, 9.0]
    # A group of other columns has no cell of its own.
    assert np.isnan(e.grouped({"both": ["size", "age"]}).data[:, 2]).all()


def test_notebooks_show_a_table_of_escaped_names():
    hostile = "<script>alert(1)</script>\x1b[31m"
    e = lmdi.Explanation(np.ones((2, 1)), np.zeros(2), feature_names=[hostile])
    shown = e._repr_html_()
    assert "&lt;script&gt;" in shown and "<script" not in shown and "\x1b" not in shown
    assert "mean |value|" in shown
    assert e[:0]._repr_html_().count("<p>") == 1


@pytest.mark.parametrize("k", [-1, 0, 1.5, True])
def test_top_needs_a_positive_number(one, k):
    with pytest.raises(ValueError, match="k is .*; expected a whole number of at least 1"):
        one.top(k)


def test_plots_are_readable_on_a_dark_background(one):
    """What is drawn outside of bars takes the colour of the style."""
    from matplotlib import colors, pyplot

    with pyplot.style.context("dark_background"):
        for ax in (one.plot.waterfall(0), one.plot.bar(), one[0].plot.bar(), one.plot.beeswarm()):
            bars = [patch.get_facecolor()[:3] for patch in ax.patches]
            for text in ax.texts:
                colour = colors.to_rgb(text.get_color())
                assert colour == (1.0, 1.0, 1.0), text.get_text()
                assert colour not in bars
    pyplot.close("all")


def test_long_names_that_differ_in_the_middle_are_told_apart():
    from matplotlib import pyplot

    names = [f"{'a' * 40}_{middle}_{'z' * 40}" for middle in ("left", "right", "l" * 60, "l" * 61)]
    e = lmdi.Explanation(np.ones((3, 4)), np.zeros(3), np.ones((3, 4)), names)
    shown = [text.get_text() for text in e.plot.bar().get_yticklabels()]
    assert len(set(shown)) == 4
    assert any("left" in text for text in shown) and any("right" in text for text in shown)
    pyplot.close("all")


def test_the_colour_bar_names_what_it_shows(one):
    from matplotlib import pyplot

    assert one.plot.beeswarm().figure.axes[-1].get_ylabel() == "feature value"
    pyplot.close("all")


def test_the_sign_is_told_in_words(data):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    def told(y, kind=RandomForestRegressor):
        return lmdi.TreeSHAP(kind(3, random_state=0).fit(data.X, y)).explain(data.X)

    assert told(data.y).meaning == "A value above 0 raises the prediction; one below 0 lowers it."
    assert "the probability of yes;" in told(data.two, RandomForestClassifier).meaning
    three = told(data.three, RandomForestClassifier)
    assert "its class" in three.meaning and "of 10;" in three[..., "10"].meaning
    both = told(np.column_stack([data.y, -data.y]))
    assert "prediction of its target" in both.meaning and "prediction of y1" in both[..., "y1"].meaning
    odds = lmdi.Explanation(np.zeros((1, 1)), np.zeros(1), output_names=["<b>"], scale="log_odds")
    assert "the odds of <b>;" in odds.meaning and "the odds of &lt;b&gt;" in odds._repr_html_()


def test_features_named_like_our_columns_keep_their_scores(data):
    names = ["base_value", "prediction", "explained", "base_value_", "e", "f"]
    X = pd.DataFrame(data.X, columns=names)
    model = RandomForestRegressor(5, random_state=0).fit(X, data.y)
    e = lmdi.TreeSHAP(model).explain(X)
    frame = e.to_frame()
    assert np.array_equal(frame[names], e.values)
    assert list(frame)[6:] == ["base_value__", "explained_", "unexplained", "prediction_"]
    np.testing.assert_allclose(frame["prediction_"], e.prediction)


def test_columns_of_one_name_stay_apart_in_groups(data):
    model = RandomForestRegressor(5, random_state=0).fit(data.X, data.y)
    e = lmdi.TreeSHAP(model).explain(pd.DataFrame(data.X, columns=list("aabcde")))
    grouped = e.grouped({"rest": ["d", "e"]})
    assert grouped.feature_names == ["a", "a", "b", "c", "rest"]
    assert np.array_equal(grouped.values[:, :4], e.values[:, :4])
