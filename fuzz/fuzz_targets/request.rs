//! Requests to the server: any bytes give an error or an answer in JSON, with the same predictions
//! from both paths.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::forest::train::{EnsembleParams, ForestParams};
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::monitor::Silent;
use lmdi::study::{ExplainerOptions, NamedFrame, Study, TrainingData};
use lmdi::table::SchemaOptions;
use lmdi_io::read::{Input, ReadOptions, read_table};
use lmdi_server::{Failure, Service};
use serde_json::Value;
use std::sync::LazyLock;

/// Numbers with a decimal comma, texts, dates, truth values and missing cells; three classes.
static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let mut text = String::from("area;city;sold;garden;price\n");
    for row in 0..60 {
        let area = if row % 13 == 5 { String::new() } else { format!("{},5", (row * 7) % 50) };
        let city = ["Bonn", "Ulm", "Kiel"][row % 3];
        let (day, garden) = (1 + row % 28, ["yes", "no"][row % 2]);
        let price = ["low", "mid", "high"][(row * 7) % 50 / 17];
        text += &format!("{area};{city};2024-03-{day:02};{garden};{price}\n");
    }
    let options = ReadOptions::default().with_recognise(true);
    let table = read_table(&Input::bytes("table", text.into_bytes()), &options, &Silent);
    let table = table.expect("a table");
    let named = NamedFrame { name: "table".into(), frame: table.frame };
    let mut data = TrainingData::learn(named, &SchemaOptions::new("price")).expect("usable");
    data.schema.reading = table.reading;
    let params = ForestParams::classification().with_n_trees(3);
    let job = data.job(EnsembleParams::Forest(params), 0.0).expect("trainable");
    let method = ExplainerOptions::LmdiPlus(LmdiPlusOptions::default());
    let study = Study::of_job(job.into(), method, &Silent).expect("explainable");
    Service::new(study).expect("a service")
});

fuzz_target!(init: shared::one_thread(), |body: &[u8]| {
    let explained = match SERVICE.explain(body) {
        Ok(answer) => serde_json::from_slice::<Value>(&answer).expect("JSON"),
        Err(Failure::Internal(what)) => panic!("{what}"),
        Err(_) => return,
    };
    // A request about scores is refused by the other path.
    let Ok(predicted) = SERVICE.predict(body) else { return };
    let predicted: Value = serde_json::from_slice(&predicted).expect("JSON");
    let (Some(of_explain), Some(of_predict)) =
        (explained["rows"].as_array(), predicted["rows"].as_array())
    else {
        panic!("rows");
    };
    assert_eq!(of_explain.len(), of_predict.len());
    for (one, other) in of_explain.iter().zip(of_predict) {
        assert_eq!(one["probabilities"], other["probabilities"]);
    }
});
