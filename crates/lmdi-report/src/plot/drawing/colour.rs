//! Colours that people with any colour vision can tell apart.
//!
//! Three scales with one meaning each: values go from dark purple over green to yellow, scores are blue
//! below zero and orange above, and categories have colours of their own. They are those of the page.

/// Scores above zero.
pub(in crate::plot) const UP: &str = "#c9601a";
/// Scores below zero.
pub(in crate::plot) const DOWN: &str = "#2166ac";
/// Cells that are missing, and categories.
pub(in crate::plot) const NEUTRAL: &str = "#8a8a8a";

/// The colour of a number from 0 (low) to 1 (high); grey where it is not one.
pub(in crate::plot) fn of_share(share: f64) -> String {
    if !share.is_finite() {
        return NEUTRAL.into();
    }
    const STOPS: [[u8; 3]; 7] = [
        [70, 22, 95],
        [68, 63, 133],
        [48, 103, 141],
        [33, 144, 140],
        [63, 174, 112],
        [132, 192, 68],
        [220, 207, 44],
    ];
    mixed(&STOPS, share)
}

/// Colours of the most frequent levels of a category; further levels are [`NEUTRAL`].
pub(in crate::plot) const LEVELS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#b8629a", "#b08d00", "#63b9ea", "#222222"];

/// For each cell of a category the place of its level by how frequent it is; none where it is
/// missing or rare.
pub(in crate::plot) fn level_places(cells: &[f64]) -> (Vec<f64>, Vec<Option<usize>>) {
    let mut sorted: Vec<f64> = cells.iter().copied().filter(|cell| !cell.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let mut levels: Vec<(f64, usize)> =
        sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
    levels.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    levels.truncate(LEVELS.len());
    let place = |cell: &f64| levels.iter().position(|(level, _)| level == cell);
    let places = cells.iter().map(place).collect();
    (levels.into_iter().map(|(level, _)| level).collect(), places)
}

/// The colour of a score from -1 over 0 (white) to 1.
pub(in crate::plot) fn of_score(share: f64) -> String {
    if !share.is_finite() {
        return "#eeeeee".into();
    }
    mixed(&[[33, 102, 172], [247, 247, 247], [201, 96, 26]], (share + 1.0) / 2.0)
}

/// The colour of each cell: by its place among the others, or of a category by its level.
pub(in crate::plot) fn fills(cells: &[f64], is_category: bool) -> Vec<String> {
    if is_category {
        let (_, places) = level_places(cells);
        return places.iter().map(|at| at.map_or(NEUTRAL, |at| LEVELS[at]).to_owned()).collect();
    }
    shares(cells).into_iter().map(of_share).collect()
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
