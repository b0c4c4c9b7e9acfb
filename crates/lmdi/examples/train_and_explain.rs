//! Trains a forest on a table, fits LMDI+ to it, and prints why one row is predicted as it is.
//!
//! `cargo run --release -p lmdi --example train_and_explain`

use lmdi::prelude::*;
use lmdi::random::{generator, unit};

fn main() -> lmdi::Result<()> {
    // 500 flats. The rent follows the area and the distance to the centre; the door number is noise.
    let names = ["area", "distance", "door"].map(String::from);
    let mut random = generator(7, 0);
    let mut draw = |from: f64, to: f64| from + (to - from) * unit(&mut random);
    let (mut cells, mut rents) = (Vec::new(), Vec::new());
    for _ in 0..500 {
        let (area, distance, door) = (draw(20.0, 120.0), draw(0.0, 15.0), draw(1.0, 99.0).floor());
        cells.extend([area, distance, door]);
        rents.push(12.0 * area - 30.0 * distance + draw(-50.0, 50.0));
    }
    let x = MatrixView::from_rows(&cells, 500, 3)?;
    let set = TrainingSet::regression(x, &rents, &names);

    let params = ForestParams::regression().with_n_trees(50);
    let forest = train_forest(&set, &params, &Silent)?;
    let options = LmdiPlusOptions::default();
    let explainer = LmdiPlus::fit(&forest, &set, &options, &Silent)?;
    let scores = explainer.score(&x, &ScoreOptions::default(), &Silent)?;

    println!("What matters, mean |score| over {} rows:", scores.n_rows);
    for (name, mean) in names.iter().zip(scores.mean_absolute(0)) {
        println!("  {name:9} {mean:8.1}");
    }
    println!("Row 1:");
    println!("  base      {:8.1}", scores.base[0]);
    for (feature, name) in names.iter().enumerate() {
        let cell = cells[feature];
        println!("  {name:9} {:+8.1}  ({cell:.0})", scores.get(0, feature, 0));
    }
    println!("  = total   {:8.1}  (rent {:.1})", scores.total(0, 0), rents[0]);
    Ok(())
}
