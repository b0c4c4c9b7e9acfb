//! The report of a model of any small table: names and cells cannot get out of the page's data.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::explanation::Grouping;
use lmdi::forest::train::{EnsembleParams, ForestParams};
use lmdi::monitor::Silent;
use lmdi::study::{ExplainOptions, ExplainerOptions, NamedFrame, Study, TrainingData};
use lmdi::table::{SchemaOptions, Task};
use lmdi_io::read::{Input, ReadOptions, read_table};
use lmdi_report::page::{PageOptions, WhatIf, page};
use std::sync::OnceLock;

const DATA: &str = "<script id=\"report\" type=\"application/json\">";
static CODE: OnceLock<String> = OnceLock::new();

fuzz_target!(init: shared::one_thread(), |data: &[u8]| {
    let options = ReadOptions::default().with_delimiter(b',');
    let input = Input::bytes("input", data.to_vec());
    let Ok(table) = read_table(&input, &options, &Silent) else { return };
    // From 50 rows on the page has groups, whose search takes far longer than all the rest.
    if table.frame.rows() >= 50 || table.frame.columns().len() > 10 {
        return;
    }
    let target = table.frame.columns()[0].name.clone();
    let named = NamedFrame { name: target.clone(), frame: table.frame };
    let Ok(data) = TrainingData::learn(named, &SchemaOptions::new(target)) else { return };
    let params = match data.target.task {
        Task::Regression => ForestParams::regression(),
        _ => ForestParams::classification(),
    };
    let params = params.with_n_trees(2).with_max_depth(Some(2));
    let Ok(job) = data.job(EnsembleParams::Forest(params), 0.0) else { return };
    let Ok(study) = Study::of_job(job.into(), ExplainerOptions::Saabas, &Silent) else { return };
    let Ok(grouping) = Grouping::columns(&study.schema) else { return };
    let options = ExplainOptions::scores_of(grouping);
    let rows = study.job().expect("trained here").train.clone();
    let Ok(explained) = study.explain(rows, &options, &Silent) else { return };
    let options = PageOptions::default().with_what_if(WhatIf::Always);
    let Ok(page) = page(&study, &explained, &options, &Silent) else { return };
    // The data stands between two marks that are the page's own; nothing of it may end the element.
    let (_, rest) = page.split_once(DATA).expect("the element of the data");
    let (data, code) = rest.split_once("</script>").expect("its end");
    assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "data that could be markup");
    serde_json::from_str::<serde_json::Value>(data).expect("JSON");
    assert!(code == CODE.get_or_init(|| code.to_owned()), "the code is the same on every page");
});
