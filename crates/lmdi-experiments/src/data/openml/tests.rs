//! The loader against a server on this machine.

use super::*;
use crate::data::{Source, catalogue::find};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A server that knows a few paths, and the paths that it was asked for.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves until the test ends.
    fn start(pages: impl FnOnce(&str) -> Vec<(String, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (pages, log) = (pages(&address), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
                let mut request = String::new();
                if reader.read_line(&mut request).is_err() {
                    continue;
                }
                // The head of the request, up to its empty line.
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    line.clear();
                }
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                log.lock().expect("no panic").push(path.clone());
                let page = pages.iter().find(|(known, _)| *known == path);
                let (status, body) = match page {
                    Some((_, body)) => ("200 OK", body.as_slice()),
                    None => ("404 Not Found", &b"nothing here"[..]),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }

    fn cache(&self, directory: &Path) -> Cache {
        Cache { directory: directory.to_owned(), server: self.address.clone() }
    }
}

fn descriptions(server: &str, parquet: bool) -> Vec<(String, Vec<u8>)> {
    let task = r#"{"task": {"task_id": "43", "input": [{"name": "cost_matrix"},
        {"name": "source_data", "data_set": {"data_set_id": "44", "target_feature": "class"}}]}}"#;
    let parquet =
        if parquet { format!(r#""parquet_url": "{server}/files/44.pq","#) } else { String::new() };
    let data = format!(
        r#"{{"data_set_description": {{"id": "44", "format": "ARFF", {parquet}
            "url": "{server}/files/44.arff", "ignore_attribute": "id"}}}}"#
    );
    vec![
        ("/api/v1/json/task/43".into(), task.into()),
        ("/api/v1/json/data/44".into(), data.into_bytes()),
    ]
}

const ARFF: &str = "@relation spam\n@attribute id integer\n@attribute 'word freq' real\n@attribute class {no,yes}\n\
                    @data\n1,0.5,no\n2,0.25,yes\n3,1,no\n";

#[test]
fn a_task_is_fetched_once_and_then_read_from_the_cache() {
    let server = Server::start(|address| {
        let mut pages = descriptions(address, false);
        pages.push(("/files/44.arff".into(), ARFF.into()));
        pages
    });
    let directory = tempfile::tempdir().expect("a directory");
    let source = Source::OpenMl(server.cache(&directory.path().join("cache")));
    let spam = find("spam").expect("known");
    let first = source.load(spam).expect("fetched");
    assert_eq!(first.table.x.cols(), 1, "the identifier is left out");
    assert_eq!(first.table.x.column(0), [0.5, 0.25, 1.0]);
    assert_eq!(first.table.answers, [0.0, 1.0, 0.0]);
    let asked = server.asked();
    assert_eq!(asked, ["/api/v1/json/task/43", "/api/v1/json/data/44", "/files/44.arff"]);
    let again = source.load(spam).expect("from the cache");
    assert_eq!((again.hash, again.table.x), (first.hash, first.table.x));
    assert_eq!(server.asked(), asked, "nothing was fetched again");
}

#[test]
fn parquet_is_preferred() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("made.parquet");
    let frame = read_arff(ARFF).expect("a table");
    let output = lmdi_io::write::Output::Parquet(file.clone());
    lmdi_io::write::write_table(&frame.clone().into(), &output, &Silent).expect("written");
    let mut bytes = Vec::new();
    std::fs::File::open(&file).expect("a file").read_to_end(&mut bytes).expect("read");
    let server = Server::start(|address| {
        let mut pages = descriptions(address, true);
        pages.push(("/files/44.pq".into(), bytes));
        pages
    });
    let loaded = Source::OpenMl(server.cache(directory.path())).load(find("spam").expect("known"));
    let loaded = loaded.expect("fetched");
    assert_eq!(loaded.table.x.column(0), [0.5, 0.25, 1.0]);
    assert_eq!(loaded.table.answers, [0.0, 1.0, 0.0]);
    assert_eq!(loaded.file, "data-44.pq");
}

#[test]
fn what_cannot_be_fetched_leaves_nothing_in_the_cache() {
    let server = Server::start(|address| descriptions(address, false));
    let directory = tempfile::tempdir().expect("a directory");
    let error = server.cache(directory.path()).fetch(43).expect_err("no such file");
    assert!(format!("{error:#}").contains("/files/44.arff"), "{error:#}");
    assert!(!directory.path().join("data-44.arff").exists());
    let error = server.cache(directory.path()).fetch(99).expect_err("no such task");
    assert!(format!("{error:#}").contains("task/99"), "{error:#}");
}
