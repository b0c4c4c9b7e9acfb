//! LMDI+ as one of the local methods, with the functions that only it has.

use super::{LmdiPlus, ScoreOptions};
use crate::Result;
use crate::importance::{Groups, LocalMethod, OutputScale, Scores, TreeSubset};
use crate::monitor::Monitor;
use crate::table::MatrixView;

impl LocalMethod for LmdiPlus {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain_on(x, TreeSubset::All, monitor)
    }

    fn scale(&self) -> OutputScale {
        self.scale()
    }

    fn explain_on(
        &self,
        x: &MatrixView<'_>,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        self.score(x, &ScoreOptions { trees, standard_error: false }, monitor)
    }

    fn standard_errors(
        &self,
        x: &MatrixView<'_>,
        groups: &Groups,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        self.group_standard_errors(x, groups, trees, monitor)
    }

    fn mean_tree_ranks(
        &self,
        x: &MatrixView<'_>,
        groups: &Groups,
        monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        self.rank_groups_by_rank(x, groups, monitor)
    }

    fn linear_models(&self) -> Option<&LmdiPlus> {
        Some(self)
    }
}
