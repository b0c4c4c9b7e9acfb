//! The result file: tidy CSV, one measurement per row.
//!
//! The columns are the fields of the unit, the method, the measure, the value, and how many rows
//! were written together. The rows of a unit are added in one write when it is finished, and those
//! of further methods in another; if fewer rows than that follow each other, they were cut off, and
//! are measured again. At the end of a run the file is rewritten in the order of units and methods,
//! so that neither threads nor interruptions change its bytes.

use super::experiment::Measurement;
use anyhow::{Context, Result, bail, ensure};
use lmdi::table::number_text;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One measurement of one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Cells of the unit's fields.
    pub unit: Vec<String>,
    pub method: String,
    pub measure: String,
    pub value: f64,
}

/// All measurements, and the names of the fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    pub fields: Vec<&'static str>,
    pub all: Vec<Record>,
}

impl Records {
    /// The cell of a field.
    pub fn field<'r>(&self, record: &'r Record, name: &str) -> &'r str {
        let at = self.fields.iter().position(|field| *field == name);
        at.map_or("", |at| &record.unit[at])
    }

    /// The different cells of a field, in the order of the file.
    pub fn values(&self, name: &str) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for record in &self.all {
            let value = self.field(record, name);
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        values
    }

    /// How many repetitions there are: the fewest and the most of any setting and method.
    pub fn repetitions(&self) -> (usize, usize) {
        let mut counts: BTreeMap<(&[String], &str), Vec<&str>> = BTreeMap::new();
        for record in &self.all {
            if let Some((repetition, setting)) = record.unit.split_last() {
                let known = counts.entry((setting, &record.method)).or_default();
                if !known.contains(&repetition.as_str()) {
                    known.push(repetition);
                }
            }
        }
        let lengths = || counts.values().map(Vec::len);
        (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
    }
}

/// A result file that is added to.
pub struct ResultFile {
    path: PathBuf,
    fields: &'static [&'static str],
    file: File,
}

impl ResultFile {
    /// Opens or starts the file, and reads the writes that are complete.
    pub fn open(path: &Path, fields: &'static [&'static str]) -> Result<(Self, Records)> {
        let known = if path.exists() { read(path, fields)? } else { Vec::new() };
        let records = Records { fields: fields.to_vec(), all: known };
        // What was cut off goes, and the file starts with its heading.
        rewrite(path, &records)?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.with_context(|| path.display().to_string())?;
        Ok((Self { path: path.to_owned(), fields, file }, records))
    }

    /// Adds the rows of a unit in one write.
    pub fn add(&mut self, unit: &[String], measured: &[Measurement]) -> Result<Vec<Record>> {
        ensure!(unit.len() == self.fields.len(), "a unit has {} fields", unit.len());
        let records: Vec<Record> = measured
            .iter()
            .map(|measured| Record {
                unit: unit.to_vec(),
                method: measured.method.to_owned(),
                measure: measured.measure.clone(),
                value: measured.value,
            })
            .collect();
        let bytes = lines(&records)?;
        self.file.write_all(&bytes).with_context(|| self.path.display().to_string())?;
        self.file.sync_data().with_context(|| self.path.display().to_string())?;
        Ok(records)
    }

    /// Rewrites the file in this order.
    pub fn finish(self, records: &Records) -> Result<()> {
        rewrite(&self.path, records)
    }
}

fn rewrite(path: &Path, records: &Records) -> Result<()> {
    let mut bytes = heading(&records.fields)?;
    bytes.extend(lines(&records.all)?);
    Ok(lmdi_io::atomic::write(path, &bytes)?)
}

const AFTER: [&str; 4] = ["method", "measure", "value", "rows"];

fn heading(fields: &[&'static str]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields.iter().chain(&AFTER))?;
    Ok(writer.into_inner()?)
}

/// Rows as CSV. The rows of a unit that follow each other are one write.
fn lines(records: &[Record]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for unit in records.chunk_by(|a, b| a.unit == b.unit) {
        for record in unit {
            let value =
                if record.value.is_nan() { String::new() } else { number_text(record.value) };
            let after = [&record.method, &record.measure, &value, &unit.len().to_string()];
            writer.write_record(record.unit.iter().chain(after))?;
        }
    }
    Ok(writer.into_inner()?)
}

/// The complete writes of a file. A last line that was cut off is no error.
fn read(path: &Path, fields: &[&'static str]) -> Result<Vec<Record>> {
    let name = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(name)?;
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole.as_bytes());
    let found: Vec<String> =
        reader.headers().with_context(name)?.iter().map(str::to_owned).collect();
    let expected: Vec<&str> = fields.iter().chain(&AFTER).copied().collect();
    if !found.is_empty() && found != expected {
        bail!(
            "{}: found the columns {found:?}; expected {expected:?}. Remove the file or choose another --out",
            name()
        );
    }
    let mut all: Vec<(usize, Record)> = Vec::new();
    for (index, row) in reader.records().enumerate() {
        let row = row.with_context(name)?;
        let cell = |at: usize| row.get(at).unwrap_or_default();
        let problem = || format!("{}, data row {}: not a row of this file", name(), index + 1);
        ensure!(row.len() == expected.len(), problem());
        let unit: Vec<String> = (0..fields.len()).map(|at| cell(at).to_owned()).collect();
        let at = fields.len();
        let value = match cell(at + 2) {
            "" => f64::NAN,
            text => text.parse().with_context(problem)?,
        };
        let rows: usize = cell(at + 3).parse().with_context(problem)?;
        let (method, measure) = (cell(at).to_owned(), cell(at + 1).to_owned());
        all.push((rows, Record { unit, method, measure, value }));
    }
    // Two writes of a unit, one after the other, may be equally long.
    let writes = all.chunk_by(|(rows, a), (next, b)| rows == next && a.unit == b.unit);
    let complete = writes.filter(|write| write.len().is_multiple_of(write[0].0));
    Ok(complete.flatten().map(|(_, record)| record.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[&str] = &["set", "repetition"];

    fn unit(set: &str, repetition: usize) -> Vec<String> {
        vec![set.into(), repetition.to_string()]
    }

    fn measured() -> Vec<Measurement> {
        let of = |method, value| Measurement { method, measure: "auroc".into(), value };
        vec![of("lime", 0.1), of("saabas", f64::NAN)]
    }

    #[test]
    fn a_unit_that_was_cut_off_is_forgotten() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("results.csv");
        let (mut file, records) = ResultFile::open(&path, FIELDS).expect("a new file");
        assert!(records.all.is_empty());
        file.add(&unit("a, \"quoted\"", 0), &measured()).expect("added");
        file.add(&unit("b", 0), &measured()).expect("added");
        let whole = std::fs::read_to_string(&path).expect("text");
        for cut in [1, 5, whole.len() - whole.rfind("\nb").expect("the last row") - 1] {
            std::fs::write(&path, &whole[..whole.len() - cut]).expect("written");
            let (_, records) = ResultFile::open(&path, FIELDS).expect("read");
            assert_eq!(records.all.len(), 2, "cut {cut}");
            assert_eq!(records.all[0].unit, unit("a, \"quoted\"", 0));
            assert!(records.all[1].value.is_nan());
        }
    }

    #[test]
    fn methods_that_are_added_to_a_unit_are_written_on_their_own() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("results.csv");
        let (mut file, _) = ResultFile::open(&path, FIELDS).expect("a new file");
        let of = |method| Measurement { method, measure: "auroc".into(), value: 0.5 };
        file.add(&unit("a", 0), &[of("lime"), of("saabas")]).expect("added");
        file.add(&unit("a", 0), &[of("maple"), of("tree_shap")]).expect("added");
        let (_, records) = ResultFile::open(&path, FIELDS).expect("read");
        assert_eq!(records.all.len(), 4);
        let whole = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, &whole[..whole.len() - 3]).expect("written");
        let (_, records) = ResultFile::open(&path, FIELDS).expect("read");
        assert!(records.all.len() < 4);
    }

    #[test]
    fn another_file_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("results.csv");
        std::fs::write(&path, "a,b\n1,2\n").expect("written");
        let error = ResultFile::open(&path, FIELDS).err().expect("not ours").to_string();
        assert!(error.contains("choose another --out"), "{error}");
    }

    #[test]
    fn repetitions_are_counted_by_setting() {
        let record = |set, repetition| Record {
            unit: unit(set, repetition),
            method: "lime".into(),
            measure: "auroc".into(),
            value: 0.5,
        };
        let all = vec![record("a", 0), record("a", 0), record("a", 1), record("b", 0)];
        let records = Records { fields: FIELDS.to_vec(), all };
        assert_eq!(records.repetitions(), (1, 2));
        assert_eq!(records.values("set"), ["a", "b"]);
    }
}
