//! ARFF, the text format of OpenML.
//!
//! ```text
//! % a comment
//! @RELATION houses
//! @ATTRIBUTE area NUMERIC
//! @ATTRIBUTE 'kind of roof' {flat, 'very steep'}
//! @DATA
//! 120.5, flat
//! ?, 'very steep'
//! {0 80}
//! ```
//!
//! Numeric, real and integer columns become numbers, all others text. `?` is missing. A row in
//! braces is sparse: pairs of a column's index and its cell, other cells being zero (of a column of
//! text: its first label). Keywords may be in any case.

use anyhow::{Context, Result, bail, ensure};
use lmdi::table::{Column, Frame, Labels, Values};

/// A column that is declared.
struct Attribute {
    name: String,
    numeric: bool,
    /// What a cell is that a sparse row leaves out.
    absent: String,
    cells: Vec<Option<String>>,
}

/// Reads a table from the text of an ARFF file.
pub fn read_arff(text: &str) -> Result<Frame> {
    let mut attributes: Vec<Attribute> = Vec::new();
    let mut in_data = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        let place = || format!("line {}", index + 1);
        if in_data {
            row(line, &mut attributes).with_context(place)?;
            continue;
        }
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match keyword.to_ascii_lowercase().as_str() {
            "@relation" => {}
            "@attribute" => attributes.push(attribute(rest).with_context(place)?),
            "@data" => in_data = true,
            _ => bail!("{}: found {keyword:?}; expected @attribute or @data", place()),
        }
    }
    ensure!(in_data, "there is no @data line; expected an ARFF file");
    let columns = attributes.into_iter().map(Attribute::finish).collect::<Result<Vec<_>>>()?;
    Ok(Frame::new(columns)?)
}

/// A declaration: a name and a type.
fn attribute(text: &str) -> Result<Attribute> {
    let (name, rest) = word(text.trim_start(), char::is_whitespace)?;
    let kind = rest.trim();
    let labels = kind.strip_prefix('{').map(|labels| labels.trim_end().trim_end_matches('}'));
    let numeric = ["numeric", "real", "integer"].contains(&kind.to_ascii_lowercase().as_str());
    let absent = match labels {
        Some(labels) => word(labels.trim_start(), |c| c == ',')?.0,
        None if numeric => "0".into(),
        None => String::new(),
    };
    ensure!(!kind.is_empty(), "attribute {name:?} has no type");
    Ok(Attribute { name, numeric, absent, cells: Vec::new() })
}

/// A row of cells, dense or sparse.
fn row(line: &str, attributes: &mut [Attribute]) -> Result<()> {
    if let Some(pairs) = line.strip_prefix('{') {
        let pairs = pairs.trim_end().strip_suffix('}').context("a sparse row ends without }")?;
        for attribute in attributes.iter_mut() {
            attribute.cells.push(Some(attribute.absent.clone()));
        }
        for pair in cells(pairs)? {
            let pair = pair.unwrap_or_default();
            let (index, cell) =
                pair.split_once(char::is_whitespace).context("a sparse cell has no value")?;
            let index: usize = index.parse().context("the index of a sparse cell")?;
            let column =
                attributes.get_mut(index).context("the index of a sparse cell is too large")?;
            let (cell, _) = word(cell.trim(), |_| false)?;
            column.cells.pop();
            column.cells.push((cell != "?").then_some(cell));
        }
        return Ok(());
    }
    let cells = cells(line)?;
    ensure!(
        cells.len() == attributes.len(),
        "found {} cells; expected {}, one an attribute",
        cells.len(),
        attributes.len()
    );
    for (attribute, cell) in attributes.iter_mut().zip(cells) {
        attribute.cells.push(cell);
    }
    Ok(())
}

/// Cells between commas; `None` where one is missing.
fn cells(line: &str) -> Result<Vec<Option<String>>> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let quoted = rest.starts_with(['\'', '"']);
        let (cell, after) = word(rest, |c| c == ',')?;
        let cell = if quoted { cell } else { cell.trim().to_owned() };
        cells.push((quoted || cell != "?").then_some(cell));
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None => {
                ensure!(rest.is_empty(), "found {rest:?} after a quoted cell; expected a comma")
            }
        }
    }
    Ok(cells)
}

/// A word, in quotes or up to a character that ends it, and what follows. In quotes a backslash
/// keeps the next character.
fn word(text: &str, ends: impl Fn(char) -> bool) -> Result<(String, &str)> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let end = text.find(ends).unwrap_or(text.len());
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut word = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => word.extend(letters.next().map(|(_, letter)| letter)),
            letter if letter == quote => return Ok((word, &text[at + letter.len_utf8()..])),
            letter => word.push(letter),
        }
    }
    bail!("a quote is not closed")
}

impl Attribute {
    fn finish(self) -> Result<Column> {
        let values = if self.numeric {
            let number = |(row, cell): (usize, &Option<String>)| match cell {
                None => Ok(f64::NAN),
                Some(text) => {
                    text.parse::<f64>().ok().filter(|x| x.is_finite()).with_context(|| {
                        format!(
                            "column {:?}, row {}: found {text:?}; expected a number",
                            self.name,
                            row + 1
                        )
                    })
                }
            };
            Values::Numbers(self.cells.iter().enumerate().map(number).collect::<Result<_>>()?)
        } else {
            Values::Labels(self.cells.iter().map(Option::as_deref).collect::<Labels>())
        };
        Ok(Column { name: self.name, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(frame: &Frame, name: &str) -> Vec<f64> {
        match &frame.column(name).expect("a column").values {
            Values::Numbers(cells) => cells.clone(),
            Values::Labels(_) => panic!("{name} is text"),
        }
    }

    fn texts(frame: &Frame, name: &str) -> Vec<Option<String>> {
        let column = frame.column(name).expect("a column");
        (0..frame.rows()).map(|row| column.values.text(row)).collect()
    }

    #[test]
    fn dense_and_sparse_rows() {
        let text = "% a comment\n@RELATION houses\n\n@attribute area REAL\n\
                    @ATTRIBUTE 'kind of roof' {flat, 'very steep', 'it\\'s round'}\n@attribute n integer\n@DATA\n\
                    120.5,flat,3\n?, 'very steep' , 4\n% between\n80,'it\\'s round',?\n{0 7, 1 'very steep'}\n{2 5}\n";
        let frame = read_arff(text).expect("a table");
        let area = numbers(&frame, "area");
        assert_eq!((area[0], area[2], area[3], area[4]), (120.5, 80.0, 7.0, 0.0));
        assert!(area[1].is_nan());
        let roofs = texts(&frame, "kind of roof");
        let expected = ["flat", "very steep", "it's round", "very steep", "flat"];
        assert_eq!(roofs, expected.map(|roof| Some(roof.to_owned())));
        assert_eq!((numbers(&frame, "n")[0], numbers(&frame, "n")[4]), (3.0, 5.0));
    }

    #[test]
    fn errors_say_where() {
        for (text, expected) in [
            ("@attribute a real\n@data\n1,2\n", "line 3"),
            ("@attribute a real\n1,2\n", "line 2"),
            ("@attribute a real\n", "no @data"),
            ("@attribute a real\n@data\nx\n", "row 1"),
            ("@attribute a string\n@data\n'x\n", "not closed"),
            ("@attribute a real\n@data\n{4 1}\n", "too large"),
        ] {
            let error = format!("{:#}", read_arff(text).expect_err(text));
            assert!(error.contains(expected), "{error}");
        }
    }
}
