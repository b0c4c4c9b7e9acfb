"""What a type checker says about misspelt choices."""

import pytest

WRONG = """
import lmdi

lmdi.LMDIPlus(None, preset="papre")
lmdi.LMDIPlus(None, fit_on="outofbag")
lmdi.LIME(None, None, feature_selection="best")
lmdi.TreeSHAP(None, model_output="odds")
lmdi.RandomForestRegressor(criterion="gini")
explanation: lmdi.Explanation = lmdi.TreeSHAP(None)([[1.0]])
explanation.plot.bar().figure
size: int = explanation.values
"""


def test_misspelt_choices_are_found(tmp_path):
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "wrong.py"
    script.write_text(WRONG)
    told, _, _ = api.run(["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(script)])
    lines = [int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line]
    assert lines == [4, 5, 6, 7, 8, 11], told
