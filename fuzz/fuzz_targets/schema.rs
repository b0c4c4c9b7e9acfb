//! The schema of any table, applied to any other: refused with an error, or a matrix of the right size
//! whose cells trees can compare, and a model file that keeps it.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::monitor::Silent;
use lmdi::table::{Frame, Schema, SchemaOptions};
use lmdi_io::read::{Input, ReadOptions, read_table};

fn frame(text: &[u8], options: &ReadOptions) -> Option<(Frame, lmdi::table::Reading)> {
    let table = read_table(&Input::bytes("input", text.to_vec()), options, &Silent).ok()?;
    Some((table.frame, table.reading))
}

fuzz_target!(init: shared::one_thread(), |data: &[u8]| {
    // Two tables, one after the other, with a byte between them that text never has.
    let Some(cut) = data.iter().position(|byte| *byte == 0xff) else { return };
    let options = ReadOptions::default().with_recognise(true).with_delimiter(b',');
    let Some((training, reading)) = frame(&data[..cut], &options) else { return };
    let target = training.columns()[0].name.clone();
    let wishes = SchemaOptions::new(target).with_reading(reading).with_max_levels(3);
    let Ok((schema, _)) = Schema::learn(&training, &wishes) else { return };
    schema.check().expect("what was learned is valid");
    let Ok(known) = schema.encode(&training) else { return };
    assert!(known.unseen.is_empty(), "training knows its own cells");
    assert_eq!((known.matrix.rows(), known.matrix.cols()), (training.rows(), schema.n_encoded()));
    let options = ReadOptions::for_schema(&schema).with_delimiter(b',');
    // The table itself, read as the schema says, gives the same cells.
    let (again, _) = frame(&data[..cut], &options).expect("read as it was");
    let again = schema.encode(&again).expect("encoded as it was").matrix;
    for column in 0..schema.n_encoded() {
        let bits = |cells: &[f64]| cells.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(known.matrix.column(column)), bits(again.column(column)));
    }
    let Some((other, _)) = frame(&data[cut + 1..], &options) else { return };
    if let Ok(encoded) = schema.encode(&other) {
        assert_eq!(encoded.matrix.cols(), schema.n_encoded());
    }
});
