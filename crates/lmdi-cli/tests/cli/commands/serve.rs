//! `lmdi serve`: answers against `lmdi score`, bad requests, and the end of the server.

#[cfg(unix)]
use crate::support::send;
use crate::support::{Place, table as read};
use lmdi::table::Values;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A server in a directory of a test, which ends with it.
struct Server {
    process: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        let mut process = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
            .current_dir(place.directory.path())
            .args([&["serve"], arguments, &["--address", "127.0.0.1:0"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let mut out = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        let address = line.trim().rsplit("http://").next().expect("an address").to_owned();
        Self { process, out, address }
    }

    /// Status and body of the answer to a request as it is sent.
    fn send(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let length = body.len();
        let (status, body) = self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        (status, serde_json::from_str(&body).expect("JSON"))
    }

    /// Answers of rows that must be valid.
    fn rows(&self, path: &str, request: Value) -> Vec<Value> {
        let (status, mut answer) = self.post(path, &request.to_string());
        assert_eq!(status, 200, "{answer}");
        let Value::Array(rows) = answer["rows"].take() else { panic!("rows") };
        rows
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The target of each row.
type Target = fn(usize) -> String;

/// A table with numbers, a category, a date, a truth value and missing cells.
fn table(target: Target) -> String {
    let mut text = String::from("area,city,sold,garden,price\n");
    for row in 0..80 {
        let area = if row % 13 == 5 { String::new() } else { format!("{}", (row * 7) % 50 + 40) };
        let city = ["Bonn", "Ulm", "Kiel, north"][row % 3];
        let (day, garden) = (1 + row % 28, ["yes", "no"][row % 2]);
        text += &format!("{area},\"{city}\",2024-03-{day:02},{garden},{}\n", target(row));
    }
    text
}

/// Rows 1, 6 (a missing cell) and 20 of the table, as requests name them.
fn request() -> Value {
    json!([
        {"area": 40, "city": "Bonn", "sold": "2024-03-01", "garden": true, "id": 7},
        {"area": null, "city": "Kiel, north", "sold": "2024-03-06", "garden": "no"},
        {"sold": "2024-03-20", "garden": "no", "area": 73, "city": "Ulm"},
    ])
}

const ROWS: &str = "area,city,sold,garden\n40,Bonn,2024-03-01,yes\n,\"Kiel, north\",2024-03-06,no\n\
    73,Ulm,2024-03-20,no\n";

#[test]
fn answers_are_those_of_score() {
    let targets: [(Target, &[&str]); 4] = [
        (|row| format!("{}", (row * 7) % 50 + row % 3), &[]),
        (|row| ["cheap", "dear"][usize::from((row * 7) % 50 > 20)].into(), &[]),
        (|row| ["a", "b", "c"][((row * 7) % 50 / 17).min(2)].into(), &[]),
        (|row| ["a", "b", "c"][((row * 7) % 50 / 17).min(2)].into(), &["--method", "tree-shap"]),
    ];
    for (target, method) in targets {
        let place = Place::new();
        place.file("houses.csv", table(target));
        place.file("rows.csv", ROWS);
        let trained =
            ["explain", "houses.csv", "--target", "price", "--trees", "9", "--save", "m.lmdi"];
        place.run(&trained).good();
        let scored = [&["score", "m.lmdi", "rows.csv", "--out", "scores.csv"], method].concat();
        place.run(&scored).good();
        let server = Server::start(&place, &[&["m.lmdi"], method].concat());
        let explained = server.rows("/explain", json!({"rows": request()}));
        let predicted = server.rows("/predict", json!({"rows": request()}));
        assert_eq!((explained.len(), predicted.len()), (3, 3));
        let labels: Vec<&str> = match &explained[0]["probabilities"] {
            Value::Object(shares) => shares.keys().map(String::as_str).collect(),
            _ => vec![],
        };
        let mut compared = 0;
        for column in read(&place, "scores.csv").columns() {
            let Values::Numbers(cells) = &column.values else { continue };
            let name = &column.name;
            for (at, row) in explained.iter().enumerate() {
                let value = match (name.split(':').collect::<Vec<_>>().as_slice(), labels.len()) {
                    (["prediction" | "base" | "explained" | "unexplained"], _) => &row[name],
                    (["probability", label], _) => &row["probabilities"][label],
                    (["score", column], _) => &row["scores"][column],
                    (["score", label, column], 3) => &row["scores"][label][column],
                    ([part @ ("base" | "explained" | "unexplained"), label], 3) => {
                        &row[part][label]
                    }
                    _ => continue,
                };
                assert_eq!(value.as_f64(), Some(cells[at]), "{name}, row {at}");
                compared += 1;
            }
        }
        assert!(compared >= 3 * 7, "{compared}");
        for (of_predict, of_explain) in predicted.iter().zip(&explained) {
            assert_eq!(of_predict["prediction"], of_explain["prediction"]);
            assert_eq!(of_predict["probabilities"], of_explain["probabilities"]);
            assert!(of_predict.get("scores").is_none());
        }
        let columns = json!(["area", "city", "sold", "garden"]);
        let cells = json!([[40, "Bonn", "2024-03-01", "yes"]]);
        let of_arrays = server.rows("/explain", json!({"columns": columns, "rows": cells}));
        assert_eq!(of_arrays[0], explained[0], "rows as arrays");
    }
}

#[test]
fn the_largest_scores_and_the_rest_add_up() {
    let place = Place::new();
    place.file("houses.csv", table(|row| format!("{}", (row * 7) % 50 + row % 3)));
    place
        .run(&["explain", "houses.csv", "--target", "price", "--trees", "9", "--save", "m.lmdi"])
        .good();
    let server = Server::start(&place, &["m.lmdi"]);
    let all = &server.rows("/explain", json!({"rows": request()}))[2];
    let top =
        &server.rows("/explain", json!({"rows": request(), "top": 2, "standard_error": true}))[2];
    let sum = |row: &Value| -> f64 {
        row["scores"].as_object().expect("scores").values().filter_map(Value::as_f64).sum()
    };
    let shown = top["scores"].as_object().expect("scores");
    assert_eq!(shown.len(), 2);
    assert_eq!(top["standard_errors"].as_object().map(|errors| errors.len()), Some(2));
    let rest = top["rest"].as_f64().expect("a number");
    assert!((sum(top) + rest - sum(all)).abs() < 1e-9);
}

#[test]
fn bad_requests_are_told_what_was_expected() {
    let place = Place::new();
    place.file("houses.csv", table(|row| format!("{}", (row * 7) % 50)));
    place
        .run(&["explain", "houses.csv", "--target", "price", "--trees", "3", "--save", "m.lmdi"])
        .good();
    let server = Server::start(&place, &["m.lmdi", "--max-request", "10k"]);
    let row = request()[0].clone();
    let with = |name: &str, value: Value| {
        let mut row = row.clone();
        row[name] = value;
        json!({"rows": [row]}).to_string()
    };
    let cases = [
        (
            with("area", json!("much")),
            400,
            "row 1, column \"area\": found \"much\"; expected a number, or null where it is missing",
        ),
        (
            with("sold", json!("yesterday")),
            400,
            "column \"sold\": found \"yesterday\"; expected a date such as 2024-01-31, without a time, \
             or null",
        ),
        (
            with("sold", json!("2024-03-01T10:00:00")),
            400,
            "expected a date such as 2024-01-31, without a time",
        ),
        (with("area", json!([1])), 400, "column \"area\": found \"an array\""),
        (
            json!({"rows": [{"area": 1}]}).to_string(),
            400,
            "request: row 1 has no \"city\", \"sold\", \"garden\", which the model needs",
        ),
        (
            json!({"columns": ["area"], "rows": [[1]]}).to_string(),
            400,
            "request: \"columns\" has no \"city\"",
        ),
        ("{\"rows\": [{\"area\": 1, \"area\": 2}]}".into(), 400, "a row has \"area\" twice"),
        ("{\"rows\": [3]}".into(), 400, "expected an object with one value per column"),
        (json!({"rows": [row, {"area": 1}]}).to_string(), 400, "row 2 has no \"city\""),
        (json!({"rows": []}).to_string(), 400, "there is no row"),
        (json!({"rows": [row], "topp": 3}).to_string(), 400, "unknown field `topp`"),
        (json!({"rows": [row], "top": 0}).to_string(), 400, "expected at least 1"),
        ("{\"rows\": ".to_owned() + &"[".repeat(5000), 400, "recursion limit"),
        ("".into(), 400, "the body is not a request"),
        ("x".repeat(20_000), 413, "more than 10000 bytes"),
    ];
    for (body, status, expected) in cases {
        let (found, answer) = server.post("/explain", &body);
        let text = answer["error"].as_str().expect("a text");
        assert!(found == status && text.contains(expected), "{found} {text}; expected {expected}");
    }
    let moment = server.rows("/predict", json!({"rows": [row]}));
    let midnight = server.post("/predict", &with("sold", json!("2024-03-01T00:00:00"))).1;
    assert_eq!(midnight["rows"], json!(moment), "a date at midnight is that date");
    let (_, noted) = server.post("/predict", &with("city", json!("Rome")));
    assert!(
        noted["notes"][0].as_str().is_some_and(|note| note.contains("such as Rome")),
        "{noted}"
    );
    assert_eq!(server.get("/other").0, 404);
    assert_eq!(server.get("/explain").0, 405);
    let plain = "POST /explain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(server.send(plain).0, 415, "no leave for other sites");
    let other = "GET /model HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(server.send(other).0, 403, "a name that was pointed here");
    // After all that it still answers.
    assert_eq!(server.get("/health"), (200, "{\"status\":\"ok\"}".into()));
}

#[test]
fn the_front_page_is_the_report_or_a_guide() {
    let place = Place::new();
    let hostile = table(|row| format!("{}", (row * 7) % 50)).replacen("area", "<b>area", 1);
    place.file("houses.csv", hostile);
    let trained = [
        "explain",
        "houses.csv",
        "--target",
        "price",
        "--trees",
        "3",
        "--save",
        "m.lmdi",
        "--report",
        "r.html",
        "--what-if",
        "never",
        "--stability-runs",
        "0",
    ];
    place.run(&trained).good();
    let (status, guide) = Server::start(&place, &["m.lmdi"]).get("/");
    assert!(status == 200 && guide.contains("POST /explain") && !guide.contains("<b>"), "{guide}");
    let server = Server::start(&place, &["m.lmdi", "--report", "r.html"]);
    let (_, report) = server.get("/");
    let model: Value = serde_json::from_str(&server.get("/model").1).expect("JSON");
    let digest = model["digest"].as_str().expect("a text");
    assert!(report.contains(&format!("<meta name=\"lmdi-server\" content=\"{digest}\">")));
    assert!(report.matches(digest).count() == 2, "the page knows the model by the same mark");
    assert!(!place.read("r.html").contains("connect-src"));
    let refused =
        place.run(&["serve", "m.lmdi", "--report", "houses.csv", "--address", "127.0.0.1:0"]);
    assert!(
        refused.code == 1 && refused.err.contains("houses.csv: it is not a report"),
        "{}",
        refused.err
    );
    let nowhere = place.run(&["serve", "m.lmdi", "--address", "8000"]);
    assert!(nowhere.code == 2 && nowhere.err.contains("with a port"), "{}", nowhere.err);
    let taken = place.run(&["serve", "m.lmdi", "--address", &server.address]);
    assert!(
        taken.code == 1 && taken.err.contains("choose another with --address"),
        "{}",
        taken.err
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_once_the_requests_at_hand_are_answered() {
    let place = Place::new();
    place.file("houses.csv", table(|row| format!("{}", (row * 7) % 50)));
    place
        .run(&["explain", "houses.csv", "--target", "price", "--trees", "3", "--save", "m.lmdi"])
        .good();
    let mut server = Server::start(&place, &["m.lmdi"]);
    let body = json!({"rows": request()}).to_string();
    let (start, end) = body.split_at(20);
    let mut stream = TcpStream::connect(&server.address).expect("connected");
    let head = format!(
        "POST /explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{start}",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&server.process, "-TERM");
    std::thread::sleep(std::time::Duration::from_millis(300));
    stream.write_all(end.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"scores\""), "{answer}");
    assert_eq!(server.process.wait().expect("ended").code(), Some(0));
    let mut rest = String::new();
    server.out.read_to_string(&mut rest).expect("read");
    assert_eq!(rest, "");
}
