//! Colours that people with any colour vision can tell apart.
//!
//! Values go from blue over grey to orange; scores below zero are blue, above zero orange.

/// Scores above zero.
pub(super) const UP: &str = "#c9601a";
/// Scores below zero.
pub(super) const DOWN: &str = "#2166ac";
/// Cells that are missing, and categories.
pub(super) const NEUTRAL: &str = "#8a8a8a";

/// The colour of a number from 0 (low) to 1 (high); grey where it is not one.
pub(super) fn of_share(share: f64) -> String {
    if !share.is_finite() {
        return NEUTRAL.into();
    }
    mixed(&[[33, 102, 172], [120, 150, 190], [190, 190, 190], [222, 150, 90], [201, 96, 26]], share)
}

/// The colour of a score from -1 over 0 (white) to 1.
pub(super) fn of_score(share: f64) -> String {
    if !share.is_finite() {
        return "#eeeeee".into();
    }
    mixed(&[[33, 102, 172], [247, 247, 247], [201, 96, 26]], (share + 1.0) / 2.0)
}

fn mixed(stops: &[[u8; 3]], share: f64) -> String {
    let at = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
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
pub(super) fn shares(cells: &[f64]) -> Vec<f64> {
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
