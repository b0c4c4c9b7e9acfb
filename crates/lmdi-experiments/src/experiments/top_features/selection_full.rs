//! Selection on whole data sets (appendix): without LIME and MAPLE, whose time grows too fast.

use super::protocol::{kept, selection};
use crate::data::prepare::THIRD;
use crate::data::{DataSet, catalogue::find, prepare};
use crate::ensemble::EnsembleKind;
use crate::experiments::unit::{FIELDS, Unit};
use crate::methods::Method;
use crate::report::markdown::{Table, number};
use crate::report::paper;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;

const METHODS: [Method; 7] = [
    Method::LmdiRank,
    Method::LmdiScore,
    Method::DataRank,
    Method::DataScore,
    Method::TreeShap,
    Method::LocalMdi,
    Method::Saabas,
];

/// Those that the paper has no numbers for.
const OTHERS: [(&str, Method); 4] = [
    ("LMDI+ by score", Method::LmdiScore),
    ("LMDI+ data by rank", Method::DataRank),
    ("LMDI+ data by score", Method::DataScore),
    ("Saabas", Method::Saabas),
];

const PERCENTS: [usize; 3] = [10, 20, 30];

/// The experiment.
pub struct SelectionFull {
    methods: Vec<Method>,
}

impl SelectionFull {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&METHODS)? })
    }
}

impl Experiment for SelectionFull {
    type Unit = Unit;

    const NAME: &'static str = "selection-full";
    const TITLE: &'static str = "Selection on whole data sets";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[80], &[3000], &[usize::MAX]));
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 5));
        Ok(Unit::all(&self.sets(options)?, &sizes, repetitions))
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        unit.fields()
    }

    /// The paper's six of those asked for.
    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>> {
        let printed =
            |set: &&DataSet| paper::SELECTION_FULL.iter().any(|(_, key, _)| *key == set.key);
        Ok(options.sets()?.into_iter().filter(printed).collect())
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let split = prepare(&context.load(unit.set)?.table, unit.n, THIRD, draws);
        selection(&split, EnsembleKind::Forest, methods, &PERCENTS, context, draws)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let rows = if records.values("n").iter().any(|n| n == "all") {
            ""
        } else {
            " Not whole here: a smaller run."
        };
        let mut text = format!(
            "R² (numbers) or AUROC (classes) on the test rows after retraining on the top features of each training row, as printed in the paper and as measured here.{rows}\n\n"
        );
        let printed = [
            ("LMDI+", Method::LmdiRank),
            ("TreeSHAP", Method::TreeShap),
            ("Local MDI", Method::LocalMdi),
        ];
        for percent in PERCENTS {
            let mut heading = vec!["data set".to_owned()];
            for (name, _) in printed {
                heading.extend([format!("{name}: paper"), "here".into()]);
            }
            heading.extend(OTHERS.map(|(name, _)| name.to_owned()));
            let mut table = Table::new(heading);
            for (_, key, theirs) in paper::SELECTION_FULL.iter().filter(|(k, ..)| *k == percent) {
                let here = |method: Method| {
                    let picked = records.summary(|record| {
                        record.method == method.name()
                            && record.measure == kept(percent)
                            && records.has(record, &[("set", key)])
                    });
                    number(picked.mean, 4)
                };
                let mut cells = vec![find(key).map_or(*key, |set| set.title).to_owned()];
                for ((_, method), theirs) in printed.iter().zip(theirs) {
                    cells.extend([number(*theirs, 4), here(*method)]);
                }
                cells.extend(OTHERS.map(|(_, method)| here(method)));
                table.row(cells);
            }
            text.push_str(&format!("## Top {percent} % kept\n\nLMDI+ is ranked by the mean rank over trees unless the column says by score.\n\n{}", table.text()));
        }
        Ok(Page { text, pictures: Vec::new() })
    }
}
