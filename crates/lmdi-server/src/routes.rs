//! Paths, and responses to requests that cannot be answered.
//!
//! A page of another site must not reach a server that listens on this machine only: requests must
//! be JSON, which browsers do not send across sites without permission, and must name this machine
//! as their host, which a site whose name resolves to this machine does not.

use crate::listen::ServerOptions;
use crate::page;
use crate::service::{Failure, Service};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What every request sees.
pub(crate) struct Shared {
    service: Service,
    front: String,
    /// Requests that are computed or wait for their turn.
    admitted: Arc<Semaphore>,
    /// Requests that are computed.
    computing: Semaphore,
    is_local: bool,
    max_body: usize,
}

type ServerState = State<Arc<Shared>>;

/// The server's paths. `is_local` says whether it listens on this machine only.
pub(crate) fn router(
    service: Service,
    options: &ServerOptions,
    is_local: bool,
) -> io::Result<Router> {
    let not_one = || io::Error::new(io::ErrorKind::InvalidData, "it is not a report of lmdi");
    let front = match &options.report {
        Some(report) => page::served_report(report, service.digest()).ok_or_else(not_one)?,
        None => page::guide(&service),
    };
    let workers = options.workers.max(1);
    let shared = Arc::new(Shared {
        service,
        front,
        admitted: Arc::new(Semaphore::new(workers + options.waiting)),
        computing: Semaphore::new(workers),
        is_local,
        max_body: options.max_body,
    });
    Ok(Router::new()
        .route("/", get(|State(shared): ServerState| async move { Html(shared.front.clone()) }))
        .route("/health", get(|| async { answer(StatusCode::OK, &json!({"status": "ok"})) }))
        .route(
            "/model",
            get(|State(shared): ServerState| async move {
                answer(StatusCode::OK, &shared.service.description())
            }),
        )
        .route("/predict", post(predict))
        .route("/explain", post(explain))
        .fallback(|| async { problem(StatusCode::NOT_FOUND, NO_SUCH_PATH) })
        .method_not_allowed_fallback(|| async {
            problem(StatusCode::METHOD_NOT_ALLOWED, OTHER_METHOD)
        })
        // The limit is told by the handler, in words.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(shared.clone(), guarded))
        .with_state(shared))
}

/// A slow sender must not keep its place for ever.
const TIME_FOR_BODY: Duration = Duration::from_secs(30);

const NO_SUCH_PATH: &str = "no such path; there are /, /health, /model, /predict and /explain";
const OTHER_METHOD: &str = "send POST to /predict and /explain, GET to /, /health and /model";
const BUSY: &str = "too many requests are waiting; try again in a second";

async fn predict(shared: ServerState, headers: HeaderMap, request: Request) -> Response {
    computed(shared, headers, request, Service::predict).await
}

async fn explain(shared: ServerState, headers: HeaderMap, request: Request) -> Response {
    computed(shared, headers, request, Service::explain).await
}

/// Reads the body and computes the answer on a thread that may take its time.
async fn computed(
    State(shared): ServerState,
    headers: HeaderMap,
    request: Request,
    compute: fn(&Service, &[u8]) -> Result<Vec<u8>, Failure>,
) -> Response {
    if !is_json(&headers) {
        let what = "expected the header Content-Type: application/json";
        return problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, what);
    }
    let Ok(admitted) = shared.admitted.clone().try_acquire_owned() else {
        let mut busy = problem(StatusCode::SERVICE_UNAVAILABLE, BUSY);
        busy.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return busy;
    };
    let arriving = axum::body::to_bytes(request.into_body(), shared.max_body);
    let body: Bytes = match tokio::time::timeout(TIME_FOR_BODY, arriving).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let what = format!("the body has more than {} bytes, or broke off", shared.max_body);
            return problem(StatusCode::PAYLOAD_TOO_LARGE, &what);
        }
        Err(_) => {
            let what = format!("the body did not arrive within {} s", TIME_FOR_BODY.as_secs());
            return problem(StatusCode::REQUEST_TIMEOUT, &what);
        }
    };
    let worker = shared.clone();
    let computing = shared.computing.acquire().await;
    let outcome = tokio::task::spawn_blocking(move || compute(&worker.service, &body)).await;
    drop((computing, admitted));
    match outcome {
        Ok(Ok(answer)) => ([(header::CONTENT_TYPE, "application/json")], answer).into_response(),
        Ok(Err(Failure::Invalid(what))) => problem(StatusCode::BAD_REQUEST, &what),
        Ok(Err(Failure::TooLarge(what))) => problem(StatusCode::PAYLOAD_TOO_LARGE, &what),
        Ok(Err(Failure::Internal(what))) => problem(StatusCode::INTERNAL_SERVER_ERROR, &what),
        Err(_) => problem(StatusCode::INTERNAL_SERVER_ERROR, "the computation failed"),
    }
}

/// Refuses requests that reach a local server under the name of another host, and forbids browsers
/// to guess types and to keep answers.
async fn guarded(State(shared): ServerState, request: Request, next: Next) -> Response {
    if shared.is_local && !names_this_machine(request.headers()) {
        let what = "this server answers to localhost only; listen on an address of the network \
                    with --address to serve other hosts";
        return problem(StatusCode::FORBIDDEN, what);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn answer(status: StatusCode, value: &serde_json::Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn problem(status: StatusCode, what: &str) -> Response {
    answer(status, &json!({"error": what}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn hosts_of_this_machine_are_known_by_name() {
        for host in ["localhost", "LOCALHOST:8000", "127.0.0.1:80", "[::1]", "[::1]:8000"] {
            assert!(names_this_machine(&headers(header::HOST, host)), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8000", "127.0.0.1.evil.example", ""] {
            assert!(!names_this_machine(&headers(header::HOST, host)), "{host}");
        }
        assert!(!names_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn json_may_name_its_character_set() {
        assert!(is_json(&headers(header::CONTENT_TYPE, "application/json; charset=utf-8")));
        assert!(!is_json(&headers(header::CONTENT_TYPE, "text/plain")));
        assert!(!is_json(&HeaderMap::new()));
    }
}
