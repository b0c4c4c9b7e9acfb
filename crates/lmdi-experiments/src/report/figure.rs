//! Panels of lines with bands, one line per method.

use super::summary::Summary;
use crate::methods::Method;
use crate::run::{Record, Records};
use anyhow::Result;
use lmdi_report::plot::{LineChart, Panel, Picture, Point, Series, lines};

/// One panel: a line for every method that was measured, over the values of a field or of anything
/// else.
pub fn panel(
    records: &Records,
    title: &str,
    methods: &[Method],
    picks: impl Fn(&Record) -> bool,
    place: impl Fn(&Record) -> Option<f64>,
) -> Panel {
    let series = records
        .methods_in(methods)
        .into_iter()
        .map(|method| {
            let mut values: Vec<(f64, f64)> = records
                .all
                .iter()
                .filter(|record| record.method == method.name() && picks(record))
                .filter_map(|record| Some((place(record)?, record.value)))
                .collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            let points = values
                .chunk_by(|a, b| a.0 == b.0)
                .map(|group| {
                    let summary = Summary::of(group.iter().map(|(_, value)| *value));
                    Point { x: group[0].0, mean: summary.mean, error: summary.error }
                })
                .collect();
            Series { name: method.title().into(), points }
        })
        .collect();
    Panel { title: title.into(), series }
}

/// A figure of several panels.
pub fn chart(
    title: &str,
    subtitle: &str,
    x_title: &str,
    panels: Vec<Panel>,
    per_row: usize,
) -> Result<Picture> {
    let (title, subtitle, x_title) = (title.into(), subtitle.into(), x_title.into());
    Ok(lines(&LineChart { title, subtitle, x_title, panels, per_row })?)
}
