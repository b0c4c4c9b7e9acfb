//! Linear systems over the stump basis, solved in time linear in the size of the tree, and what
//! they give: ridge, least squares of minimum norm, and elastic nets refined to the last digit.

pub(crate) mod active_columns;
pub(crate) mod conjugate_gradients;
pub(crate) mod elimination;
pub(crate) mod least_squares;
pub(crate) mod line_search;
pub(crate) mod refine;
pub(crate) mod signs;
