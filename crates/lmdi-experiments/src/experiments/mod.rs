//! The experiments, one file each, and the protocols that several share.
//!
//! | file | the paper's |
//! |---|---|
//! | `ranking` | section 4.1, figure 1 and appendix: signal features of simulated responses |
//! | `correlation` | section 4.2, figure 2: correlated features |
//! | `selection` | section 4.3, table 1: features that predict, kept and retrained |
//! | `selection_full` | appendix: the same on whole data sets |
//! | `stability` | section 5: the same features from other seeds |
//! | `ablation` | section 6, tables 2 and 3, appendix: variants and ensembles |
//! | `counterfactual` | section 7: how far counterfactuals are |
//! | `counterfactual_sim` | appendix: the same where signal is known |
//! | `subgroups` | section 8: clusters of scores and linear models in them |
//! | `runtime` | section 9: seconds per row |
//! | `rules` | ours: how to choose penalties |

pub mod ablation;
pub mod correlation;
pub mod counterfactual;
pub mod counterfactual_sim;
mod nearest;
mod protocol;
pub mod ranking;
pub mod rules;
pub mod runtime;
pub mod selection;
pub mod selection_full;
mod semi_synthetic;
pub mod stability;
pub mod subgroups;
