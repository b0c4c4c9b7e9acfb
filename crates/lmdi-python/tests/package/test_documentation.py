"""The guide's code blocks and the docstrings' examples run."""

import ast
import doctest
import importlib
import json
import pathlib
import pkgutil
import re
import runpy

import pytest

import lmdi

ROOT = pathlib.Path(__file__).resolve().parents[4]


def modules():
    names = ["lmdi"]
    names += [found.name for found in pkgutil.walk_packages(lmdi.__path__, "lmdi.")]
    return [name for name in names if not name.endswith(("._lmdi", ".__main__"))]


@pytest.mark.parametrize("name", modules())
def test_docstrings(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_the_guide(tmp_path, monkeypatch, capsys):
    """Blocks run in their order and share their names, as a reader would type them."""
    from matplotlib import pyplot

    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 8
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert (tmp_path / "row0.png").stat().st_size > 1000
    pyplot.close("all")


def test_pictures_of_the_docs_are_there_and_all_are_shown():
    images = {path.name for path in (ROOT / "docs" / "images").iterdir()}
    named = set()
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        named |= set(re.findall(r"images/([\w.-]+\.(?:png|svg))", page.read_text()))
    assert named == images


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks(path):
    """Cells run in their order; what the last line of a cell gives can be shown."""
    from matplotlib import pyplot

    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 5 and all(not cell["outputs"] for cell in cells)
    names = {}
    for cell in cells:
        *before, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(before, []), path.name, "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
            assert repr(shown) and getattr(shown, "_repr_html_", lambda: "table")()
        else:
            exec(compile(ast.Module([last], []), path.name, "exec"), names)
    pyplot.close("all")


def test_the_script_on_large_tables(capsys):
    runpy.run_path(str(ROOT / "examples" / "beyond_memory.py"))
    assert "differs by" in capsys.readouterr().out


def test_public_names_have_documentation():
    for name in lmdi.__all__:
        thing = getattr(lmdi, name)
        if callable(thing):
            assert thing.__doc__, name
            for part, member in vars(thing).items() if isinstance(thing, type) else []:
                if callable(member) and not part.startswith("_"):
                    assert member.__doc__, f"{name}.{part}"
