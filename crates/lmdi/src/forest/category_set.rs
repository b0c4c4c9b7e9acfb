//! The set of categories that a categorical split sends one way.

use serde::{Deserialize, Serialize};

/// A bit per category code, with the side its members go to. A cell is truncated to an integer.
///
/// Libraries differ in what an unlisted category does: LightGBM and XGBoost treat it as any
/// non-member, scikit-learn's histogram boosting as a missing value. `known` tells them apart. They
/// also differ in cells between -1 and 0: LightGBM, where members go left and `known` is not given,
/// cuts them to category 0; to the others every negative cell is unlisted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategorySet {
    /// Bit `c % 64` of word `c / 64` is set when category `c` is a member.
    pub members: Vec<u64>,
    /// Whether members go left (and the others right) or the other way round.
    pub members_go_left: bool,
    /// The categories seen in training; any other follows the node's missing rule. `None` treats
    /// every non-member alike.
    pub known: Option<Vec<u64>>,
}

fn contains(words: &[u64], code: usize) -> bool {
    words.get(code / 64).is_some_and(|word| word >> (code % 64) & 1 == 1)
}

impl CategorySet {
    /// Whether `x` goes left; `None` when the node's missing rule decides. `x` is not NaN.
    pub fn goes_left(&self, x: f64) -> Option<bool> {
        let cuts_to_zero = self.members_go_left && self.known.is_none();
        let valid = x >= 0.0 || (cuts_to_zero && x > -1.0);
        // Codes too large for the type become its largest value, which no set holds.
        let code = x as usize;
        if let Some(known) = &self.known
            && !(valid && contains(known, code))
        {
            return None;
        }
        let member = valid && contains(&self.members, code);
        Some(member == self.members_go_left)
    }
}
