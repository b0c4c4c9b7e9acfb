"""Makes fonts that have letters which the bundled font of lmdi's pictures lacks.

`squares.ttf` draws 年 and 字 as a square of one em, and 齢 and the Devanagari letter ka with its vowel sign
as its lower half. `colours.ttf` has 色 as layers in colour only. The shapes are ours, so that no licence comes
with them. Run `python make.py` with fonttools 4.68 to make them anew; the same version gives the same bytes.
"""

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

HERE = Path(__file__).parent
EM = 1000


def box(height):
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, height))
    pen.lineTo((EM, height))
    pen.lineTo((EM, 0))
    pen.closePath()
    return pen.glyph()


def font(name, letters, layers=None):
    glyphs = {".notdef": box(0), **{f"g{ord(letter):x}": box(height) for letter, height in letters.items()}}
    builder = FontBuilder(EM, isTTF=True)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap({ord(letter): f"g{ord(letter):x}" for letter in letters})
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics({glyph: (EM, 0) for glyph in glyphs})
    builder.setupHorizontalHeader(ascent=EM, descent=0)
    builder.setupNameTable({"familyName": name, "styleName": "Regular", "psName": name.replace(" ", "")})
    builder.setupOS2(sTypoAscender=EM, usWinAscent=EM, usWinDescent=0)
    builder.setupPost()
    builder.setupHead(unitsPerEm=EM, created=0, modified=0)
    if layers:
        builder.setupCOLR(layers)
        builder.setupCPAL([[(1.0, 0.0, 0.0, 1.0)]])
    builder.font.recalcTimestamp = False
    builder.save(HERE / f"{name.lower().split()[-1]}.ttf")


font("Test Squares", {"年": EM, "字": EM, "齢": EM // 2, "क": EM // 2, "ि": EM // 2})
font("Test Colours", {"色": EM}, layers={"g8272": [("g8272", 0)]})
