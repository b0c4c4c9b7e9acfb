//! The experiments, one file each, and the protocols that several share.
//!
//! | file | the paper's |
//! |---|---|
//! | `signal/ranking` | section 4.1, figure 1 and appendix: signal features of simulated responses |
//! | `signal/correlation` | section 4.2, figure 2: correlated features |
//! | `top_features/selection` | section 4.3, table 1: features that predict, kept and retrained |
//! | `top_features/selection_full` | appendix: the same on whole data sets |
//! | `top_features/stability` | section 5: the same features from other seeds |
//! | `top_features/ablation` | section 6, tables 2 and 3, appendix: variants and ensembles |
//! | `counterfactual/observed` | section 7: how far counterfactuals are |
//! | `counterfactual/simulated` | appendix: the same where signal is known |
//! | `subgroups` | section 8: clusters of scores and linear models in them |
//! | `runtime` | section 9: seconds per row |
//! | `rules` | ours: how to choose penalties |

pub mod counterfactual;
pub mod rules;
pub mod runtime;
pub mod signal;
pub mod subgroups;
pub mod top_features;
mod unit;
