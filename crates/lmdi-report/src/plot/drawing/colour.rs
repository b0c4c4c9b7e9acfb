//! Colours that can be told apart with any colour vision.
//!
//! Three scales with one meaning each: values go from dark purple over green to yellow, scores are blue
//! below zero and orange above, and categories have colours of their own. They are those of the page.
//! Values and scores have a limited number of shades, so that a dark picture can name a shade for each.

use crate::plot::{has_levels, level_name};
use lmdi::explanation::ColumnLayout;
use lmdi::table::Part;
use std::collections::HashMap;

/// Scores above zero.
pub(in crate::plot) const UP: &str = "#c9601a";
/// Scores below zero.
pub(in crate::plot) const DOWN: &str = "#2166ac";
/// Scores without direction, and pooled levels of a category.
pub(in crate::plot) const NEUTRAL: &str = "#8a8a8a";
/// Cells that are missing.
pub(in crate::plot) const MISSING: &str = "#c4c7cc";

/// Shades of values and of scores, counted without the first.
const SHADES: f64 = 128.0;

type Stops = [[u8; 3]];
const VALUES: [[u8; 3]; 7] = [
    [70, 22, 95],
    [68, 63, 133],
    [48, 103, 141],
    [33, 144, 140],
    [63, 174, 112],
    [132, 192, 68],
    [220, 207, 44],
];
const DARK_VALUES: [[u8; 3]; 7] = [
    [122, 95, 208],
    [111, 134, 226],
    [72, 166, 196],
    [65, 188, 176],
    [109, 217, 141],
    [182, 234, 112],
    [251, 244, 126],
];
const SCORES: [[u8; 3]; 3] = [[33, 102, 172], [247, 247, 247], [201, 96, 26]];
const DARK_SCORES: [[u8; 3]; 3] = [[108, 182, 255], [35, 42, 52], [255, 157, 92]];

/// The colour of a number from 0 (low) to 1 (high); that of missing cells where it is not one.
pub(in crate::plot) fn of_share(share: f64) -> String {
    if share.is_finite() { mixed(&VALUES, share) } else { MISSING.into() }
}

/// The colour of a score from -1 over 0 (white) to 1.
pub(in crate::plot) fn of_score(share: f64) -> String {
    if share.is_finite() { mixed(&SCORES, (share + 1.0) / 2.0) } else { MISSING.into() }
}

/// Colours of the most frequent levels of a category.
const LEVELS: [(&str, &str); 7] = [
    ("#0072b2", "#56a8e0"),
    ("#d55e00", "#ff8a3d"),
    ("#009e73", "#2fc79b"),
    ("#b8629a", "#dd8fc2"),
    ("#b08d00", "#e6cf3f"),
    ("#63b9ea", "#a8d8f5"),
    ("#3b3b3b", "#f2f2f2"),
];

/// For every colour of a picture that of a dark one.
pub(super) fn dark_of_light() -> HashMap<String, String> {
    let shades = |light: &'static Stops, dark: &'static Stops| {
        (0..=SHADES as u32).map(move |at| {
            let share = f64::from(at) / SHADES;
            (mixed(light, share), mixed(dark, share))
        })
    };
    let named = [
        ("#ffffff", "#14181e"),
        (super::svg::INK, "#e7ebf1"),
        (super::svg::FAINT, "#a3afbf"),
        (super::svg::RULE, "#343d4a"),
        (UP, "#ff9d5c"),
        (DOWN, "#6cb6ff"),
        (MISSING, "#4a5361"),
    ];
    shades(&VALUES, &DARK_VALUES)
        .chain(shades(&SCORES, &DARK_SCORES))
        .chain(named.iter().chain(&LEVELS).map(|(a, b)| ((*a).to_owned(), (*b).to_owned())))
        .collect()
}

/// The levels of a category by their colours.
pub(in crate::plot) struct Levels {
    /// Codes with a colour of their own, the most frequent first.
    named: Vec<f64>,
    /// Codes that share one.
    others: Vec<f64>,
    /// How many levels these are; training may have pooled some of them into one code.
    n_others: usize,
    has_missing: bool,
}

impl Levels {
    /// The levels of some cells of a category.
    pub fn of(layout: &ColumnLayout, cells: &[f64]) -> Self {
        let mut sorted: Vec<f64> = cells.iter().copied().filter(|cell| !cell.is_nan()).collect();
        sorted.sort_by(f64::total_cmp);
        let mut found: Vec<(f64, usize)> =
            sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
        let mut levels = Self {
            named: vec![],
            others: vec![],
            n_others: 0,
            has_missing: sorted.len() < cells.len(),
        };
        for (code, _) in found {
            match layout.part(code) {
                Some(Part::Missing) => levels.has_missing = true,
                Some(Part::Other { pooled }) => {
                    levels.others.push(code);
                    levels.n_others += pooled.len().max(1);
                }
                _ if levels.named.len() < LEVELS.len() => levels.named.push(code),
                _ => {
                    levels.others.push(code);
                    levels.n_others += 1;
                }
            }
        }
        levels
    }

    /// The colour of a cell.
    pub fn fill(&self, cell: f64) -> &'static str {
        match self.named.iter().position(|code| *code == cell) {
            Some(at) => LEVELS[at].0,
            None if self.others.contains(&cell) => NEUTRAL,
            None => MISSING,
        }
    }

    /// What a legend says: the name of each colour.
    pub fn entries(&self, layout: &ColumnLayout) -> Vec<(String, &'static str)> {
        let name = |code: &f64| level_name(layout, *code).unwrap_or("missing").to_owned();
        let named = self.named.iter().map(|code| (name(code), self.fill(*code)));
        let others = (!self.others.is_empty()).then(|| (others_text(self.n_others), NEUTRAL));
        let missing = self.has_missing.then(|| ("missing".to_owned(), MISSING));
        named.chain(others).chain(missing).collect()
    }
}

/// The name of pooled levels.
pub(in crate::plot) fn others_text(count: usize) -> String {
    format!("others ({count})")
}

/// The colour of each cell: by its place among the others, or of a category by its level.
pub(in crate::plot) fn fills(layout: &ColumnLayout, cells: &[f64]) -> Vec<String> {
    if has_levels(layout) {
        let levels = Levels::of(layout, cells);
        return cells.iter().map(|&cell| levels.fill(cell).to_owned()).collect();
    }
    shares(cells).into_iter().map(of_share).collect()
}

fn mixed(stops: &Stops, share: f64) -> String {
    let share = (share.clamp(0.0, 1.0) * SHADES).round() / SHADES;
    let at = share * (stops.len() - 1) as f64;
    let below = (at as usize).min(stops.len() - 2);
    let part = at - below as f64;
    let channel = |i: usize| {
        let (a, b) = (f64::from(stops[below][i]), f64::from(stops[below + 1][i]));
        (a + part * (b - a)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

/// For each cell its place among the others, from 0 to 1; NaN where it is missing. By rank, so that
/// one huge cell does not make all others alike.
pub(in crate::plot) fn shares(cells: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<(f64, u32)> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| !cell.is_nan())
        .map(|(row, &cell)| (cell, row as u32))
        .collect();
    let last = (sizes.len().max(2) - 1) as f64;
    let mut shares = vec![f64::NAN; cells.len()];
    lmdi::table::rank_in_place(&mut sizes, |row, rank| shares[row as usize] = (rank - 1.0) / last);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmdi::explanation::Columns;
    use lmdi::table::{Encoding, InputColumn, Schema};

    #[test]
    fn every_shade_has_a_dark_one() {
        let dark = dark_of_light();
        for at in 0..=1000 {
            let share = f64::from(at) / 1000.0;
            assert!(dark.contains_key(&of_share(share)) && dark.contains_key(&of_score(share)));
        }
        assert_eq!(dark[&of_share(0.0)], "#7a5fd0");
    }

    #[test]
    fn pooled_and_missing_levels_are_told_apart_from_named_ones() {
        let mut parts: Vec<Part> = (0..9).map(|at| Part::Level(format!("level {at}"))).collect();
        parts.push(Part::Other { pooled: vec!["rare".into(), "rarer".into()] });
        parts.push(Part::Missing);
        let mut schema = Schema::numeric([] as [&str; 0]);
        schema.columns.push(InputColumn { name: "kind".into(), encoding: Encoding::OneHot(parts) });
        let columns = Columns::of_schema(&schema);
        let layout = &columns.as_slice()[0];
        // Code 9 stands for two rare levels and is the most frequent one; code 10 is missing.
        let mut cells = vec![9.0; 50];
        cells.extend((0..9).flat_map(|code| vec![f64::from(code); 20 - code as usize]));
        cells.extend([10.0, 10.0]);
        let levels = Levels::of(layout, &cells);
        let entries = levels.entries(layout);
        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..2], ["level 0", "level 1"]);
        assert_eq!(names[7..], ["others (4)", "missing"]);
        assert_eq!([9.0, 8.0, 10.0].map(|code| levels.fill(code)), [NEUTRAL, NEUTRAL, MISSING]);
        assert_eq!(levels.fill(f64::NAN), MISSING);
    }
}
