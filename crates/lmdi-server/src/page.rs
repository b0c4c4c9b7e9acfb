//! The page at `/`: the report of the model, which asks this server to predict changed cells, or a
//! page with example requests.
//!
//! A report's content policy lets it load nothing. A served report may query its own server; a tag
//! in its head names the model that the server has.

use crate::service::Service;
use serde_json::{Value, json};

/// What the head of every report begins with.
const HEAD: &str = "<head>";
/// What the policy of every report begins with.
const POLICY: &str = "default-src 'none';";

/// A report that may ask its server; `None` if the text is no report.
pub(crate) fn served_report(report: &str, digest: &str) -> Option<String> {
    let (before, after) = report.split_once(HEAD)?;
    let (policy, rest) = after.split_once(POLICY)?;
    // The policy stands in the head, before any text that comes from data.
    (policy.len() < 1000).then(|| {
        format!(
            "{before}{HEAD}<meta name=\"lmdi-server\" content=\"{digest}\">{policy}{POLICY} \
             connect-src 'self';{rest}"
        )
    })
}

/// A page that shows what can be asked, with an example for this model.
pub(crate) fn guide(service: &Service) -> String {
    let description = service.description();
    let columns = description["columns"].as_array().map_or(&[][..], Vec::as_slice);
    let cell = |column: &Value| match column["type"].as_str() {
        Some("category") => column["levels"][0].clone(),
        Some("boolean") => json!(true),
        Some("date") => json!("2025-01-31"),
        Some("datetime") => json!("2025-01-31T12:30:00"),
        Some("time") => json!("12:30"),
        _ => json!(0),
    };
    let row: serde_json::Map<String, Value> = columns
        .iter()
        .filter_map(|column| Some((column["name"].as_str()?.to_owned(), cell(column))))
        .collect();
    let request = escaped(&format!("{:#}", json!({"rows": [row]})));
    let target = description["target"].as_str().map_or("the target".to_owned(), escaped);
    let paths = [
        ("GET /health", "whether rows are answered"),
        ("GET /model", "what the model predicts, its columns, what its scores mean"),
        ("POST /predict", "predictions of rows"),
        ("POST /explain", "predictions with the score of every column"),
    ];
    let lines: String = paths
        .iter()
        .map(|(path, what)| format!("<tr><td><code>{path}</code></td><td>{what}</td></tr>"))
        .collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>lmdi</title><style>{STYLE}</style></head><body>\
         <h1>Predictions of {target}, explained</h1><table>{lines}</table>\
         <p>Send rows as JSON (<code>Content-Type: application/json</code>); \
         <code>\"top\": 3</code> beside <code>\"rows\"</code> keeps the three largest scores.</p>\
         <pre>{request}</pre></body></html>"
    )
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;\
    color-scheme:light dark}td{padding:.2rem 1rem .2rem 0}pre{overflow:auto;border:1px solid #8888;padding:1rem}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gets_leave_to_ask_and_nothing_else_is_one() {
        let report = "<html><head><meta content=\"default-src 'none'; x\"></head></html>";
        let served = served_report(report, "ab").expect("a report");
        assert!(served.contains("<meta name=\"lmdi-server\" content=\"ab\">"));
        assert!(served.contains("default-src 'none'; connect-src 'self'; x"));
        assert!(served_report("<html></html>", "ab").is_none());
        let late = format!("<head>{}default-src 'none';", "x".repeat(2000));
        assert!(served_report(&late, "ab").is_none());
    }
}
