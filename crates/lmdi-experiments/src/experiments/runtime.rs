//! Runtime (section 9): seconds per row, over leaf sizes and numbers of trees.
//!
//! Four data sets of 2,000 rows, of which 67 % train the forest. Measured is the time that a method
//! needs to get ready (LMDI+ fits its linear models) and to explain the training rows, divided by
//! their number, on one thread. Training the forest does not count. The paper used 16 cores.

use crate::data::prepare::THIRD;
use crate::data::{DataSet, catalogue::find, prepare};
use crate::ensemble::EnsembleKind;
use crate::methods::{Explained, Method};
use crate::report::markdown::Table;
use crate::report::paper;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;
use lmdi_io::interrupt::UntilInterrupted;
use rand::Rng;
use std::time::Instant;

/// The paper's, in its order, and the library's default.
const METHODS: [Method; 5] =
    [Method::LmdiScore, Method::Lime, Method::TreeShap, Method::LocalMdi, Method::DataScore];

/// The experiment.
pub struct Runtime {
    methods: Vec<Method>,
}

/// A data set, a forest and the repetition.
pub struct Unit {
    set: &'static DataSet,
    n: usize,
    trees: usize,
    leaf: usize,
    repetition: usize,
}

impl Runtime {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&METHODS)? })
    }
}

impl Experiment for Runtime {
    type Unit = Unit;

    const NAME: &'static str = "runtime";
    const TITLE: &'static str = "Runtime: seconds per row";
    const FIELDS: &'static [&'static str] = &["set", "n", "trees", "leaf", "repetition"];
    const SIDE_BY_SIDE: bool = false;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let n = options.sizes(effort.pick(&[60], &[500], &[2000]))[0];
        let most_trees = effort.pick(100, 500, 1000);
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 5));
        let sets = self.sets(options)?;
        let mut units = Vec::new();
        for repetition in 0..repetitions {
            for &(key, trees, leaf, _) in
                paper::RUNTIMES.iter().filter(|(_, trees, ..)| *trees <= most_trees)
            {
                let set = sets.iter().find(|set| set.key == key);
                units.extend(set.map(|&set| Unit { set, n, trees, leaf, repetition }));
            }
        }
        Ok(units)
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        vec![
            unit.set.key.into(),
            unit.n.to_string(),
            unit.trees.to_string(),
            unit.leaf.to_string(),
            unit.repetition.to_string(),
        ]
    }

    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>> {
        let printed = |set: &&DataSet| paper::RUNTIMES.iter().any(|(key, ..)| *key == set.key);
        Ok(options.sets()?.into_iter().filter(printed).collect())
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&self.fields(unit));
        let split = prepare(&context.load(unit.set)?.table, unit.n, THIRD, draws);
        let model = EnsembleKind::Sized { trees: unit.trees, leaf: unit.leaf };
        let ensemble = model.train(&split.train, draws.next_u64(), &UntilInterrupted)?;
        let explained = Explained::new(&ensemble, &split.train, context, draws.next_u64());
        let rows = split.train.rows() as f64;
        let mut measured = Vec::new();
        for &method in methods {
            let start = Instant::now();
            explained.scores(method, &split.train.view(), &UntilInterrupted)?;
            let value = start.elapsed().as_secs_f64() / rows;
            measured.push(Measurement {
                method: method.name(),
                measure: "seconds_a_row".into(),
                value,
            });
        }
        Ok(measured)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut heading = vec!["data set".to_owned(), "trees".into(), "leaf".into()];
        for name in paper::METHODS {
            heading.extend([format!("{name}: paper"), "here".into()]);
        }
        heading.push("LMDI+ data: here".into());
        let mut table = Table::new(heading);
        for (key, trees, leaf, theirs) in &paper::RUNTIMES {
            let mut cells = vec![
                find(key).map_or(*key, |set| set.title).to_owned(),
                trees.to_string(),
                leaf.to_string(),
            ];
            let (trees, leaf) = (trees.to_string(), leaf.to_string());
            let here = |method: Method| {
                let picked = records.summary(|record| {
                    record.method == method.name()
                        && records.has(record, &[("set", key), ("trees", &trees), ("leaf", &leaf)])
                });
                if picked.n == 0 { "–".into() } else { format!("{:.2e}", picked.mean) }
            };
            for (&method, theirs) in METHODS.iter().zip(theirs) {
                cells.extend([format!("{theirs:.4}"), here(method)]);
            }
            cells.push(here(Method::DataScore));
            table.row(cells);
        }
        let text = format!(
            "Seconds per row to get ready and to explain the training rows. The paper ran Python code on 16 cores; here one thread of this library, so the two cannot be compared one to one, but the proportions between methods can.\n\n{}",
            table.text()
        );
        Ok(Page { text, pictures: Vec::new() })
    }
}
