//! Predictions and explanations of a saved model over HTTP.
//!
//! ```text
//! GET  /         the report, or a page with example requests
//! GET  /health   {"status": "ok"} once rows are answered
//! GET  /model    what the model predicts, the columns it reads, what its scores mean
//! POST /predict  {"rows": [{"age": 31, "city": "Bonn"}]}: predictions
//! POST /explain  the same rows: predictions with the score of every column
//! ```
//!
//! Scoring is CPU work: a fixed number of requests are computed at a time, some more wait, and
//! further ones are told to retry (503). Connections never wait for a computation. The size of a
//! request and the numbers in its answer are limited. Answers equal those of `lmdi score` and `lmdi
//! predict` to the last digit.
//!
//! | file | what |
//! |---|---|
//! | `service` | a study that answers requests: no HTTP |
//! | `request` | requests as JSON |
//! | `answer` | answers as JSON |
//! | `page` | the report, which queries this server, or a page with example requests |
//! | `routes` | paths, limits and errors as status codes |
//! | `listen` | sockets, and shutdown |

mod answer;
mod listen;
mod page;
mod request;
mod routes;
mod service;

pub use listen::{Listening, Server, ServerOptions, listen};
pub use service::{Failure, Service};
