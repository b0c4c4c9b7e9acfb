//! What results depend on beside their unit, kept beside them, so that a run is not continued with
//! other settings.
//!
//! `settings.txt` holds one `name: value` per line: the seed, LIME's neighbours, the methods and the
//! hash of every data set. Repetitions, data sets and methods may be added later; anything else that
//! changes is an error.

use super::context::Context;
use super::options::Options;
use super::protocol::Protocol;
use crate::data::DataSet;
use crate::methods::Method;
use anyhow::{Context as _, Result, bail};
use std::path::Path;

/// The line of the methods' names.
const METHODS: &str = "methods";

/// Names with values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub lines: Vec<(String, String)>,
}

impl Settings {
    /// Those of a run; reads its data sets.
    pub fn new(
        options: &Options,
        methods: &[Method],
        sets: &[&'static DataSet],
        context: &Context,
    ) -> Result<Self> {
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        let mut lines = vec![
            ("version".into(), env!("CARGO_PKG_VERSION").into()),
            ("size".into(), options.effort().name().into()),
            ("seed".into(), options.seed.to_string()),
            (METHODS.into(), names.join(" ")),
        ];
        if options.protocol == Protocol::Reference {
            lines.push(("protocol".into(), "reference".into()));
        }
        if methods.contains(&Method::Lime) {
            lines.push(("neighbours of LIME".into(), options.lime_samples().to_string()));
        }
        for set in sets {
            let loaded = context.load(set)?;
            let table = &loaded.table;
            let what = format!(
                "{}, sha256 {}, {} rows, {} features",
                loaded.file,
                loaded.hash,
                table.x.rows(),
                table.x.cols()
            );
            lines.push((format!("data {}", set.key), what));
        }
        Ok(Self { lines })
    }

    /// Compares with the settings of the results that are there, and writes them down.
    pub fn keep(&self, path: &Path) -> Result<()> {
        let mut all = self.lines.clone();
        if path.exists() {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            for (name, before) in text.lines().filter_map(|line| line.split_once(": ")) {
                match all.iter_mut().find(|(known, _)| known == name) {
                    Some((_, now)) if name == METHODS => *now = joined(before, now),
                    Some((_, now)) if now != before => bail!(
                        "{}: the results there were made with {name} {before}, not {now}; continue with the same, or \
                         choose another --out",
                        path.display()
                    ),
                    Some(_) => {}
                    None => all.push((name.into(), before.into())),
                }
            }
        }
        let text: String = all.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        Ok(lmdi_io::atomic::write(path, text.as_bytes())?)
    }
}

/// The names of both lists, each once.
fn joined(before: &str, now: &str) -> String {
    let is_new = |name: &&str| before.split(' ').all(|known| known != *name);
    let all: Vec<&str> = before.split(' ').chain(now.split(' ').filter(is_new)).collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_settings_are_refused_and_new_data_sets_and_methods_join() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("settings.txt");
        let settings = |list: &[(&str, &str)]| Settings {
            lines: list.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
        };
        let first = [("seed", "0"), ("methods", "lime maple"), ("data a", "1")];
        settings(&first).keep(&path).expect("new");
        let more = [("seed", "0"), ("methods", "saabas lime"), ("data b", "2")];
        settings(&more).keep(&path).expect("another data set and method");
        let text = std::fs::read_to_string(&path).expect("text");
        assert_eq!(text, "seed: 0\nmethods: lime maple saabas\ndata b: 2\ndata a: 1\n");
        let error = settings(&[("seed", "1")]).keep(&path).expect_err("another seed").to_string();
        assert!(error.contains("seed 0, not 1"), "{error}");
    }
}
