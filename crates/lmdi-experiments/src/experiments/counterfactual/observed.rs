//! Counterfactuals (section 7): how far the nearest row of the other class is when nearness is
//! measured between scores.

use super::nearest::{METHODS, OBSERVED, mean_differences};
use crate::data::{DataSet, Kind, catalogue::find, prepare};
use crate::experiments::unit::{FIELDS, Unit};
use crate::methods::Method;
use crate::report::markdown::{Table, number};
use crate::report::paper;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;

/// The experiment.
pub struct Counterfactual {
    methods: Vec<Method>,
}

impl Counterfactual {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&METHODS)? })
    }
}

impl Experiment for Counterfactual {
    type Unit = Unit;

    const NAME: &'static str = "counterfactual";
    const TITLE: &'static str = "Counterfactuals: distance to the nearest row of the other class";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[60], &[600], &[2000]));
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 10));
        Ok(Unit::all(&self.sets(options)?, &sizes, repetitions))
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        unit.fields()
    }

    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>> {
        Ok(options.sets()?.into_iter().filter(|set| set.kind == Kind::Classification).collect())
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let split = prepare(&context.load(unit.set)?.table, unit.n, 0.5, draws);
        let found = mean_differences(&split, methods, context, draws)?;
        let distance = |(method, differences): (&'static str, Vec<f64>)| Measurement {
            method,
            measure: "distance".into(),
            value: differences.iter().sum(),
        };
        Ok(found.into_iter().map(distance).collect())
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let printed = [Method::LmdiScore, Method::Lime, Method::TreeShap, Method::LocalMdi];
        let mut heading = vec!["data set".to_owned()];
        for name in paper::METHODS {
            heading.extend([format!("{name}: paper"), "here".into()]);
        }
        heading.extend(
            ["LMDI+ model", "LMDI+ data", "Saabas", "MAPLE", "nearest by cells"].map(String::from),
        );
        let mut table = Table::new(heading);
        for (key, theirs) in &paper::COUNTERFACTUALS {
            let here = |method: &str| {
                let picked = records.summary(|record| {
                    record.method == method && records.has(record, &[("set", key)])
                });
                number(picked.mean, 1)
            };
            let mut cells = vec![find(key).map_or(*key, |set| set.title).to_owned()];
            for (method, theirs) in printed.iter().zip(theirs) {
                cells.extend([number(*theirs, 1), here(method.name())]);
            }
            let others = [Method::ModelScore, Method::DataScore, Method::Saabas, Method::Maple];
            let others = others.map(Method::name);
            cells.extend(others.into_iter().chain([OBSERVED]).map(here));
            table.row(cells);
        }
        let text = format!(
            "Mean l1 distance, over standardised features, between a test row and its counterfactual: the training row with another predicted class that is nearest in l1 between scores. Smaller is better; the search among the cells themselves (last column) is the smallest there can be. LMDI+ is by score.\n\n{}",
            table.text()
        );
        Ok(Page { text, pictures: Vec::new() })
    }
}
