//! Trees and ensembles: training, routing, prediction, and models of other libraries.

mod bagging_properties;
mod boosting_golden;
mod cart_golden;
mod import_golden;
mod import_hostile;
mod routing_properties;
mod sklearn_forest;
mod sklearn_leaves;
mod training_bad_input;
mod training_properties;
